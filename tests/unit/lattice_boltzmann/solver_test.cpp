// Lattice Boltzmann against its exact discrete facts: moments of the equilibrium, mass, decay of a shear
// wave, Couette and Poiseuille flow between half-way walls, and how far Smagorinsky's model keeps a cavity
// bounded. [RT-52 … RT-54]
#include "selkie/fluids/lattice_boltzmann/solver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "selkie/core/parallel.h"
#include "selkie/fluids/lattice_boltzmann/lattice.h"

namespace {

using namespace selkie;
using namespace selkie::lattice_boltzmann;

// One tick a step, cells and steps of length one: physical units are lattice units.
constexpr Interval kStep{0, 1, 1.0};

template <class Lattice>
void expect_moments() {
  const double rho = 1.1, ux = 0.05, uy = -0.03, uz = Lattice::kDims == 3 ? 0.02 : 0;
  double mass = 0, weight = 0;
  Vec3 momentum = Vec3::Zero();
  for (int q = 0; q < Lattice::kCount; ++q) {
    const auto at = static_cast<std::size_t>(q);
    const double f = equilibrium<Lattice, double>(q, rho, ux, uy, uz);
    const auto& e = Lattice::kVelocity[at];
    const auto& back = Lattice::kVelocity[static_cast<std::size_t>(Lattice::kOpposite[at])];
    for (std::size_t a = 0; a < 3; ++a) EXPECT_EQ(e[a], -back[a]);
    mass += f, momentum += f * Vec3(e[0], e[1], e[2]), weight += Lattice::kWeight[at];
  }
  EXPECT_NEAR(weight, 1, 1e-15);
  EXPECT_NEAR(mass, rho, 1e-15);
  EXPECT_NEAR((momentum - Vec3(ux, uy, uz)).norm(), 0, 1e-16 * 10);
}

TEST(LatticeBoltzmann, TheEquilibriumHasTheDensityAndMomentumItIsMadeFrom) {
  expect_moments<D2Q9>();
  expect_moments<D3Q19>();
}

// Decay of u = U cos(2πy/N) x̂ over `steps`; the measured viscosity.
template <class Real>
double shear_wave_viscosity(int dims, int n, double viscosity, int steps) {
  const Model model = make_model(grid::Shape(dims, {4, n, 4}, 1), {true, true, true});
  const Params params{.viscosity = viscosity, .turbulence = 0};
  const double k = 2 * std::numbers::pi / n;
  State<Real> from = make_state<Real>(model), to;
  for (int z = 0; z < model.shape.cells()[2]; ++z)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < 4; ++i)
        set_equilibrium(model, i, j, z, 1, Vec3(0.01 * std::cos(k * (j + 0.5)), 0, 0), 1, from);
  Buffer<Real> density;
  std::array<Buffer<Real>, 3> velocity;
  auto amplitude = [&] {
    moments(model, params, from, density, velocity);
    double sum = 0;
    for (int j = 0; j < n; ++j)
      sum += std::cos(k * (j + 0.5)) * double(velocity[0][static_cast<std::size_t>(model.shape.at(1, j, 0))]);
    return sum;
  };
  from.step = 1;
  double first = 0;
  for (int s = 0; s < steps; ++s) {
    if (s == steps / 4)
      first = amplitude();  // past the start, where the waves are not yet those of the scheme
    to = from;
    EXPECT_TRUE(step(model, params, kStep, from, to).ok);
    std::swap(from, to);
  }
  return std::log(first / amplitude()) / (k * k * (steps - steps / 4));
}

TEST(LatticeBoltzmann, AShearWaveDecaysWithTheViscosityAskedFor) {
  const double omega = 1.8, viscosity = (1 / omega - 0.5) / 3;
  // The spec's bound for N = 64; the scheme's own error is of order k².
  EXPECT_NEAR(shear_wave_viscosity<double>(2, 64, viscosity, 2000) / viscosity, 1, 1e-3);
  EXPECT_NEAR(shear_wave_viscosity<double>(3, 64, viscosity, 400) / viscosity, 1, 2e-3);
  EXPECT_NEAR(shear_wave_viscosity<float>(2, 64, viscosity, 2000) / viscosity, 1, 2e-3);
}

// Steady flow along x between walls H cells apart, after `steps`; velocities from wall to wall.
std::vector<double> channel(double tau, int height, double force, double lid, int steps) {
  Model model = make_model(grid::Shape(2, {3, height, 1}, 1), {true, false, false});
  if (lid != 0) set_side_velocity(model, 1, true, Vec3(lid, 0, 0));
  Params params{.viscosity = (tau - 0.5) / 3, .turbulence = 0};
  params.acceleration = Vec3(force, 0, 0);
  State<double> from = make_state<double>(model), to = from;
  for (int s = 0; s < steps; ++s) {
    EXPECT_TRUE(step(model, params, kStep, from, to).ok);
    std::swap(from, to);
  }
  Buffer<double> density;
  std::array<Buffer<double>, 3> velocity;
  moments(model, params, from, density, velocity);
  std::vector<double> u;
  for (int j = 0; j < height; ++j)
    u.push_back(velocity[0][static_cast<std::size_t>(model.shape.at(1, j, 0))]);
  return u;
}

TEST(LatticeBoltzmann, CouetteFlowIsExactForAnyRelaxationTime) {
  for (const double tau : {0.6, 0.933, 1.5}) {
    const int height = 16;
    const std::vector<double> u = channel(tau, height, 0, 0.05, 40000);
    for (int j = 0; j < height; ++j)
      EXPECT_NEAR(u[static_cast<std::size_t>(j)], 0.05 * (j + 0.5) / height, 1e-12) << tau;
  }
}

double poiseuille_error(double tau) {
  const int height = 16;
  const double viscosity = (tau - 0.5) / 3, force = 1e-6;
  const std::vector<double> u = channel(tau, height, force, 0, 60000);
  double worst = 0;
  const double top = force * height * height / 8 / viscosity;
  for (int j = 0; j < height; ++j) {
    const double y = j + 0.5;
    worst = std::max(
        worst, std::abs(u[static_cast<std::size_t>(j)] - force * y * (height - y) / 2 / viscosity) / top);
  }
  return worst;
}

TEST(LatticeBoltzmann, PoiseuilleFlowIsExactAtTheMagicRelaxationTimeAndOffByTheKnownShareElsewhere) {
  EXPECT_LT(poiseuille_error(0.5 + std::sqrt(3.0) / 4), 1e-9);
  EXPECT_NEAR(poiseuille_error(0.6), 0.004, 0.0005);
  EXPECT_NEAR(poiseuille_error(1.5), 0.017, 0.0005);
}

// The largest speed in a lid-driven cavity of 64² after `steps`, or infinity once it is no longer finite.
double cavity_speed(double omega, double turbulence, Smagorinsky form, int steps) {
  Model model = make_model(grid::Shape(2, {64, 64, 1}, 1), {false, false, false});
  set_side_velocity(model, 1, true, Vec3(0.1, 0, 0));
  const Params params{.viscosity = (1 / omega - 0.5) / 3, .turbulence = turbulence, .turbulence_form = form};
  State<double> from = make_state<double>(model), to = from;
  for (int s = 0; s < steps; ++s) {
    if (!step(model, params, kStep, from, to).ok) return std::numeric_limits<double>::infinity();
    std::swap(from, to);
  }
  Buffer<double> density;
  std::array<Buffer<double>, 3> u;
  moments(model, params, from, density, u);
  double largest = 0;
  for (std::size_t i = 0; i < density.size(); ++i) largest = std::max(largest, std::hypot(u[0][i], u[1][i]));
  return largest;
}

TEST(LatticeBoltzmann, TheTurbulenceModelKeepsACavityBoundedWherePlainCollisionDiverges) {
  EXPECT_FALSE(cavity_speed(1.97, 0, Smagorinsky::printed, 3000) < 1);
  EXPECT_LE(cavity_speed(1.999, 0.1, Smagorinsky::printed, 3000), 0.1);
  EXPECT_LT(cavity_speed(1.95, 0.03, Smagorinsky::printed, 3000), 0.34);
  // Bounded, though faster than the lattice likes.
  EXPECT_LT(cavity_speed(1.95, 0.1, Smagorinsky::consistent, 3000), 1);
}

TEST(LatticeBoltzmann, MassIsConstantAndThreadsChangeNothing) {
  Model model = make_model(grid::Shape(3, {20, 18, 22}, 1), {false, true, false});
  set_side_velocity(model, 0, true, Vec3(0, 0.05, 0.02));
  for (int j = 5; j < 9; ++j)
    for (int i = 7; i < 12; ++i) model.kinds[static_cast<std::size_t>(model.shape.at(i, j, 10))] = 1;
  const Params params{.viscosity = 0.01};
  auto run = [&](int threads) {
    set_thread_count(threads);
    State<float> from = make_state<float>(model), to = from;
    for (int s = 0; s < 30; ++s) {
      EXPECT_TRUE(step(model, params, kStep, from, to).ok);
      std::swap(from, to);
    }
    set_thread_count(0);
    return from;
  };
  const State<float> one = run(1), two = run(2);
  EXPECT_TRUE(one.populations == two.populations);
  State<double> from = make_state<double>(model), to = from;
  const double before = total_mass(model, from);
  for (int s = 0; s < 30; ++s) {
    EXPECT_TRUE(step(model, params, kStep, from, to).ok);
    std::swap(from, to);
  }
  EXPECT_NEAR(total_mass(model, from) / before, 1, 1e-12);
}

TEST(LatticeBoltzmann, AChangeOfStepKeepsThePhysicalVelocity) {
  const Model model = make_model(grid::Shape(2, {8, 8, 1}, 0.1), {true, true, false});
  const Params params{.viscosity = 0, .turbulence = 0};
  State<double> from = make_state<double>(model), to = from;
  for (int j = 0; j < 8; ++j)
    for (int i = 0; i < 8; ++i) set_equilibrium(model, i, j, 0, 1, Vec3(0.3, -0.2, 0), 0.02, from);
  from.step = 0.02;
  ASSERT_TRUE(step(model, params, {0, 1, 0.01}, from, to).ok);
  Buffer<double> density;
  std::array<Buffer<double>, 3> u;
  moments(model, params, to, density, u);
  EXPECT_NEAR(u[0][static_cast<std::size_t>(model.shape.at(3, 3, 0))], 0.3, 1e-14);
  EXPECT_NEAR(u[1][static_cast<std::size_t>(model.shape.at(3, 3, 0))], -0.2, 1e-14);
}

}  // namespace
