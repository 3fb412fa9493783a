// Elements of whole bodies: stiffness, null modes, patch test, vibration, volume under rotation.
#include <Eigen/Eigenvalues>
#include <cmath>

#include "selkie/core/random.h"
#include "selkie/geometry/generators.h"
#include "selkie/math/random_vector.h"
#include "selkie/solids/fem/diagnostics.h"
#include "selkie/solids/fem/elements.h"
#include "selkie/studies/elasticity_cases.h"

namespace selkie::studies::elasticity_cases {
namespace {

using fem::Law;

Eigen::MatrixXd stiffness(const fem::Model& model, const fem::Params& params) {
  fem::Work work;
  fem::find_tangents(model, params, fem::make_state(model).positions, fem::TangentKind::exact, work.tangent);
  linalg::BlockSparseSymmetric<3> matrix(model.pattern);
  fem::assemble(model, work.tangent, 0, 1, matrix, work);
  return matrix.dense();
}

// A cube whose inner vertices are moved about.
fem::Model jittered_box() {
  geometry::TetMesh mesh = geometry::tet_box({Vec3::Zero(), Vec3(1, 1, 1), {4, 4, 4}});
  RandomStream random(2, 2);
  for (Vec3& x : mesh.positions)
    if (x.minCoeff() > 0.01 && x.maxCoeff() < 0.99) x += random_vector(random, -0.04, 0.04);
  return fem::from_tets(mesh, 1000);
}

bool on_the_boundary(const Vec3& x) { return x.minCoeff() < 1e-9 || x.maxCoeff() > 1 - 1e-9; }

// A cube in its tenth mode, and the mode's frequency.
struct Vibration {
  fem::Model model = box(Vec3(1, 1, 1), {1, 1, 1});
  fem::State state = fem::make_state(model);
  double omega = 0;

  explicit Vibration(const fem::Params& params) {
    const Eigen::MatrixXd k = stiffness(model, params);
    Eigen::VectorXd roots(k.rows());
    for (Eigen::Index n = 0; n < roots.size(); ++n)
      roots[n] = std::sqrt(model.inverse_masses[static_cast<std::size_t>(n / 3)]);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(roots.asDiagonal() * k * roots.asDiagonal());
    omega = std::sqrt(eigen.eigenvalues()[9]);
    const Eigen::VectorXd shape = roots.cwiseProduct(eigen.eigenvectors().col(9));
    for (std::size_t i = 0; i < model.vertex_count; ++i)
      state.positions[i] += 0.01 * shape.segment<3>(static_cast<Eigen::Index>(3 * i));
  }
};

// Energy after `steps` steps over that before, NaN if a step failed.
double energy_ratio(Vibration& body, const fem::Params& params, double h, int steps) {
  auto energy = [&] { return fem::diagnose(body.model, params, Vec3::Zero(), body.state).total_energy(); };
  const double before = energy();
  fem::State to = body.state;
  fem::Work work;
  fem::Inputs inputs;
  inputs.gravity = Vec3::Zero();
  for (int n = 0; n < steps; ++n) {
    if (!fem::step(body.model, params, inputs, {n, n + 1, h}, body.state, to, work).ok) return std::nan("");
    body.state = to;
  }
  return energy() / before;
}

// Σ det F V over the volume at rest of a plate whose lower edge is held at the given places.
double area_ratio(Law law, double angle) {
  const fem::Model model = rectangle(1, 1, 4, 4);
  const fem::Params params = exact_params(law, 1e5, 0.3);
  fem::State state = fem::make_state(model);
  fem::pin(state, 0);
  fem::pin(state, 4);
  // Without stress, a line turned by α grows by 1/cos α under the linear law.
  const double length = law == Law::linear ? 1 / std::cos(angle) : 1;
  for (Vec3& x : state.positions)
    x = Vec3(std::cos(angle) * x.x() - std::sin(angle) * x.y(),
             std::sin(angle) * x.x() + std::cos(angle) * x.y(), 0);
  auto held = [&](std::uint32_t i, double) -> Vec3 {
    return i == 0 ? Vec3::Zero() : Vec3(length * std::cos(angle), length * std::sin(angle), 0);
  };
  const std::vector<Vec3> none(model.vertex_count, Vec3::Zero());
  if (!find_rest(model, params, none, state, held)) return std::nan("");
  return fem::deformed_volume(model, state.positions) / model.volume;
}

}  // namespace

Table unit_tet_table() {
  Table table{"Eigenvalues of the unit right tetrahedron's stiffness, λ = μ = 1 (LE-25)",
              {"number", "eigenvalue", "source"},
              {},
              "Pass within 5e-7, the digits given."};
  const fem::Model model =
      fem::from_tets({{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}, {{0, 1, 2, 3}}}, 1000);
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(stiffness(model, exact_params(Law::linear, 2.5, 0.25)))
          .eigenvalues();
  const std::array<double, 12> source{0,       0,       0,        0,       0,       0,
                                      1.0 / 3, 1.0 / 3, 0.516837, 5.0 / 6, 5.0 / 6, 2.149830};
  table.rows.push_back({{"1 … 6", number(values.head<6>().cwiseAbs().maxCoeff(), 2), "0"},
                        values.head<6>().cwiseAbs().maxCoeff() < 1e-14});
  for (int n = 6; n < 12; ++n)
    table.rows.push_back(
        {{std::to_string(n + 1), number(values[n], 7), number(source[static_cast<std::size_t>(n)], 7)},
         std::abs(values[n] - source[static_cast<std::size_t>(n)]) < 5e-7});
  return table;
}

Table null_mode_table() {
  Table table{"Motions without force: eigenvalues of the stiffness below 1e-11 of the largest",
              {"body", "law", "found", "rigid motions", "next eigenvalue / largest"},
              {},
              "Bodies of triangles may also move across their plane, which is not counted."};
  auto row = [&](const char* name, const fem::Model& model, Law law, Eigen::Index rigid) {
    const Eigen::VectorXd values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(stiffness(model, exact_params(law, 1, 0.3)))
            .eigenvalues();
    const Eigen::Index across = model.dimension == 2 ? model.vertex_count : 0;
    const Eigen::Index found = (values.array().abs() < 1e-11 * values.maxCoeff()).count() - across;
    table.rows.push_back({{name, std::string(name_of(law)), std::to_string(found), std::to_string(rigid),
                           number(values[rigid + across] / values.maxCoeff(), 3)},
                          found == rigid});
  };
  for (const Law law : fem::kAllLaws) row("tetrahedra", jittered_box(), law, 6);
  for (const Law law : fem::kAllLaws) row("triangles", rectangle(2, 1, 6, 3), law, 3);
  return table;
}

Table patch_table() {
  Table table{"Patch test: an affine map imposed on the boundary of an irregular mesh",
              {"law", "largest error inside", "spread of P / E"},
              {},
              "384 tetrahedra of unequal shape in a unit cube; the map stretches by 1.2, 0.9 and 1.1 and "
              "shears by 0.3. "
              "Pass below 1e-13: round-off."};
  Mat3 map;
  map << 1.2, 0.3, 0, -0.1, 0.9, 0.2, 0.05, 0, 1.1;
  const fem::Model model = jittered_box();
  for (const Law law : fem::kAllLaws) {
    fem::Params params = exact_params(law, 1e5, 0.3);
    params.newton_tolerance = 1e-12;
    params.tolerance = 1e-14;
    fem::State state = fem::make_state(model);
    pin_where(model, state, on_the_boundary);
    auto held = [&](std::uint32_t i, double) -> Vec3 { return map * model.rest_positions[i]; };
    const std::vector<Vec3> none(model.vertex_count, Vec3::Zero());
    // The second time from where the first one ended, so that what is left is round-off.
    const bool found =
        find_rest(model, params, none, state, held) && find_rest(model, params, none, state, held);
    double error = 0, spread = 0;
    for (std::size_t i = 0; i < model.vertex_count; ++i)
      error = std::max(error, (state.positions[i] - map * model.rest_positions[i]).norm());
    const fem::Lame constants = fem::lame(1e5, 0.3);
    const Mat3 uniform = fem::stress<3>(law, constants, map);
    for (std::size_t e = 0; e < model.element_count; ++e) {
      const Mat3 f = fem::deformation_gradient<3>(model, state.positions, e);
      spread = std::max(spread, (fem::stress<3>(law, constants, f) - uniform).norm() / 1e5);
    }
    table.rows.push_back({{std::string(name_of(law)), number(error, 2), number(spread, 2)},
                          found && error < 1e-13 && spread < 1e-12});
  }
  return table;
}

Table vibration_table() {
  Table table{"One mode of a cube (LE-26, LE-27): energy after 10 steps, and damping",
              {"what", "ωΔt", "measured", "theory"},
              {},
              "Backward Euler multiplies amplitudes by 1/√(1+ω²Δt²) a step, average acceleration keeps them; "
              "Rayleigh's "
              "ratio is τ_M/(2ω) + τ_K ω/2. Pass within 1e-8, and 1e-3 of the ratio at ωΔt = 0.06."};
  fem::Params params = exact_params(Law::linear, 1e5, 0.3);
  params.newton_tolerance = 1e-12;
  params.tolerance = 1e-13;
  auto row = [&](const char* name, fem::Integrator integrator, double turn, double theory) {
    params.integrator = integrator;
    Vibration body(params);
    const double ratio = energy_ratio(body, params, turn / body.omega, 10);
    table.rows.push_back(
        {{name, number(turn), number(ratio, 9), number(theory, 9)}, std::abs(ratio - theory) < 1e-8});
  };
  for (const double turn : {0.3, 1.0})
    row("backward Euler, energy", fem::Integrator::backward_euler, turn, std::pow(1 + turn * turn, -10));
  row("average acceleration, energy", fem::Integrator::newmark, 1.0, 1);

  params.integrator = fem::Integrator::newmark;
  Vibration body(params);
  params.mass_damping = 0.02 * body.omega;
  params.stiffness_damping = 0.03 / body.omega;
  const double expected = 0.02 / 2 + 0.03 / 2;
  constexpr int kSteps = 200;  // two whole periods
  const double h = 4 * M_PI / (body.omega * std::sqrt(1 - expected * expected)) / kSteps;
  const double ratio = -0.5 * std::log(energy_ratio(body, params, h, kSteps)) / (body.omega * h * kSteps);
  table.rows.push_back({{"damping ratio", number(body.omega * h, 2), number(ratio, 6), number(expected, 6)},
                        std::abs(ratio / expected - 1) < 1e-3});
  return table;
}

Table volume_table() {
  Table table{
      "Area of a plate turned without stress (RT-25, LE-32)",
      {"angle", "linear", "1/cos²", "corotational"},
      {},
      "Two corners are held at their turned places. Pass within 1e-7; the corotational one must stay 1."};
  for (const double degrees : {15.0, 30.0, 45.0, 60.0}) {
    const double angle = degrees * M_PI / 180, theory = 1 / (std::cos(angle) * std::cos(angle));
    const double linear = area_ratio(Law::linear, angle), turned = area_ratio(Law::corotational, angle);
    table.rows.push_back({{number(degrees), number(linear, 7), number(theory, 7), number(turned, 9)},
                          std::abs(linear / theory - 1) < 1e-7 && std::abs(turned - 1) < 1e-7});
  }
  return table;
}

}  // namespace selkie::studies::elasticity_cases
