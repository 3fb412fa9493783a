// A one-oscillator system for tests of the World: symplectic Euler, a limit to choose, failures on demand.
#pragma once

#include <functional>

#include "selkie/core/buffer.h"
#include "selkie/core/profile.h"
#include "selkie/sim/solver_system.h"

namespace selkie::sim {

namespace mock {
struct Model {};
struct Params {
  double omega = 2;
};
constexpr auto describe(Params*) {
  return Members{member("omega", &Params::omega, "1/s", "angular frequency").at_least(0).live()};
}
struct State {
  Buffer<double> x{1.0}, v{0.0};
};
constexpr auto describe(State*) {
  return Members{member("x", &State::x, "m", "position"), member("v", &State::v, "m/s", "velocity")};
}
static_assert(complete<Params>() && complete<State>());
struct Work {
  double scratch = 0;
};
}  // namespace mock

class Oscillator final : public SolverSystem<mock::Model, mock::Params, mock::State, mock::Work> {
 public:
  explicit Oscillator(std::string name, double limit = std::numeric_limits<double>::infinity())
      : SolverSystem(std::move(name), {}, {}, {}), limit_(limit) {}

  std::string_view kind() const override { return "oscillator"; }
  void poison_work() override { work_.scratch = std::numeric_limits<double>::quiet_NaN(); }
  double step_limit(const Environment&) override { return limit_; }
  StepReport solve(const Environment&, const Interval& interval) override {
    const ProfileZone zone("oscillator.solve");
    intervals.push_back(interval);
    if (fails && fails(interval)) return StepReport::failure("asked to fail");
    const mock::State& old = from();
    const double h = interval.dt();
    work_.scratch = -params_.omega * params_.omega * old.x[0];
    state_.v[0] = old.v[0] + h * work_.scratch;
    state_.x[0] = old.x[0] + h * state_.v[0];
    return {};
  }
  Figures figures(const Environment&) override { return {{"x", state_.x[0]}}; }
  std::vector<ports::Drawable> drawables() override { return {}; }
  Estimate estimate() override { return {16, "one mass"}; }

  std::vector<Interval> intervals;
  std::function<bool(const Interval&)> fails;

 private:
  double limit_;
};

}  // namespace selkie::sim
