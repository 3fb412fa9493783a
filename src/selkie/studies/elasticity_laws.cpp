// Laws at one point: derivatives, rotations, stretch curves.
#include <Eigen/SVD>
#include <cmath>

#include "selkie/core/random.h"
#include "selkie/geometry/generators.h"
#include "selkie/math/random_vector.h"
#include "selkie/math/rotation.h"
#include "selkie/solids/fem/material.h"
#include "selkie/studies/elasticity_cases.h"

namespace selkie::studies::elasticity_cases {
namespace {

using fem::Law;

constexpr fem::Lame kConstants{.mu = 3, .lambda = 7};

Mat3 random_matrix(RandomStream& random, double size) {
  Mat3 m;
  for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = random.uniform(-size, size);
  return m;
}

// Turned, stretched and sheared; every third one inverted.
Mat3 deformation(int n) {
  RandomStream random(31, static_cast<std::uint64_t>(n));
  Mat3 f = Mat3::Identity() + random_matrix(random, 0.4);
  if (n % 3 == 2) f.col(0) *= -0.8;
  return rotation_from_vector(random_vector(random, -2, 2)) * f;
}

struct Errors {
  double gradient = 0, hessian = 0, objectivity = 0;
};

// How far F is from where its rotation is undefined: the least sum of two signed stretches, at most 1. The
// corotational stress has a derivative of order n of about this to the power −n.
double room(const Mat3& f) {
  const Eigen::JacobiSVD<Mat3> svd(f);
  const double least = (f.determinant() < 0 ? -1 : 1) * svd.singularValues()[2];
  return std::min(1.0, svd.singularValues()[1] + least);
}

// d/ds of f(s) at 0 by differences of the fourth order over h.
template <class Function>
auto difference(double h, Function&& f) -> decltype(f(h)) {
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

Errors errors_of(Law law) {
  Errors worst;
  for (int n = 0; n < 100; ++n) {
    const Mat3 f = deformation(n);
    RandomStream random(7, static_cast<std::uint64_t>(n));
    const Mat3 d = random_matrix(random, 1);
    const Mat3 p = fem::stress<3>(law, kConstants, f);
    const double h = 1e-3 * room(f);
    const double slope =
        difference(h, [&](double s) { return fem::energy_density<3>(law, kConstants, f + s * d); });
    worst.gradient = std::max(worst.gradient, std::abs(slope - p.cwiseProduct(d).sum()) / (1 + p.norm()));
    const Mat3 dp = fem::apply<3>(fem::tangent<3>(law, kConstants, f, fem::TangentKind::exact), d);
    const Mat3 change =
        difference(h, [&](double s) -> Mat3 { return fem::stress<3>(law, kConstants, f + s * d); });
    worst.hessian = std::max(worst.hessian, (change - dp).norm() / (1 + dp.norm()));
    const Mat3 q = rotation_from_vector(Vec3(1.2, -0.4, 2.1));
    worst.objectivity =
        std::max(worst.objectivity, (fem::stress<3>(law, kConstants, q * f) - q * p).norm() / (1 + p.norm()));
  }
  return worst;
}

// Stretches s along and t across a bar under the nominal tension T: P11(s, t) = T and P22(s, t) = 0.
std::array<double, 2> stretches_under(Law law, const fem::Lame& constants, double tension) {
  Vec2 st(1, 1);
  for (int n = 0; n < 50; ++n) {
    auto residual = [&](const Vec2& x) {
      const Mat3 p = fem::stress<3>(law, constants, Vec3(x[0], x[1], x[1]).asDiagonal().toDenseMatrix());
      return Vec2(p(0, 0) - tension, p(1, 1));
    };
    const Vec2 r = residual(st);
    Mat2 slope;
    for (int c = 0; c < 2; ++c)
      slope.col(c) = (residual(st + 1e-6 * Vec2::Unit(c)) - residual(st - 1e-6 * Vec2::Unit(c))) / 2e-6;
    const double det = slope(0, 0) * slope(1, 1) - slope(0, 1) * slope(1, 0);
    st -= Vec2(slope(1, 1) * r[0] - slope(0, 1) * r[1], slope(0, 0) * r[1] - slope(1, 0) * r[0]) / det;
  }
  return {st[0], st[1]};
}

// The closed form where there is one: Hooke, or E s(s² − 1)/2 = T.
double expected_stretch(Law law, const fem::Lame& constants, double young, double tension) {
  if (law == Law::linear || law == Law::corotational) return 1 + tension / young;
  if (law == Law::neo_hookean) return stretches_under(law, constants, tension)[0];
  double s = 1;
  for (int n = 0; n < 60; ++n) s -= (young * s * (s * s - 1) / 2 - tension) / (young * (3 * s * s - 1) / 2);
  return s;
}

// A cube of tetrahedra pulled at both ends by dead loads until it rests.
double measured_stretch(Law law, double young, double poisson, double tension) {
  const fem::Model model = box(Vec3(1, 1, 1), {2, 2, 2});
  fem::Params params = exact_params(law, young, poisson);
  params.mass_damping = 20;
  std::vector<std::uint8_t> low(model.vertex_count), high(model.vertex_count);
  for (std::uint32_t i = 0; i < model.vertex_count; ++i) {
    low[i] = model.rest_positions[i].x() < 0.01;
    high[i] = model.rest_positions[i].x() > 0.99;
  }
  std::vector<Vec3> forces(model.vertex_count, Vec3::Zero());
  fem::add_traction(model, low, Vec3(-tension, 0, 0), forces);
  fem::add_traction(model, high, Vec3(tension, 0, 0), forces);
  fem::State state = fem::make_state(model), to = state;
  fem::Work work;
  fem::Inputs inputs;
  inputs.gravity = Vec3::Zero();
  inputs.forces = forces;
  for (int n = 0; n < 60; ++n) {
    if (!fem::step(model, params, inputs, {n, n + 1, 0.2}, state, to, work).ok) return std::nan("");
    state = to;
  }
  return state.positions[2].x() - state.positions[0].x();
}

}  // namespace

Table derivative_table() {
  Table table{"Derivatives of the laws by central differences, and objectivity, over 100 deformations",
              {"law", "|P − ∂Ψ/∂F|", "|∂P/∂F − differences|", "|P(QF) − Q P(F)|"},
              {},
              "A third of the deformations is inverted. Relative to 1 + size; differences of fourth order "
              "over 1e-3 of "
              "the least sum of two stretches, where the rotation of the corotational law turns fast. Pass "
              "below 1e-9, "
              "1e-8 and 1e-11; the linear law is not objective."};
  for (const Law law : fem::kAllLaws) {
    const Errors e = errors_of(law);
    const bool objective = law == Law::linear ? e.objectivity > 0.1 : e.objectivity < 1e-11;
    table.rows.push_back(
        {{std::string(name_of(law)), number(e.gradient), number(e.hessian), number(e.objectivity)},
         e.gradient < 1e-9 && e.hessian < 1e-8 && objective});
  }
  return table;
}

Table rotation_table() {
  Table table{
      "Rotations of sheared elements and the torque of their forces (RT-25, RT-26)",
      {"rotation", "distance from R of R·diag(1,2,3)", "largest torque / stress"},
      {},
      "Forces of the nearest rotation exert no torque; those of Gram and Schmidt's do, so that bodies start "
      "to spin. Pass: polar below 1e-12, Gram–Schmidt's torque above 0.01."};
  auto row = [&](const char* name, bool polar) {
    auto rotation = [&](const Mat3& f) { return polar ? fem::rotation_of<3>(f) : gram_schmidt(f); };
    double distance = 0, torque = 0;
    for (int n = 0; n < 50; ++n) {
      const Mat3 turn = rotation_from_vector(Vec3(0.1 * n, 1 - 0.05 * n, 0.3));
      distance =
          std::max(distance, (rotation(turn * Vec3(1, 2, 3).asDiagonal().toDenseMatrix()) - turn).norm());
      const Mat3 f = deformation(3 * n);
      const Mat3 p = fem::rotated_stress<3>(kConstants, rotation(f), f);
      torque = std::max(torque, Mat3(p * f.transpose() - f * p.transpose()).norm() / p.norm());
    }
    table.rows.push_back({{name, number(distance), number(torque)},
                          distance < 1e-12 && (polar ? torque < 1e-12 : torque > 0.01)});
  };
  row("polar", true);
  row("Gram–Schmidt", false);
  return table;
}

Table stretch_table() {
  constexpr double kYoung = 1e5, kPoisson = 0.3;
  Table table{"Stretch of a cube pulled at both ends, ν = 0.3",
              {"law", "tension / E", "stretch", "theory", "relative error"},
              {},
              "48 tetrahedra under dead loads against the law's own curve with free sides. Pass below 1e-6."};
  const fem::Lame constants = fem::lame(kYoung, kPoisson);
  for (const Law law : fem::kAllLaws)
    for (const double tension : {0.1, 0.3, 1.0}) {
      const double theory = expected_stretch(law, constants, kYoung, tension * kYoung);
      const double stretch = measured_stretch(law, kYoung, kPoisson, tension * kYoung);
      const double error = std::abs(stretch / theory - 1);
      table.rows.push_back({{std::string(name_of(law)), number(tension), number(stretch, 7),
                             number(theory, 7), number(error, 2)},
                            error < 1e-6});
    }
  return table;
}

}  // namespace selkie::studies::elasticity_cases
