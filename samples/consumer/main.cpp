// A program outside the tree on an installed Selkie: builds a World from the text of a scene, steps
// it frame by frame with its own loop, and shows how a mistake of the user's is reported.
#include <cstdio>
#include <string>

#include "selkie/core/error.h"
#include "selkie/scene/scene.h"

namespace {

constexpr const char* kFlag = R"(
[scene]
name = "flag"
fps  = 60

[[mass_spring]]
name = "cloth"
mesh = { sheet = { size = [1, 1], divisions = [12, 12] } }
pin  = [ { vertices = [0, 12] } ]
)";

double figure(const selkie::sim::SyncReport& report, const std::string& wanted) {
  for (const auto& [name, value] : report.systems[0].figures)
    if (name == wanted) return value;
  return 0;
}

}  // namespace

int main() {
  namespace scene = selkie::scene;
  selkie::sim::World world = scene::build(scene::parse(kFlag, "flag.toml", "."));
  while (world.frame() < 30) {
    const selkie::sim::SyncReport report = world.sync_step();
    if (!report.ok) {
      std::printf("failed: %s\n", report.trouble.c_str());
      return 1;
    }
    if (world.at_frame() && world.frame() % 10 == 0)
      std::printf("t = %.3f s: energy %.4f J, largest stretch %.2f %%\n", world.time(),
                  figure(report, "energy"), 100 * figure(report, "max_stretch"));
  }
  std::printf("state hash %s\n", world.hash().hex().c_str());

  try {
    (void)scene::parse("[[mass_spring]]\nname = \"cloth\"\nstifness = 3\n", "wrong.toml", ".");
  } catch (const selkie::InputError& error) {
    std::printf("as expected: %s\n", error.what());
    return 0;
  }
  return 1;
}
