// The vortex-particle method as a System: smoke in a closed box, moved by vortices alone. Bodies that are
// thrown in do not stir it.
#pragma once

#include <vector>

#include "selkie/fluids/vortex_method/step.h"
#include "selkie/sim/grid_fields.h"
#include "selkie/sim/solver_system.h"

namespace selkie::sim {

using VortexMethodBase = SolverSystem<vortex_method::Model, vortex_method::Params,
                                      vortex_method::State<float>, vortex_method::Work<float>>;

class VortexMethodSystem final : public VortexMethodBase, public GridFields {
 public:
  // Finds the flow of the first particles.
  VortexMethodSystem(std::string name, vortex_method::Model model, vortex_method::Params params,
                     vortex_method::State<float> state, bool show_particles);

  std::string_view kind() const override { return "vortex_method"; }
  void poison_work() override { vortex_method::poison(work_); }
  double step_limit(const Environment&) override;
  StepReport solve(const Environment& environment, const Interval& interval) override;
  // Vorticity, impulse (both lengths of vectors) and what the flow of the last step was like.
  Figures figures(const Environment& environment) override;
  std::vector<ports::Drawable> drawables() override;
  Estimate estimate() override;
  std::optional<GridField> grid_field(std::string_view name) const override;

 private:
  bool show_particles_;
  std::vector<float> drawn_density_;     // without padding
  std::vector<double> drawn_vorticity_;  // of particles
};

}  // namespace selkie::sim
