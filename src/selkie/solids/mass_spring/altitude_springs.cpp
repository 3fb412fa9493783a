// See altitude_springs.h.
#include "selkie/solids/mass_spring/altitude_springs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/math/rotation.h"

namespace selkie::mass_spring {
namespace {

// Corners in the order that gives 6V = (b − a) × (c − a)·(d − a) its sign: for the first four the face abc
// and its vertex d, for the others the edges ab and cd.
constexpr std::array<std::array<std::size_t, 4>, kAltitudes> kCorners{
    {{1, 3, 2, 0}, {0, 2, 3, 1}, {0, 3, 1, 2}, {0, 1, 2, 3}, {0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}}};
constexpr std::size_t kFaces = 4;

// Square of the sine between two edges below which they count as parallel.
constexpr double kParallel = 1e-20;

struct Sides {
  Vec3 u, v, normal;  // normal = u × v, so that 6V = normal·(one end − the other)
};

Sides sides_of(const std::array<Vec3, 4>& x, std::size_t which) {
  const auto& [a, b, c, d] = kCorners[which];
  const Vec3 u = x[b] - x[a], v = which < kFaces ? Vec3(x[c] - x[a]) : Vec3(x[c] - x[d]);
  return {u, v, u.cross(v)};
}

// Where the foot of d lies in the face abc, or the shortest connection of the lines ab and cd.
std::array<double, 4> weights_of(const std::array<Vec3, 4>& x, std::size_t which, const Sides& sides) {
  const auto& [a, b, c, d] = kCorners[which];
  const Vec3 r = (which < kFaces ? x[d] : x[c]) - x[a];
  const double square = sides.normal.squaredNorm();
  // r = s u + t v + l n.
  const double s = r.cross(sides.v).dot(sides.normal) / square;
  const double t = sides.u.cross(r).dot(sides.normal) / square;
  std::array<double, 4> w{};
  if (which < kFaces) {
    w[a] = s + t - 1, w[b] = -s, w[c] = -t, w[d] = 1;
  } else {  // r − t v = (1 − t) c + t d − a
    w[a] = s - 1, w[b] = -s, w[c] = 1 - t, w[d] = t;
  }
  return w;
}

// Four points on a line: the outer two belong to different edges, which overlap between the inner two.
Altitude altitude_of_line(const std::array<Vec3, 4>& x, const Vec3& along) {
  std::array<std::size_t, 4> order{0, 1, 2, 3};
  std::array<double, 4> at{};
  for (std::size_t k = 0; k < 4; ++k) at[k] = along.dot(x[k] - x[0]);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return at[i] < at[j]; });
  Altitude altitude;
  const double middle = 0.5 * (at[order[1]] + at[order[2]]);
  auto share = [&](std::size_t i, std::size_t j) {
    return at[j] > at[i] ? std::clamp((middle - at[i]) / (at[j] - at[i]), 0.0, 1.0) : 0.5;
  };
  const double s = share(order[0], order[2]), t = share(order[1], order[3]);
  for (std::size_t which = kFaces; which < kAltitudes; ++which) {
    const auto& [a, b, c, d] = kCorners[which];
    const bool first = (order[0] == a && order[2] == b) || (order[0] == b && order[2] == a);
    const bool second = (order[0] == c && order[2] == d) || (order[0] == d && order[2] == c);
    if (!first && !second) continue;
    altitude.which = static_cast<int>(which);
    const double sign = first ? -1 : 1;  // edge ab is where the altitude begins
    altitude.weights[order[0]] = sign * (1 - s), altitude.weights[order[2]] = sign * s;
    altitude.weights[order[1]] = -sign * (1 - t), altitude.weights[order[3]] = -sign * t;
  }
  altitude.direction = any_perpendicular(along);
  return altitude;
}

const Vec3& longest_edge(const std::array<Vec3, 4>& x, Vec3& edge) {
  edge.setZero();
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = i + 1; j < 4; ++j)
      if ((x[j] - x[i]).squaredNorm() > edge.squaredNorm()) edge = x[j] - x[i];
  return edge;
}

std::array<Vec3, 4> corners_of(const geometry::Tet& tet, const Buffer<Vec3>& x) {
  return {x[tet[0]], x[tet[1]], x[tet[2]], x[tet[3]]};
}

double along(const ChosenAltitude& spring, const geometry::Tet& tet, const Buffer<Vec3>& values) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 0; k < 4; ++k) sum += spring.weights[k] * values[tet[k]];
  return spring.direction.dot(sum);
}

// The spring that stands in tetrahedron t while its corners are at x.
ChosenAltitude choose(const Model& model, const Params& params, std::size_t t, const Buffer<Vec3>& x) {
  const AltitudeSprings& springs = model.altitudes;
  const geometry::Tet& tet = springs.tets[t];
  const Altitude altitude = shortest_altitude(corners_of(tet, x));
  ChosenAltitude chosen;
  if (altitude.which < 0) return chosen;
  chosen.direction = altitude.direction;
  chosen.weights = altitude.weights;
  chosen.rest_length = springs.rest_lengths[t][static_cast<std::size_t>(altitude.which)];
  chosen.stiffness = params.stiffness * springs.relative_stiffness[t];
  double mobility = 0;  // 1/kg, of the altitude's length
  for (std::size_t k = 0; k < 4; ++k)
    mobility += chosen.weights[k] * chosen.weights[k] * model.inverse_masses[tet[k]];
  chosen.damping = params.damping_kind == DampingKind::fraction
                       ? 2 * params.damping * std::sqrt(chosen.stiffness / mobility)
                       : params.damping * springs.factor;
  return chosen;
}

}  // namespace

double altitude_length(const std::array<Vec3, 4>& x, std::size_t which) {
  const Sides sides = sides_of(x, which);
  const double area = sides.normal.norm();
  if (!(area * area > kParallel * sides.u.squaredNorm() * sides.v.squaredNorm())) return 0;
  const auto& [a, b, c, d] = kCorners[which];
  return sides.normal.dot((which < kFaces ? x[d] : x[c]) - x[a]) / area;
}

Altitude shortest_altitude(const std::array<Vec3, 4>& x) {
  std::size_t widest = 0;
  double area = -1;
  for (std::size_t k = 0; k < kAltitudes; ++k)
    if (const double square = sides_of(x, k).normal.squaredNorm(); square > area) area = square, widest = k;
  Vec3 edge;
  const double size = longest_edge(x, edge).squaredNorm();
  if (!(size > 0)) return {};
  if (!(area > kParallel * size * size)) return altitude_of_line(x, edge / std::sqrt(size));
  const Sides sides = sides_of(x, widest);
  const auto& [a, b, c, d] = kCorners[widest];
  Altitude altitude;
  altitude.which = static_cast<int>(widest);
  altitude.direction = sides.normal / std::sqrt(area);
  altitude.length = altitude.direction.dot((widest < kFaces ? x[d] : x[c]) - x[a]);
  altitude.weights = weights_of(x, widest, sides);
  return altitude;
}

std::vector<geometry::Tet> bending_tets(std::span<const geometry::Triangle> triangles) {
  std::vector<geometry::Tet> tets;
  for (const geometry::EdgePair& pair : geometry::edge_pairs(triangles))
    if (pair.opposite[0] != pair.opposite[1])
      tets.push_back({pair.edge[0], pair.edge[1], pair.opposite[0], pair.opposite[1]});
  return tets;
}

AltitudeSprings make_altitude_springs(std::span<const Vec3> rest_positions,
                                      std::span<const geometry::Tet> tets, double factor,
                                      const BuildOptions& options) {
  AltitudeSprings springs;
  if (!(factor > 0) || tets.empty()) return springs;
  springs.factor = factor;
  springs.tets.assign(tets.begin(), tets.end());
  std::stable_sort(springs.tets.begin(), springs.tets.end(),
                   [](const geometry::Tet& a, const geometry::Tet& b) {
                     return *std::min_element(a.begin(), a.end()) < *std::min_element(b.begin(), b.end());
                   });
  for (const geometry::Tet& tet : springs.tets) {
    std::array<Vec3, 4> x;
    for (std::size_t k = 0; k < 4; ++k) x[k] = rest_positions[tet[k]];
    std::array<double, kAltitudes> lengths{};
    for (std::size_t k = 0; k < kAltitudes; ++k) lengths[k] = altitude_length(x, k);
    springs.rest_lengths.push_back(lengths);
    double stiffness = 0;
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = i + 1; j < 4; ++j)
        stiffness += options.stiffness_per_length ? 1 / (x[j] - x[i]).norm() : 1;
    springs.relative_stiffness.push_back(factor * stiffness / 6);
  }
  springs.schedule = make_schedule(rest_positions.size(), springs.tets);
  return springs;
}

void choose_altitudes(const Model& model, const Params& params, const Buffer<Vec3>& x, Work& work) {
  const std::size_t count = model.altitudes.tets.size();
  work.altitudes.resize(count, ChosenAltitude{});
  parallel_for(
      count, [&](std::size_t t) { work.altitudes[t] = choose(model, params, t, x); }, 512);
}

void add_altitude_forces(const Model& model, const Buffer<Vec3>& x, const Buffer<Vec3>& v, Buffer<Vec4>& f,
                         Work& work, ForceTerms terms) {
  if (model.altitudes.tets.empty()) return;
  const ProfileZone zone("mass_spring.altitudes");
  run_chunks(model.altitudes.schedule, work.chunk_done, [&](const Chunk& chunk) {
    for (std::size_t t = chunk.begin; t < chunk.end; ++t) {
      const geometry::Tet& tet = model.altitudes.tets[t];
      const ChosenAltitude& spring = work.altitudes[t];
      double tension = spring.stiffness * (along(spring, tet, x) - spring.rest_length);
      if (terms == ForceTerms::all) tension += spring.damping * along(spring, tet, v);
      for (std::size_t k = 0; k < 4; ++k)
        f[tet[k]].head<3>() -= spring.weights[k] * tension * spring.direction;
    }
  });
}

void add_altitude_tangent(const Model& model, const TangentWeights& weights, Work& work) {
  linalg::BlockSparseSymmetric<3>& matrix = work.system->matrix;
  run_chunks(model.altitudes.schedule, work.chunk_done, [&](const Chunk& chunk) {
    for (std::size_t t = chunk.begin; t < chunk.end; ++t) {
      const geometry::Tet& tet = model.altitudes.tets[t];
      const ChosenAltitude& spring = work.altitudes[t];
      const double slope = weights.stiffness * spring.stiffness + weights.damping * spring.damping;
      const Mat3 block = slope * spring.direction * spring.direction.transpose();
      for (std::size_t i = 0; i < 4; ++i) {
        matrix.add_diagonal(tet[i], spring.weights[i] * spring.weights[i] * block);
        for (std::size_t j = i + 1; j < 4; ++j)
          matrix.add_edge(tet[i], tet[j], spring.weights[i] * spring.weights[j] * block);
      }
    }
  });
}

double altitude_energy(const Model& model, const Params& params, const Buffer<Vec3>& x) {
  return deterministic_sum(model.altitudes.tets.size(), [&](std::size_t t) {
    const ChosenAltitude spring = choose(model, params, t, x);
    const double stretch = along(spring, model.altitudes.tets[t], x) - spring.rest_length;
    return 0.5 * spring.stiffness * stretch * stretch;
  });
}

double altitude_step_energy(const Model& model, const Buffer<Vec3>& x, const Buffer<Vec3>& v, double h,
                            const Work& work) {
  return deterministic_sum(model.altitudes.tets.size(), [&](std::size_t t) {
    const geometry::Tet& tet = model.altitudes.tets[t];
    const ChosenAltitude& spring = work.altitudes[t];
    const double rate = along(spring, tet, v),
                 stretch = along(spring, tet, x) + h * rate - spring.rest_length;
    return 0.5 * spring.stiffness * stretch * stretch + 0.5 * h * spring.damping * rate * rate;
  });
}

}  // namespace selkie::mass_spring
