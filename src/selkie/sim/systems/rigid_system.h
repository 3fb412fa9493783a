// Rigid bodies as a System. Every world has one called "thrown", empty until something is thrown (SW-47): it
// lists nothing and costs nothing until then. Other systems meet its bodies as movable solids.
#pragma once

#include <memory>
#include <vector>

#include "selkie/coupling/rigid_solid.h"
#include "selkie/geometry/mesh.h"
#include "selkie/sim/solver_system.h"
#include "selkie/solids/rigid/step.h"

namespace selkie::sim {

inline constexpr const char* kThrown = "thrown";  // reserved for the one that scene::build adds

using RigidBase = SolverSystem<rigid::Model, rigid::Params, rigid::State, rigid::Work>;

class RigidSystem final : public RigidBase {
 public:
  explicit RigidSystem(std::string name, rigid::Params params = {}, rigid::State state = {});

  std::string_view kind() const override { return "rigid"; }
  void poison_work() override { rigid::poison(work_); }
  void state_was_written() override;
  double step_limit(const Environment&) override { return rigid::step_limit(params_, state_); }
  StepReport solve(const Environment& environment, const Interval& interval) override;
  bool moves_solids() const override { return true; }
  void offer_solids(const Interval& sync, std::vector<ports::MovableSolid*>& bodies) override;
  void take_pushes() override;
  bool dormant() const override { return state_.count() == 0; }
  std::vector<std::string> actions() const override;
  // "throw" (shape, position, velocity, size, density; spin), "clear", "grab" (point, target), "drag"
  // (target), "release", "impulse" (point, impulse), "push" (point, direction, strength, radius), "kick"
  // (velocity).
  void apply(const ports::InputEvent& event) override;
  Figures figures(const Environment& environment) override;
  std::vector<ports::Drawable> drawables() override;
  Estimate estimate() override;

 private:
  void throw_body(const ports::InputEvent& event);
  bool act(const ports::InputEvent& event);

  std::vector<std::unique_ptr<coupling::RigidSolid>> solids_;  // of the sync step under way

  std::vector<Vec3> drawn_positions_, drawn_velocities_;
  std::vector<geometry::Triangle> drawn_triangles_;
};

}  // namespace selkie::sim
