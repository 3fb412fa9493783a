// See crowd.h.
#include "selkie/solids/shape_matching/crowd.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/ports/vertex_contact.h"

namespace selkie::shape_matching {
namespace {

constexpr std::uint32_t kWrongSide = 1u << 31;
constexpr std::size_t kBlock = 256;  // vertices per block of a loop

// Cells beyond this are all one: positions there are no longer anything to collide with.
constexpr double kFarthestCell = 1e9;

std::array<std::int32_t, 3> cell_of(const Vec3& p, double cell) {
  std::array<std::int32_t, 3> ijk{};
  for (int a = 0; a < 3; ++a)
    ijk[static_cast<std::size_t>(a)] =
        static_cast<std::int32_t>(std::clamp(std::floor(p[a] / cell), -kFarthestCell, kFarthestCell));
  return ijk;
}

// Rows along x are hashed, cells of a row follow each other: a row of three cells is one range. (RT-17's
// primes.)
std::uint32_t row_hash(std::int32_t j, std::int32_t k) {
  return (static_cast<std::uint32_t>(j) * 689287499u) ^ (static_cast<std::uint32_t>(k) * 283923481u);
}
std::uint32_t bucket_of(const std::array<std::int32_t, 3>& ijk, std::uint32_t mask) {
  return (row_hash(ijk[1], ijk[2]) + static_cast<std::uint32_t>(ijk[0])) & mask;
}

void fill_hash(std::span<const Vec3> p, double cell, SpatialHash& hash) {
  const std::size_t count = p.size();
  std::size_t buckets = 64;
  while (buckets < 2 * count) buckets *= 2;
  const auto mask = static_cast<std::uint32_t>(buckets - 1);
  hash.cell = cell;
  hash.bucket_of_vertex.resize(count);
  hash.sorted.resize(count), hash.sorted_cell.resize(count), hash.sorted_position.resize(count);
  parallel_for(count,
               [&](std::size_t i) { hash.bucket_of_vertex[i] = bucket_of(cell_of(p[i], cell), mask); });
  hash.bucket_begin.assign(buckets + 1, 0);
  for (const std::uint32_t b : hash.bucket_of_vertex) ++hash.bucket_begin[b + 1];
  for (std::size_t b = 0; b < buckets; ++b) hash.bucket_begin[b + 1] += hash.bucket_begin[b];
  // Backwards, so that each begin ends where it should and vertices ascend within a bucket.
  for (std::size_t i = count; i-- > 0;)
    hash.sorted[--hash.bucket_begin[hash.bucket_of_vertex[i] + 1]] = static_cast<std::uint32_t>(i);
  for (std::size_t b = 0; b < buckets; ++b) hash.bucket_begin[b] = hash.bucket_begin[b + 1];
  hash.bucket_begin[buckets] = static_cast<std::uint32_t>(count);
  parallel_for(count, [&](std::size_t k) {
    hash.sorted_position[k] = p[hash.sorted[k]];
    hash.sorted_cell[k] = cell_of(hash.sorted_position[k], cell);
  });
}

// Calls visit(vertex, position) for all in the 27 cells around a point.
template <class Visit>
void each_near(const SpatialHash& hash, const Vec3& point, Visit&& visit) {
  const std::array<std::int32_t, 3> middle = cell_of(point, hash.cell);
  const auto mask = static_cast<std::uint32_t>(hash.bucket_begin.size() - 2);
  auto look_at = [&](std::uint32_t begin, std::uint32_t end, std::int32_t j, std::int32_t k) {
    for (std::uint32_t s = hash.bucket_begin[begin]; s < hash.bucket_begin[end]; ++s) {
      const auto& [i, sj, sk] = hash.sorted_cell[s];
      if (sj == j && sk == k && std::abs(std::int64_t{i} - middle[0]) <= 1)
        visit(hash.sorted[s], hash.sorted_position[s]);
    }
  };
  for (std::int32_t k = middle[2] - 1; k <= middle[2] + 1; ++k)
    for (std::int32_t j = middle[1] - 1; j <= middle[1] + 1; ++j) {
      const std::uint32_t first = (row_hash(j, k) + static_cast<std::uint32_t>(middle[0]) - 1) & mask;
      if (first + 3 <= mask + 1) {
        look_at(first, first + 3, j, k);
      } else {
        look_at(first, mask + 1, j, k);
        look_at(0, first + 2 - mask, j, k);
      }
    }
}

// Outward surfaces that look the same way, or a vertex below a surface: no contact from outside.
bool on_wrong_side(const Model& model, std::size_t i, std::size_t j, const Vec3& apart, const Work& work) {
  constexpr double kAskew = 0.3;  // normals of coarse surfaces lean by so much
  auto behind = [&](std::size_t v, const Vec3& outwards) {
    if (model.has_inside[model.body_of_vertex[v]] == 0) return false;
    const Vec3& n = work.normals[v];
    return n.isZero(0) || n.dot(outwards) < -kAskew * outwards.norm();
  };
  return behind(i, -apart) || behind(j, apart) || apart.isZero(0);
}

// Unit vector from body b to body a.
Vec3 way_apart(std::size_t a, std::size_t b, const Work& work) {
  const Vec3 between = work.bounds[a].centre - work.bounds[b].centre;
  const double distance = between.norm();
  if (distance > 1e-6 * (work.bounds[a].radius + work.bounds[b].radius)) return between / distance;
  return a > b ? Vec3(Vec3::UnitY()) : Vec3(-Vec3::UnitY());
}

struct Pair {
  Vec3 normal;  // from j to i
  double room;  // m, between them, negative: they must be moved apart by so much
};

// What the step asks of i and j = entry: to keep their distance or, if that was too small, not to lose any.
Pair pair_of(const Model& model, std::size_t i, std::uint32_t entry, std::span<const Vec3> p, double dt,
             const State& from, const Work& work) {
  const std::size_t j = entry & ~kWrongSide, a = model.body_of_vertex[i], b = model.body_of_vertex[j];
  const Vec3 apart = p[i] - p[j], before = from.positions[i] - from.positions[j];
  const double keep = model.radii[a] + model.radii[b], distance = apart.norm();
  if ((entry & kWrongSide) != 0) {
    if (!(distance < keep)) return {Vec3::UnitY(), 0};
    const Vec3 way = way_apart(a, b, work);
    return {way, (apart - before).dot(way)};
  }
  const Vec3 normal = distance > 0 ? Vec3(apart / distance) : way_apart(a, b, work);
  return {normal, distance - std::min(keep, before.norm() + kRestingSpeed * dt)};
}

double inverse_mass(const Model& model, const Work& work, std::size_t i) {
  return work.kinematic[i] != 0 ? 0 : model.inverse_masses[i];
}

std::span<const std::uint32_t> neighbours_of(const Work& work, std::size_t i) {
  return work.neighbours.list.span().subspan(i * work.neighbours.room, work.neighbours.counts[i]);
}

// Calls sum(i, entry, weight) for each end of each touching pair; the weight is w_i/(w_i + w_j) divided by
// the larger number of pairs that i and j are in, so that pushes from many sides do not add up.
template <class Touches, class Sum>
void each_touching(const Model& model, Work& work, Touches&& touches, Sum&& sum) {
  work.touching.resize(model.vertex_count);
  parallel_for(
      model.vertex_count,
      [&](std::size_t i) {
        std::uint32_t count = 0;
        for (const std::uint32_t entry : neighbours_of(work, i)) count += touches(i, entry) ? 1 : 0;
        work.touching[i] = count;
      },
      kBlock);
  parallel_for(
      model.vertex_count,
      [&](std::size_t i) {
        work.corrections[i] = Vec3::Zero();
        const double w = inverse_mass(model, work, i);
        if (work.touching[i] == 0 || w == 0) return;
        for (const std::uint32_t entry : neighbours_of(work, i)) {
          const std::size_t j = entry & ~kWrongSide;
          if (!touches(i, entry)) continue;
          const double pairs = std::max(work.touching[i], work.touching[j]);
          work.corrections[i] += w / ((w + inverse_mass(model, work, j)) * pairs) * sum(i, entry);
        }
      },
      kBlock);
}

}  // namespace

void measure_bodies(const Model& model, const State& from, Work& work) {
  work.bounds.resize(model.body_count(), BodyBounds{});
  work.normals.resize(model.vertex_count);
  parallel_for(
      model.body_count(),
      [&](std::size_t b) {
        const std::uint32_t begin = model.body_begin[b], end = model.body_begin[b + 1];
        BodyBounds& bounds = work.bounds[b];
        bounds = {};
        double mass = 0;
        for (std::uint32_t i = begin; i < end; ++i) {
          mass += model.masses[i];
          bounds.centre += model.masses[i] * work.predicted[i];
          work.normals[i] = Vec3::Zero();
        }
        bounds.centre /= mass;
        double square = 0;
        for (std::uint32_t i = begin; i < end; ++i)
          square = std::max({square, (work.predicted[i] - bounds.centre).squaredNorm(),
                             (from.positions[i] - bounds.centre).squaredNorm()});
        bounds.radius = std::sqrt(square);
        for (std::uint32_t t = model.surface_begin[b]; t < model.surface_begin[b + 1]; ++t) {
          const auto& [i, j, k] = model.surface[t];
          const Vec3 &x = from.positions[i], &y = from.positions[j], &z = from.positions[k];
          const Vec3 area = (y - x).cross(z - x);
          for (const std::uint32_t v : {i, j, k}) work.normals[v] += area;
        }
        for (std::uint32_t i = begin; i < end; ++i) work.normals[i].normalize();
      },
      4);
}

void find_neighbours(const Model& model, const Inputs& inputs, double dt, const State& from, Work& work) {
  const ProfileZone zone("shape_matching.neighbours");
  const std::size_t count = model.vertex_count;
  const double widest = *std::max_element(model.radii.begin(), model.radii.end());
  // Rounds of the step move vertices on: what is this much farther than it may be is listed, too.
  const double margin = 0.2 * widest + std::min(dt * dt * inputs.gravity.norm(), widest);
  fill_hash(work.predicted.span(), 2 * widest + margin, work.hash);
  Neighbours& found = work.neighbours;
  found.counts.resize(count);
  work.corrections.resize(count);
  while (true) {
    found.list.resize(count * found.room);
    parallel_for(
        count,
        [&](std::size_t i) {
          const std::uint32_t body = model.body_of_vertex[i];
          const Vec3& p = work.predicted[i];
          std::uint32_t listed = 0;
          each_near(work.hash, p, [&](std::uint32_t j, const Vec3& other) {
            if (model.body_of_vertex[j] == body) return;
            const double reach = model.radii[body] + model.radii[model.body_of_vertex[j]] + margin;
            if (!((p - other).squaredNorm() < reach * reach)) return;
            const Vec3 apart = from.positions[i] - from.positions[j];
            if (listed < found.room)
              found.list[i * found.room + listed] =
                  j | (on_wrong_side(model, i, j, apart, work) ? kWrongSide : 0);
            ++listed;
          });
          found.counts[i] = listed;
        },
        kBlock);
    const auto most = static_cast<std::size_t>(
        deterministic_max(count, 0, [&](std::size_t i) { return static_cast<double>(found.counts[i]); }));
    if (most <= found.room) return;
    found.room = 2 * most;
  }
}

void part_neighbours(const Model& model, const Params& params, double dt, const State& from, Work& work) {
  const ProfileZone zone("shape_matching.crowd");
  const std::span<const Vec3> p = work.predicted.span();
  each_touching(
      model, work,
      [&](std::size_t i, std::uint32_t entry) {
        return pair_of(model, i, entry, p, dt, from, work).room < 0;
      },
      [&](std::size_t i, std::uint32_t entry) {
        const Pair pair = pair_of(model, i, entry, p, dt, from, work);
        const std::size_t j = entry & ~kWrongSide;
        const Vec3 moved = (p[i] - from.positions[i]) - (p[j] - from.positions[j]);
        const Vec3 slip = moved - moved.dot(pair.normal) * pair.normal;
        const double length = slip.norm(), limit = -params.friction * pair.room;
        const Vec3 held = length <= limit ? slip : Vec3(limit / length * slip);
        return Vec3(-pair.room * pair.normal - held);
      });
  parallel_for(model.vertex_count, [&](std::size_t i) { work.predicted[i] += work.corrections[i]; });
}

int leave_neighbours(const Model& model, double dt, const State& from, State& to, Work& work) {
  const ProfileZone zone("shape_matching.crowd");
  auto keep = [&](std::size_t i, std::size_t j) {
    return model.radii[model.body_of_vertex[i]] + model.radii[model.body_of_vertex[j]];
  };
  each_touching(
      model, work,
      [&](std::size_t i, std::uint32_t entry) {
        const std::size_t j = entry & ~kWrongSide;
        return (to.positions[i] - to.positions[j]).squaredNorm() < keep(i, j) * keep(i, j);
      },
      [&](std::size_t i, std::uint32_t entry) {
        const std::size_t j = entry & ~kWrongSide;
        const Pair pair = pair_of(model, i, entry, to.positions.span(), dt, from, work);
        if ((entry & kWrongSide) != 0) return Vec3(ports::kWayOut * dt * pair.normal);
        // What the rounds of the next step can part by themselves is left to them.
        const double overlap = keep(i, j) - (to.positions[i] - to.positions[j]).norm() - kRestingSpeed * dt;
        return Vec3(std::clamp(overlap, 0.0, ports::kWayOut * dt) * pair.normal);
      });
  parallel_for(model.vertex_count, [&](std::size_t i) { to.positions[i] += work.corrections[i]; });
  return static_cast<int>(
      deterministic_sum(model.vertex_count, [&](std::size_t i) { return work.touching[i] > 0 ? 1.0 : 0.0; }));
}

}  // namespace selkie::shape_matching
