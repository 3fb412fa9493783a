// Gradients and Hessians of everything that forces or projections come from, by central differences:
// constraints of position-based bodies, springs and altitude springs. The laws of finite
// elements have their own table.
#include <algorithm>
#include <cmath>
#include <functional>

#include "selkie/core/random.h"
#include "selkie/geometry/generators.h"
#include "selkie/math/random_vector.h"
#include "selkie/solids/mass_spring/altitude_springs.h"
#include "selkie/solids/mass_spring/diagnostics.h"
#include "selkie/solids/mass_spring/forces.h"
#include "selkie/solids/pbd/constraints.h"
#include "selkie/solids/pbd/project.h"
#include "selkie/solids/pbd/step.h"
#include "selkie/studies/elasticity_cases.h"

namespace selkie::studies::elasticity_cases {
namespace {

namespace ms = mass_spring;

// Differences of the fourth order: their error of 1e-13 at this step leaves that of rounding, some 1e-13 of
// the value over the step.
constexpr double kStep = 1e-3;
double difference(const std::function<double(double)>& f) {
  return (8 * (f(kStep) - f(-kStep)) - (f(2 * kStep) - f(-2 * kStep))) / (12 * kStep);
}

using Four = std::array<Vec3, 4>;
using Constraint = std::function<double(const Four& corners, Four& gradients)>;

Four random_hinge(std::uint64_t seed) {
  RandomStream random(seed, 3);
  auto near = [&](double x, double y, double z) {
    return Vec3(Vec3(x, y, z) + random_vector(random, -0.2, 0.2));
  };
  return {near(0, 0, 0), near(1, 0, 0), near(0.5, 0.4, 1), near(0.5, 0.1, -1)};
}

double gradient_error(const Constraint& constraint) {
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Four p = random_hinge(seed);
    Four g;
    constraint(p, g);
    for (std::size_t i = 0; i < 4; ++i)
      for (int c = 0; c < 3; ++c) {
        const double slope = difference([&](double way) {
          Four moved = p, unused;
          moved[i][c] += way;
          return constraint(moved, unused);
        });
        worst = std::max(worst, std::abs(g[i][c] - slope) / (1 + g[i].norm()));
      }
  }
  return worst;
}

// A constraint over registers as one over Eigen's vectors.
template <class Evaluate>
Constraint of_corners(Evaluate evaluate) {
  return [evaluate](const Four& p, Four& g) {
    const pbd::Corners<double, 4> corners{pbd::vector3(p[0]), pbd::vector3(p[1]), pbd::vector3(p[2]),
                                          pbd::vector3(p[3])};
    pbd::Corners<double, 4> gradients{};
    const double value = evaluate(corners, gradients);
    for (std::size_t i = 0; i < 4; ++i) g[i] = pbd::eigen(gradients[i]);
    return value;
  };
}

double distance(const Four& p, Four& g) {
  pbd::Corners<double, 2> two;
  const double value = pbd::distance_constraint<double>({pbd::vector3(p[0]), pbd::vector3(p[1])}, 0.3, two);
  g = {pbd::eigen(two[0]), pbd::eigen(two[1]), Vec3::Zero(), Vec3::Zero()};
  return value;
}

// The volume inside a dented ball: what project_closed() moves along, against the volume itself.
double closed_volume_error() {
  const geometry::TriangleMesh mesh = geometry::icosphere({.radius = 1, .divisions = 2});
  const pbd::Model model = pbd::from_triangles(mesh, 1, {pbd::Bending::none, true});
  std::vector<Vec3> x = mesh.positions;
  RandomStream random(4, 4);
  for (Vec3& p : x) p += 0.1 * random_vector(random, -1, 1) + Vec3(3, 2, 1);
  pbd::State state = pbd::make_state(model);
  state.positions.copy_from(x.data(), x.size());
  pbd::Work work;
  pbd::predict(model, {}, {.gravity = Vec3::Zero()}, {0, 1, 1.0}, state, work);
  pbd::project_closed(model, {}, {}, work);  // leaves the gradients where it started in work.gradients
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (int c = 0; c < 3; ++c) {
      const double slope = difference([&](double way) {
        std::vector<Vec3> moved = x;
        moved[i][c] += way;
        return pbd::enclosed_volume(model, moved);
      });
      worst = std::max(worst, std::abs(work.gradients[i][c] - slope));
    }
  return worst;
}

// A small body of springs, and positions at which some springs are stretched, some compressed and some
// tetrahedra turned inside out.
struct Springs {
  geometry::TetMesh mesh = geometry::tet_box({Vec3::Zero(), Vec3(1, 1, 1), {2, 1, 1}});
  ms::Model model = ms::from_tets(mesh, 1000, {.altitude_factor = 0.5});
  ms::Params params;
  Buffer<Vec3> x, still;
  ms::Work work;

  Springs() {
    params.stiffness = 100;
    params.tension_knee = 0.05;
    params.tension_slope = 3;
    params.compression_factor = 0.5;
    x.copy_from(mesh.positions.data(), mesh.positions.size());
    still.assign(x.size(), Vec3::Zero());
    RandomStream random(6, 6);
    for (Vec3& p : x) p += 0.3 * random_vector(random, -1, 1);
  }
};

struct EnergyErrors {
  double force = 0, tangent = 0;
};

// `energy(x)` against `force(x)`, and the force against the matrix that add(work) fills with K.
EnergyErrors energy_errors(Springs& s, const std::function<double(const Buffer<Vec3>&)>& energy,
                           const std::function<void(const Buffer<Vec3>&, Buffer<Vec4>&)>& force,
                           const std::function<void()>& add_stiffness) {
  Buffer<Vec4> f;
  auto force_at = [&](const Buffer<Vec3>& x) {
    f.assign(x.size(), Vec4::Zero());
    force(x, f);
  };
  s.work.system = std::make_unique<ms::LinearSystem>(s.model.pattern);
  add_stiffness();
  const Eigen::MatrixXd k = s.work.system->matrix.dense();
  force_at(s.x);
  const std::vector<Vec4> at_rest(f.begin(), f.end());
  double size = 1;
  for (const Vec4& one : at_rest) size = std::max(size, one.norm());
  EnergyErrors worst;
  for (std::size_t i = 0; i < s.x.size(); ++i)
    for (int c = 0; c < 3; ++c) {
      auto moved = [&](double way) {
        Buffer<Vec3> x = s.x;
        x[i][c] += way;
        return x;
      };
      const double slope = difference([&](double way) { return energy(moved(way)); });
      worst.force = std::max(worst.force, std::abs(at_rest[i][c] + slope) / size);
      for (std::size_t j = 0; j < s.x.size(); ++j)
        for (int d = 0; d < 3; ++d) {
          const double bend = difference([&](double way) {
            force_at(moved(way));
            return f[j][d];
          });
          const double entry = k(static_cast<Eigen::Index>(3 * j) + d, static_cast<Eigen::Index>(3 * i) + c);
          worst.tangent = std::max(worst.tangent, std::abs(entry + bend) / k.cwiseAbs().maxCoeff());
        }
    }
  return worst;
}

constexpr ms::TangentWeights kStiffnessAlone{.stiffness = 1, .damping = 0, .geometric = ms::Geometric::exact};

EnergyErrors spring_errors() {
  Springs s;
  s.model = ms::from_tets(s.mesh, 1000);
  s.params.inversion_guard = 0;
  auto energy = [&](const Buffer<Vec3>& x) {
    const ms::State state = ms::make_state(s.model, x.span());
    return ms::diagnose(s.model, s.params, Vec3::Zero(), state).elastic_energy;
  };
  auto force = [&](const Buffer<Vec3>& x, Buffer<Vec4>& f) {
    ms::accumulate_forces(s.model, s.params, x, s.still, f, s.work, ms::ForceTerms::elastic_only);
  };
  return energy_errors(s, energy, force, [&] {
    ms::assemble_tangent(s.model, s.params, s.x, kStiffnessAlone, s.work);
    for (std::size_t i = 0; i < s.x.size(); ++i)
      s.work.system->matrix.add_diagonal(i, -s.model.masses[i] * Mat3::Identity());
  });
}

EnergyErrors altitude_errors() {
  Springs s;
  ms::choose_altitudes(s.model, s.params, s.x, s.work);
  auto energy = [&](const Buffer<Vec3>& x) {
    return ms::altitude_step_energy(s.model, x, s.still, 1, s.work);
  };
  auto force = [&](const Buffer<Vec3>& x, Buffer<Vec4>& f) {
    ms::add_altitude_forces(s.model, x, s.still, f, s.work, ms::ForceTerms::elastic_only);
  };
  return energy_errors(s, energy, force, [&] {
    s.work.system->matrix.set_zero();
    ms::add_altitude_tangent(s.model, kStiffnessAlone, s.work);
  });
}

}  // namespace

Table constraint_derivative_table() {
  Table table{
      "Derivatives of constraints and of spring energies by central differences",
      {"what", "gradient", "Hessian", "limit"},
      {},
      "Relative to 1 + size, over 20 poses or all vertices of a small body; differences of fourth order over "
      "1e-3. Limits: their rounding, some 1e-13, times the number of terms. Constraints need no Hessian."};
  auto row = [&](const std::string& what, double gradient, double limit) {
    table.rows.push_back({{what, number(gradient, 2), "", number(limit, 1)}, gradient <= limit});
  };
  const auto factors =
      pbd::isometric_factors({Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0.4, 0, 1), Vec3(0.6, 0, -1)});
  constexpr double kLimit = 1e-9;
  row("distance (RT-30)", gradient_error(distance), kLimit);
  row("dihedral angle by its cosine (RT-31)", gradient_error(of_corners([](const auto& p, auto& g) {
        double sine = 0;
        const double value = pbd::dihedral_constraint(p, 2.0, g, sine);
        for (auto& q : g) q = 1 / sine * q;
        return value;
      })),
      kLimit);
  row("dihedral angle with its sign", gradient_error(of_corners([](const auto& p, auto& g) {
        return pbd::signed_dihedral_constraint(p, 0.2, g);
      })),
      kLimit);
  row("isometric bending", gradient_error(of_corners([&](const auto& p, auto& g) {
        return pbd::isometric_constraint(p, factors, 0.1, g);
      })),
      kLimit);
  row("volume of a tetrahedron (RT-33)",
      gradient_error(of_corners([](const auto& p, auto& g) { return pbd::volume_constraint(p, 0.1, g); })),
      kLimit);
  row("volume and pressure of a closed surface", closed_volume_error(), kLimit);
  for (const double side : {1.0, -1.0})
    row(side > 0 ? "vertex above a triangle (RT-32)" : "vertex below a triangle",
        gradient_error([&](const Four& p, Four& g) { return pbd::triangle_constraint(p, side, 0.05, g); }),
        kLimit);

  auto energy_row = [&](const std::string& what, const EnergyErrors& e) {
    table.rows.push_back({{what, number(e.force, 2), number(e.tangent, 2), number(kLimit, 1)},
                          e.force <= kLimit && e.tangent <= kLimit});
  };
  energy_row("springs, biphasic (RT-03, HY-26)", spring_errors());
  energy_row("altitude springs, as chosen for a step (HY-28)", altitude_errors());
  return table;
}

}  // namespace selkie::studies::elasticity_cases
