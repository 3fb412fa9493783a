// Shape matching as a System: one body or a crowd of them.
#pragma once

#include "selkie/sim/solver_system.h"
#include "selkie/sim/systems/contact_side.h"
#include "selkie/sim/systems/deformable_body.h"
#include "selkie/sim/systems/rigid_answer.h"
#include "selkie/solids/shape_matching/step.h"

namespace selkie::sim {

using ShapeMatchingBase =
    SolverSystem<shape_matching::Model, shape_matching::Params, shape_matching::State, shape_matching::Work>;

// Bodies that are drawn together: of one make and colour.
struct CrowdPart {
  std::string name;  // "" : the system's own
  Vec3 colour{0.8, 0.8, 0.8};
  std::vector<geometry::Triangle> triangles;
  std::vector<geometry::Segment> lines;  // where there are no triangles
};

class ShapeMatchingSystem final : public ShapeMatchingBase {
 public:
  ShapeMatchingSystem(std::string name, shape_matching::Model model, shape_matching::Params params,
                      shape_matching::State state, DeformableBody body, std::vector<CrowdPart> parts);

  std::string_view kind() const override { return "shape_matching"; }
  void poison_work() override { shape_matching::poison(work_); }
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
  std::unique_ptr<ContactSide<shape_matching::State>> contact_side_;
  std::vector<CrowdPart> parts_;
  std::vector<DrawnPart> drawn_;
  std::vector<double> errors_;
  std::vector<Vec3> skin_;
};

}  // namespace selkie::sim
