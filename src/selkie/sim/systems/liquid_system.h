// The liquid solver as a System: water in a box with solids, a vessel, inflows and drains.
#pragma once

#include <memory>
#include <vector>

#include "selkie/fluids/liquid/step.h"
#include "selkie/geometry/mesh.h"
#include "selkie/sim/collider.h"
#include "selkie/sim/motion.h"
#include "selkie/sim/solver_system.h"

namespace selkie::sim {

// Everything outside a shape as a solid.
std::shared_ptr<ports::FieldSampler> make_container(const ColliderDescription& inside);

// What the adapter knows beyond the solver.
struct LiquidScene {
  std::shared_ptr<ports::FieldSampler> container;  // may be absent
  std::vector<std::shared_ptr<ports::FieldSampler>> start_colliders;  // those of the world at the start
  std::vector<liquid::Inflow> inflows;
  std::vector<Motion> inflow_motions;  // one per inflow
  std::vector<liquid::Drain> drains;
  std::vector<Motion> drain_motions;  // one per drain
  Vec3 colour = Vec3(0.12, 0.35, 0.5);
  bool show_particles = false;
};

using LiquidBase = SolverSystem<liquid::Model, liquid::Params, liquid::State<float>, liquid::Work<float>>;

class LiquidSystem final : public LiquidBase {
 public:
  LiquidSystem(std::string name, liquid::Model model, liquid::Params params, liquid::State<float> state,
               LiquidScene scene);

  std::string_view kind() const override { return "liquid"; }
  void poison_work() override { liquid::poison(work_); }
  double step_limit(const Environment&) override;
  StepReport solve(const Environment& environment, const Interval& interval) override;
  std::vector<std::string> actions() const override { return {"push"}; }
  // "push" (point, direction, strength, radius): a Gaussian gust.
  void apply(const ports::InputEvent& event) override;
  Figures figures(const Environment& environment) override;
  std::vector<ports::Drawable> drawables() override;
  Estimate estimate() override;

 private:
  liquid::Inputs inputs(const Environment& environment);

  LiquidScene scene_;
  std::vector<const ports::FieldSampler*> colliders_;  // of the present step
  Buffer<float> scratch_;
  // What is drawn.
  std::vector<Vec3> points_;
  std::vector<double> point_speeds_;
  geometry::TriangleMesh mesh_;
  std::vector<double> mesh_velocities_, mesh_speeds_;
};

}  // namespace selkie::sim
