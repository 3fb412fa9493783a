// The smoke solver as a System, in either precision: gas in a box with emitters, obstacles, vortex particles
// and fire.
#pragma once

#include <memory>
#include <vector>

#include "selkie/fluids/smoke/step.h"
#include "selkie/sim/grid_fields.h"
#include "selkie/sim/motion.h"
#include "selkie/sim/solver_system.h"
#include "selkie/sim/systems/drawn_plane.h"

namespace selkie::sim {

// What the adapter knows beyond the solver.
struct SmokeScene {
  std::vector<smoke::Emitter> emitters;
  std::vector<Motion> emitter_motions;  // one per emitter
  std::vector<std::shared_ptr<const geometry::MeshDistance>>
      emitter_meshes;  // likewise; null: it has a shape
  bool show_vortices = false;
};

template <class Real>
using SmokeBase = SolverSystem<smoke::Model, smoke::Params, smoke::State<Real>, smoke::Work<Real>>;

template <class Real>
class SmokeSystem final : public SmokeBase<Real>, public GridFields {
 public:
  SmokeSystem(std::string name, smoke::Model model, smoke::Params params, smoke::State<Real> state,
              SmokeScene scene);

  std::string_view kind() const override { return "smoke"; }
  void poison_work() override { smoke::poison(this->work_); }
  double step_limit(const Environment&) override;
  StepReport solve(const Environment& environment, const Interval& interval) override;
  std::vector<std::string> actions() const override { return {"push"}; }
  // "push" (point, direction, strength, radius): a Gaussian gust.
  void apply(const ports::InputEvent& event) override;
  Figures figures(const Environment& environment) override;
  std::vector<ports::Drawable> drawables() override;
  Estimate estimate() override;
  std::optional<GridField> grid_field(std::string_view name) const override;

 private:
  ports::Drawable volume();
  ports::Drawable plane();

  SmokeScene scene_;
  std::vector<const ports::FieldSampler*> colliders_;  // of the present step
  // Fields without padding, as volumes are drawn.
  std::vector<float> drawn_density_, drawn_temperature_, drawn_fuel_;
  // A 2-D gas is drawn as a plane with a vertex at each cell's middle.
  DrawnPlane plane_;
};

}  // namespace selkie::sim
