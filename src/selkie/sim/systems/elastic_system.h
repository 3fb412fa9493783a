// The finite-element solver as a System: elastic bodies of tetrahedra or triangles.
#pragma once

#include "selkie/core/expression.h"
#include "selkie/coupling/wet_field.h"
#include "selkie/sim/solver_system.h"
#include "selkie/sim/systems/contact_side.h"
#include "selkie/sim/systems/deformable_body.h"
#include "selkie/sim/systems/wetting.h"
#include "selkie/solids/fem/coupled_step.h"

namespace selkie::sim {

using ElasticBase = SolverSystem<fem::Model, fem::Params, fem::State, fem::Work>;

// What pushes on a part of the surface, as formulas in t (s).
class SurfaceLoad {
 public:
  // `force`: N along x, y and z, or empty; `pressure`: Pa into the surface. Throws InputError for formulas
  // that do not compile.
  SurfaceLoad(fem::LoadedPart part, std::span<const std::string> force, const std::string& pressure);

  // Adds the forces at `time` on the body at x.
  void add(const fem::Model& model, double time, std::span<const Vec3> x, std::span<Vec3> forces) const;

 private:
  fem::LoadedPart part_;
  std::vector<Expression> force_;
  Expression pressure_;
};

class ElasticSystem final : public ElasticBase {
 public:
  ElasticSystem(std::string name, fem::Model model, fem::Params params, fem::State state,
                DeformableBody body);

  std::string_view kind() const override { return "elastic"; }
  void poison_work() override { fem::poison(work_); }
  void state_was_written() override;
  double step_limit(const Environment& environment) override;
  StepReport predict(const Environment& environment, const Interval& interval) override;
  StepReport solve(const Environment& environment, const Interval& interval) override;
  ports::BodySide* body_side() override;
  bool linearise_again(const Environment& environment, const Interval& interval, StepReport& report) override;
  const ports::WetBody* wet_body() override;
  std::optional<ports::SurfaceSamples> surface_samples() override;
  void accept_impulses(double dt) override;
  ports::DeformableSolid* deformable_solid() override;
  std::vector<std::string> actions() const override { return body_actions(); }
  void apply(const ports::InputEvent& event) override;
  Figures figures(const Environment& environment) override;
  std::vector<ports::Drawable> drawables() override;
  Estimate estimate() override;

  // For a joint solve, before the first step: how it is done, and the sides of the tank the body is in.
  void wet(Wetting wetting, fem::Answer answer);
  const ports::FieldSampler& wet_field();  // the body where it is now

  // Tractions on the surface, before the first step.
  void load(std::vector<SurfaceLoad> loads) { loads_ = std::move(loads); }

 private:
  // Calls use(inputs).
  template <class Use>
  StepReport with_inputs(const Environment& environment, const Interval& interval, Use&& use);

  DeformableBody body_;
  std::vector<SurfaceLoad> loads_;
  std::vector<Vec3> load_forces_;  // N, of the sub-step under way
  SurfaceImpulses impulses_;
  ContactSurroundings surroundings_;
  std::unique_ptr<ContactSide<fem::State>> contact_side_;
  DrawnPart drawn_;
  std::vector<double> vertex_stress_;
  bool told_limit_ = false;  // that a fixed step is beyond the limit of stability: said once
  bool told_gain_ = false;   // that average acceleration gained energy: said once

  // In a joint solve.
  fem::State moved_;
  bool met_bodies_ = false;            // rigid ones, in the free step
  const fem::State* start_ = nullptr;  // of the sub-step under way
  fem::State start_again_;             // the same under the forces of a joint solve
  std::vector<Vec3> linearised_at_;    // N: forces that the answer was found under
  double dt_ = 0;  // s, of the sub-step under way
  Wetting wetting_;
  fem::Answer wanted_ = fem::Answer::elastic;  // as the coupling asks
  fem::Answer answer_ = fem::Answer::elastic;  // of the sub-step under way
  std::unique_ptr<coupling::WetShape> wet_field_;
  std::vector<geometry::Segment> outline_;  // of a body of triangles
  ports::WetBody wet_body_;
  ports::BodySide body_side_;
  std::vector<double> free_velocity_;
  std::vector<Vec3> impulses_in_, changes_;
};

}  // namespace selkie::sim
