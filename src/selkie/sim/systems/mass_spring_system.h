// The mass-spring solver as a System: springs between masses, pinned or driven vertices, contact with
// colliders.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "selkie/sim/solver_system.h"
#include "selkie/sim/systems/contact_side.h"
#include "selkie/sim/systems/deformable_body.h"
#include "selkie/solids/mass_spring/step.h"

namespace selkie::sim {

using MassSpringBody = DeformableBody;
using MassSpringBase =
    SolverSystem<mass_spring::Model, mass_spring::Params, mass_spring::State, mass_spring::Work>;

class MassSpringSystem final : public MassSpringBase {
 public:
  MassSpringSystem(std::string name, mass_spring::Model model, mass_spring::Params params,
                   mass_spring::State state, MassSpringBody body);

  std::string_view kind() const override { return "mass_spring"; }
  void poison_work() override { mass_spring::poison(work_); }
  void state_was_written() override;
  void* params() override;
  void save() override;
  void restore() override;
  double step_limit(const Environment&) override;
  StepReport solve(const Environment& environment, const Interval& interval) override;
  std::optional<ports::SurfaceSamples> surface_samples() override;
  void accept_impulses(double dt) override;
  ports::DeformableSolid* deformable_solid() override;
  std::vector<std::string> actions() const override;
  void apply(const ports::InputEvent& event) override;
  Figures figures(const Environment& environment) override;
  std::vector<ports::Drawable> drawables() override;
  Estimate estimate() override;

 private:
  void forget_limit();

  MassSpringBody body_;
  mass_spring::KeptLimit kept_limit_;
  std::optional<double> limit_now_;  // s, at the start of the sub-step
  bool told_limit_ = false;          // that a fixed step is beyond the limit: said once
  SurfaceImpulses impulses_;
  ContactSurroundings surroundings_;
  std::unique_ptr<ContactSide<mass_spring::State>> contact_side_;
  DrawnPart drawn_;
  std::vector<double> vertex_strain_;
};

}  // namespace selkie::sim
