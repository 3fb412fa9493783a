// What a Python World is: the scene it came from, the running world, and who may touch it at the moment. Held
// by shared_ptr, so that systems and views outlive the Python object they were taken from.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "selkie/scene/paths.h"
#include "selkie/scene/scene.h"

namespace selkie::python {

struct WorldHandle {
  explicit WorldHandle(scene::Scene from, std::vector<std::filesystem::path> read = {})
      : scene(std::move(from)),
        world(scene::build(scene)),
        identity(scene::identity(scene)),
        sources(std::move(read)) {
    for (std::filesystem::path& file : scene::files_of(scene)) sources.push_back(std::move(file));
  }

  enum class Use { idle, stepping, reporting };  // reporting: inside a progress callback of run()

  // Before reading or changing anything: a step in another Python thread runs without the interpreter lock.
  void require_still() const {
    if (use.load() == Use::stepping) throw std::runtime_error("the world is stepping in another thread");
  }
  void require_idle() const {
    require_still();
    if (use.load() == Use::reporting)
      throw std::runtime_error("the world is inside run(); a progress callback may look, but not step");
  }
  // NumPy views may have been written at any time, so this precedes every step.
  void accept_writes() {
    for (const auto& system : world.systems()) system->state_was_written();
  }

  scene::Scene scene;
  sim::World world;
  std::string identity;  // of the scene with its files as they were when the world was built
  std::vector<std::filesystem::path>
      sources;             // files it was made from, those that the scene names among them
  std::int64_t steps = 0;  // sync steps taken
  std::atomic<Use> use = Use::idle;
};

// Marks the world as stepping for a scope.
class Stepping {
 public:
  explicit Stepping(WorldHandle& handle) : handle_(handle) {
    handle_.require_idle();
    handle_.accept_writes();
    handle_.use = WorldHandle::Use::stepping;
  }
  ~Stepping() { handle_.use = WorldHandle::Use::idle; }
  Stepping(const Stepping&) = delete;
  Stepping& operator=(const Stepping&) = delete;

 private:
  WorldHandle& handle_;
};

}  // namespace selkie::python
