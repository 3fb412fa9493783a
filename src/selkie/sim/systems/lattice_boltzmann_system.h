// The lattice Boltzmann solver as a System. Obstacles are part of its model: they stay where they are.
#pragma once

#include <array>
#include <vector>

#include "selkie/fluids/lattice_boltzmann/solver.h"
#include "selkie/sim/solver_system.h"
#include "selkie/sim/systems/drawn_plane.h"

namespace selkie::sim {

struct NoWork {};  // the method needs no scratch
using LatticeBoltzmannBase = SolverSystem<lattice_boltzmann::Model, lattice_boltzmann::Params,
                                          lattice_boltzmann::State<float>, NoWork>;

class LatticeBoltzmannSystem final : public LatticeBoltzmannBase {
 public:
  LatticeBoltzmannSystem(std::string name, lattice_boltzmann::Model model, lattice_boltzmann::Params params,
                         lattice_boltzmann::State<float> state);

  std::string_view kind() const override { return "lattice_boltzmann"; }
  void poison_work() override {}
  double step_limit(const Environment&) override { return lattice_boltzmann::step_length(model_, params_); }
  StepReport solve(const Environment& environment, const Interval& interval) override;
  Figures figures(const Environment& environment) override;
  std::vector<ports::Drawable> drawables() override;
  Estimate estimate() override;

 private:
  void find_moments();

  Buffer<float> density_;
  std::array<Buffer<float>, 3> velocity_;
  std::vector<float> drawn_speed_, drawn_velocity_;
  DrawnPlane plane_;
};

}  // namespace selkie::sim
