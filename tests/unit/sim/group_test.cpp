// A strong coupling inside the World: two mock systems step as one Group through ports only. The oracle is
// the piston of LE-37 in miniature: one pressure unknown pushing one mass.
#include <gtest/gtest.h>

#include "selkie/core/buffer.h"
#include "selkie/sim/solver_system.h"
#include "selkie/sim/world.h"

namespace selkie::sim {
namespace {

struct NoModel {};
struct NoWork {};
struct NoParams {
  double unused = 0;
};
constexpr auto describe(NoParams*) { return Members{member("unused", &NoParams::unused, "", "nothing")}; }
struct Unknown {
  Buffer<double> value{0.0};
};
constexpr auto describe(Unknown*) {
  return Members{member("value", &Unknown::value, "", "pressure or velocity")};
}

using Base = SolverSystem<NoModel, NoParams, Unknown, NoWork>;

// B p = rhs with B = b, rhs = r.
class Fluid final : public Base {
 public:
  Fluid(double b, double r) : Base("fluid", {}, {}, {}), rhs_{r} {
    side_.unknowns = 1;
    side_.apply_b = [b](std::span<const double> x, std::span<double> y) { y[0] = b * x[0]; };
    side_.rhs = rhs_;
    side_.accept = [this](std::span<const double> p) { state_.value[0] = p[0]; };
  }
  std::string_view kind() const override { return "fluid"; }
  void poison_work() override {}
  double step_limit(const Environment&) override { return 1e9; }
  StepReport solve(const Environment&, const Interval&) override {
    return StepReport::failure("must solve jointly");
  }
  ports::PressureSide* pressure_side() override { return &side_; }
  Figures figures(const Environment&) override { return {}; }
  std::vector<ports::Drawable> drawables() override { return {}; }
  Estimate estimate() override { return {}; }

 private:
  std::array<double, 1> rhs_;
  ports::PressureSide side_;
};

// A rigid mass: Z₁ = m, w = −m v₀ (so that without pressure it keeps its velocity).
class Piston final : public Base {
 public:
  Piston(double m, double v0) : Base("piston", {}, {}, {}), w_{-m * v0} {
    side_.dofs = 1;
    side_.apply_z1_inverse = [m](std::span<const double> x, std::span<double> y) { y[0] = x[0] / m; };
    side_.w = w_;
    side_.accept = [this](std::span<const double> v) { state_.value[0] = v[0]; };
  }
  std::string_view kind() const override { return "piston"; }
  void poison_work() override {}
  double step_limit(const Environment&) override { return 0.02; }
  StepReport solve(const Environment&, const Interval&) override {
    return StepReport::failure("must solve jointly");
  }
  ports::BodySide* body_side() override { return &side_; }
  Figures figures(const Environment&) override { return {}; }
  std::vector<ports::Drawable> drawables() override { return {}; }
  Estimate estimate() override { return {}; }

 private:
  std::array<double, 1> w_;
  ports::BodySide side_;
};

class Contact final : public Coupling {
 public:
  Contact() : Coupling("contact", {"fluid", "piston"}), jacobian_(1, 1) { jacobian_.insert(0, 0) = 2.0; }
  std::string_view kind() const override { return "test"; }
  bool strong() const override { return true; }
  const ports::SparseRows* jacobian(std::span<System* const> members, const Interval&) override {
    EXPECT_EQ(members.size(), 2u);
    return &jacobian_;
  }

 private:
  ports::SparseRows jacobian_;
};

TEST(Group, SystemsJoinedByAStrongCouplingStepTogetherThroughOneSolve) {
  World world({.fps = 30});
  world.add(std::make_unique<Fluid>(3.0, 1.5));
  world.add(std::make_unique<Piston>(4.0, 0.25));
  world.add(std::make_unique<Contact>());
  const SyncReport report = world.sync_step();
  ASSERT_TRUE(report.ok) << report.trouble;
  // (b + J²/m) p = r + J w/m  and  v = (J p − w)/m.
  const double p = (1.5 + 2 * (-4 * 0.25) / 4) / (3 + 4.0 / 4), v = (2 * p + 4 * 0.25) / 4;
  const auto value = [&](const char* name) {
    return *static_cast<double*>(world.find(name)->state()[0].data);
  };
  EXPECT_NEAR(value("fluid"), p, 1e-12);
  EXPECT_NEAR(value("piston"), v, 1e-12);
  // The group takes the shortest of its members' limits.
  EXPECT_EQ(report.systems[0].substeps, 2);
  EXPECT_EQ(report.systems[1].substeps, 2);
}

}  // namespace
}  // namespace selkie::sim
