// The position-based solver as a System: cloth, ropes, balloons and soft bodies held by constraints.
#pragma once

#include <vector>

#include "selkie/sim/solver_system.h"
#include "selkie/sim/systems/contact_side.h"
#include "selkie/sim/systems/deformable_body.h"
#include "selkie/sim/systems/rigid_answer.h"
#include "selkie/solids/pbd/step.h"

namespace selkie::sim {

using PositionBasedBase = SolverSystem<pbd::Model, pbd::Params, pbd::State, pbd::Work>;

class PositionBasedSystem final : public PositionBasedBase {
 public:
  // `lines` are drawn where the body has no triangles.
  PositionBasedSystem(std::string name, pbd::Model model, pbd::Params params, pbd::State state,
                      DeformableBody body, std::span<const geometry::Segment> lines);

  std::string_view kind() const override { return "position_based"; }
  void poison_work() override { pbd::poison(work_); }
  void state_was_written() override;
  double step_limit(const Environment& environment) override;
  StepReport solve(const Environment& environment, const Interval& interval) override;
  std::optional<ports::SurfaceSamples> surface_samples() override;
  void accept_impulses(double dt) override;
  ports::DeformableSolid* deformable_solid() override;
  std::vector<std::string> actions() const override { return body_actions(); }
  void apply(const ports::InputEvent& event) override;
  Figures figures(const Environment& environment) override;
  std::vector<ports::Drawable> drawables() override;
  Estimate estimate() override;

 private:
  DeformableBody body_;
  SurfaceImpulses impulses_;
  ContactSurroundings surroundings_;
  std::unique_ptr<RigidAnswer> answer_;
  std::unique_ptr<ContactSide<pbd::State>> contact_side_;
  DrawnPart drawn_;
  std::vector<double> vertex_strain_;
};

}  // namespace selkie::sim
