// World: systems, couplings and time. Owns the clock (integer ticks), splits each frame into sync steps and
// each sync step into the sub-steps its Groups need, retries a failed sync step with half the length, and
// changes from outside only through tick-stamped input events. (docs/architecture.md, "The life of a frame")
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "selkie/core/describe.h"
#include "selkie/core/hash.h"
#include "selkie/core/profile.h"
#include "selkie/sim/coupling_port.h"
#include "selkie/sim/system.h"

namespace selkie::sim {

// Parameters of the world itself: what an event with system = "" and action "set" changes.
struct WorldParams {
  Vec3 gravity{0, -9.81, 0};
};
constexpr auto describe(WorldParams*) {
  return Members{member("gravity", &WorldParams::gravity, "m/s²", "acceleration of free fall").live()};
}
static_assert(complete<WorldParams>());

struct WorldSettings {
  double fps = 30;             // frames per second
  int steps_per_frame = 1;     // sync steps a frame is cut into (RT-01's n)
  int max_retries = 8;         // halvings of a failing sync step before giving up
  int max_substeps = 1 << 20;  // per Group and sync step; beyond it the step counts as failed
};

// What one system did during a sync step.
struct SystemReport {
  std::string system;
  int substeps = 0;
  StepReport step;
  Figures figures;
};

struct SyncReport {
  bool ok = true;
  std::string trouble;  // after the last retry
  Tick begin = 0, end = 0;
  double time = 0, dt = 0;  // s; time is that of `end`
  int retries = 0;
  std::vector<SystemReport> systems;
  PhaseTimes phases;  // of all attempts, the rejected ones included
};

// What one joint solve of a Group is made of: all that stands in its matrix and right side.
struct JointSolve {
  std::span<const ports::PressureSide* const> pressures;
  std::span<const ports::BodySide* const> bodies;
  std::span<const ports::CouplingTerm> terms;
  double dt = 0;  // s
};

class World {
 public:
  explicit World(WorldSettings settings = {}, Environment environment = {});
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  // Building. Names are unique; a coupling's systems exist (SELKIE_CHECK: scene validates before).
  System& add(std::unique_ptr<System> system);
  Coupling& add(std::unique_ptr<Coupling> coupling);
  void add_collider(std::shared_ptr<ports::FieldSampler> collider);

  const WorldSettings& settings() const { return settings_; }
  const Environment& environment() const { return environment_; }
  std::span<const std::unique_ptr<System>> systems() const { return systems_; }
  std::span<const std::unique_ptr<Coupling>> couplings() const { return couplings_; }
  System* find(std::string_view name) const;

  // Time.
  Tick now() const { return now_; }
  double time() const { return static_cast<double>(now_) * seconds_per_tick(); }
  std::int64_t frame() const { return now_ / kTicksPerFrame; }  // completed frames
  bool at_frame() const { return now_ % kTicksPerFrame == 0; }
  double seconds_per_tick() const;

  // Advances by one sync step: to the next cut of the frame, or less after a retry. On failure the world is
  // as it was before (with the events due by then applied), so finished work can be kept.
  SyncReport sync_step();

  // Events are applied before the first sync step that begins at or after their tick, in order of (tick,
  // arrival). apply_now checks and applies at once and logs with the present tick; used by Python and the
  // viewer.
  void queue(ports::InputEvent event);
  void apply_now(ports::InputEvent event);
  void forget_pending_events() { pending_.clear(); }
  // Tries all pending events in order and takes them back: throws what the first bad one would throw when
  // its time comes.
  void check_pending_events();
  const std::vector<ports::InputEvent>& applied_events() const { return applied_; }
  std::span<const ports::InputEvent> pending_events() const { return pending_; }

  // The explicit schedule, one line a phase, as `selkie check` prints it.
  std::vector<std::string> schedule() const;

  // Of everything that influences a later step: time, step size memory, every system's and coupling's state,
  // parameters.
  Hash128 hash();

  // Tests: refill every Work with NaN before each step.
  void set_poison_work(bool poison) { poison_work_ = poison; }
  // Studies: sees every joint solve before it is done. It must not call what the sides have to take
  // solutions.
  void watch_joint_solves(std::function<void(const JointSolve&)> watch) { watch_ = std::move(watch); }

 private:
  friend class CheckpointAccess;
  struct Group {
    std::vector<int> systems;
    std::vector<int> couplings;      // strong ones inside the group
    std::vector<double> warm_start;  // of the joint solve
    std::vector<double> warm_saved;
  };

  void rebuild_groups();
  void apply(const ports::InputEvent& event);
  bool dormant(const Group& group) const;
  void offer_solids(const Group& group, const Interval& sync);
  void apply_due_events();
  StepReport advance_group(Group& group, const Interval& interval, std::vector<SystemReport>& reports);
  StepReport joint_solve(Group& group, const Interval& interval);
  bool linearise_again(const Group& group, const Interval& interval, StepReport& report);
  void immerse_bodies(const Group& group);
  StepReport attempt(Tick length, std::vector<SystemReport>& reports);
  void save();
  void restore();

  WorldSettings settings_;
  Environment environment_;
  std::vector<std::unique_ptr<System>> systems_;
  std::vector<std::unique_ptr<Coupling>> couplings_;
  std::vector<Group> groups_;
  Tick now_ = 0;
  Tick preferred_ = 0;  // length the next sync step tries; halved by retries, doubled back after successes
  std::vector<ports::InputEvent> pending_, applied_;
  bool poison_work_ = false;
  std::function<void(const JointSolve&)> watch_;
};

}  // namespace selkie::sim
