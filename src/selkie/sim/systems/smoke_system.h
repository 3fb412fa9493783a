// The smoke solver as a System: gas in a box with emitters, obstacles, vortex particles and fire.
#pragma once

#include <vector>

#include "selkie/fluids/smoke/step.h"
#include "selkie/sim/motion.h"
#include "selkie/sim/solver_system.h"
#include "selkie/sim/systems/drawn_plane.h"

namespace selkie::sim {

// What the adapter knows beyond the solver.
struct SmokeScene {
  std::vector<smoke::Emitter> emitters;
  std::vector<Motion> emitter_motions;  // one per emitter
  bool show_vortices = false;
};

using SmokeBase = SolverSystem<smoke::Model, smoke::Params, smoke::State<float>, smoke::Work<float>>;

class SmokeSystem final : public SmokeBase {
 public:
  SmokeSystem(std::string name, smoke::Model model, smoke::Params params, smoke::State<float> state,
              SmokeScene scene);

  std::string_view kind() const override { return "smoke"; }
  void poison_work() override { smoke::poison(work_); }
  double step_limit(const Environment&) override;
  StepReport solve(const Environment& environment, const Interval& interval) override;
  std::vector<std::string> actions() const override { return {"push"}; }
  // "push" (point, direction, strength, radius): a Gaussian gust.
  void apply(const ports::InputEvent& event) override;
  Figures figures(const Environment& environment) override;
  std::vector<ports::Drawable> drawables() override;
  Estimate estimate() override;

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
