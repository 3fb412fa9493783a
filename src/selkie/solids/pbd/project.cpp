// Sweeps by groups of eight constraints; see project.h.
#include "selkie/solids/pbd/project.h"

#include <algorithm>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/math/svd.h"
#include "selkie/solids/pbd/detail/four_corners.h"

namespace selkie::pbd {
namespace {

using detail::all;
using detail::gather;
using detail::Lanes;
using detail::load;
using detail::madd;
using detail::Points;
using detail::scatter;
using detail::store;

// Distance constraints of one chunk. With a = w₀ + w₁ + α̃ and l the length, r = 1/(l a) from one inverse
// root serves direction and division: Δp₀ = −w₀ k′ (l − l₀ + α̃λ) r (p₀ − p₁).
template <bool compliant>
void project_chunk(const Links& links, const Firmness& firmness, std::size_t begin, std::size_t end,
                   double* multipliers, Vec4* points) {
  const Lanes share = all(-firmness.share), compliance = all(firmness.compliance);
  for (std::size_t group = begin; group < end; ++group) {
    const std::uint32_t* first = links.batch.corners.data() + group * 2 * kLanes;
    Points a = gather(points, first), b = gather(points, first + kLanes);
    const Vector3<Lanes> d = a.at - b.at;
    const Lanes square = madd(d.x, d.x, madd(d.y, d.y, d.z * d.z));
    Lanes weight = a.w + b.w;
    if (compliant) weight += compliance;
    const Lanes product = square * weight * weight;
    const Lanes r = detail::inverse_root(product);
    const Lanes length = square * weight * r;
    Lanes error = length - load(links.rest.data() + group * kLanes);
    if (compliant) error = madd(compliance, load(multipliers + group * kLanes), error);
    Lanes s = share * error * r;
    s = product > all(kTiny) ? s : Lanes{};  // coincident points, and points that do not move
    if (compliant) store(multipliers + group * kLanes, madd(s, length, load(multipliers + group * kLanes)));
    const Lanes sa = s * a.w, sb = -s * b.w;
    a.at = {madd(sa, d.x, a.at.x), madd(sa, d.y, a.at.y), madd(sa, d.z, a.at.z)};
    b.at = {madd(sb, d.x, b.at.x), madd(sb, d.y, b.at.y), madd(sb, d.z, b.at.z)};
    scatter(points, first, a);
    scatter(points, first + kLanes, b);
  }
}

// Constraints of four corners: `evaluate(group, corners, gradients)` yields C. `relieve(group, C, corners,
// s)` may take on some of them itself and lessen their s.
template <class Evaluate, class Relieve>
void project_four(const Batch& batch, const Firmness& firmness, bool compliant, double* multipliers,
                  Work& work, Evaluate&& evaluate, Relieve&& relieve) {
  Vec4* points = work.points.data();
  geometry::run_chunks(batch.schedule, work.chunk_done, [&](const geometry::Chunk& chunk) {
    for (std::size_t group = chunk.begin; group < chunk.end; ++group) {
      const std::uint32_t* first = batch.corners.data() + group * 4 * kLanes;
      std::array<Points, 4> p;
      Corners<Lanes, 4> at, g;
      for (std::size_t c = 0; c < 4; ++c) {
        p[c] = gather(points, first + c * kLanes);
        at[c] = p[c].at;
      }
      Lanes error = evaluate(group, at, g);
      const Lanes plain_error = error;
      Lanes weight = all(firmness.compliance);
      for (std::size_t c = 0; c < 4; ++c) weight = madd(p[c].w, dot(g[c], g[c]), weight);
      if (compliant) error = madd(all(firmness.compliance), load(multipliers + group * kLanes), error);
      Lanes s = all(-firmness.share) * error / weight;
      s = weight > all(kTiny) ? s : Lanes{};
      relieve(group, plain_error, p, s);
      if (compliant) store(multipliers + group * kLanes, s + load(multipliers + group * kLanes));
      for (std::size_t c = 0; c < 4; ++c) {
        const Lanes sw = s * p[c].w;
        p[c].at = {madd(sw, g[c].x, p[c].at.x), madd(sw, g[c].y, p[c].at.y), madd(sw, g[c].z, p[c].at.z)};
        scatter(points, first + c * kLanes, p[c]);
      }
    }
  });
}

constexpr auto kNoRelief = [](std::size_t, const Lanes&, std::array<Points, 4>&, Lanes&) {};

// Below this share of its volume a tetrahedron is more and more drawn to its turned shape at rest instead:
// the gradient of the volume vanishes where all corners fall on a line, and a tangle of inverted tetrahedra
// can satisfy every length.
constexpr double kSqueezed = 1.0 / 8;

// Draws the corners of one lane by `share` to the shape at rest, turned and moved to where it fits best
// (RT-34, which keeps momenta).
void restore_shape(const Model& model, const std::uint32_t* first, int lane, double share,
                   std::array<Points, 4>& p) {
  std::array<Vec3, 4> at, rest;
  std::array<double, 4> w, mass;
  for (std::size_t c = 0; c < 4; ++c) {
    at[c] = Vec3(p[c].at.x[lane], p[c].at.y[lane], p[c].at.z[lane]);
    rest[c] = model.rest_positions[first[c * kLanes + static_cast<std::size_t>(lane)]];
    w[c] = p[c].w[lane];
  }
  const double lightest = *std::max_element(w.begin(), w.end());
  Vec3 centre = Vec3::Zero(), rest_centre = Vec3::Zero();
  double sum = 0;
  for (std::size_t c = 0; c < 4; ++c) {
    mass[c] = 1 / std::max(w[c], 1e-3 * lightest);  // corners of given motion weigh much
    centre += mass[c] * at[c], rest_centre += mass[c] * rest[c], sum += mass[c];
  }
  centre /= sum, rest_centre /= sum;
  Mat3 moments = Mat3::Zero();
  for (std::size_t c = 0; c < 4; ++c)
    moments += mass[c] * (at[c] - centre) * (rest[c] - rest_centre).transpose();
  const Mat3 rotation = polar3(moments).rotation;
  for (std::size_t c = 0; c < 4; ++c) {
    if (w[c] == 0) continue;
    const Vec3 moved = at[c] + share * (centre + rotation * (rest[c] - rest_centre) - at[c]);
    p[c].at.x[lane] = moved.x(), p[c].at.y[lane] = moved.y(), p[c].at.z[lane] = moved.z();
  }
}

}  // namespace

SweepRule sweep_rule(const Params& params, double h) {
  if (params.method == Method::xpbd)
    return {true,
            {1, params.stretch_compliance / (h * h)},
            {1, params.bend_compliance / (h * h)},
            {1, params.volume_compliance / (h * h)}};
  return {false,
          {stiffness_per_iteration(params.stretch_stiffness, params.iterations), 0},
          {stiffness_per_iteration(params.bend_stiffness, params.iterations), 0},
          {stiffness_per_iteration(params.volume_stiffness, params.iterations), 0}};
}

void reset_multipliers(const Model& model, const SweepRule& rule, Work& work) {
  work.closed_multiplier = 0;
  if (!rule.compliant) return;
  work.stretch_multipliers.assign(model.stretch.rest.size(), 0);
  work.bend_link_multipliers.assign(model.bend_links.rest.size(), 0);
  work.hinge_multipliers.assign(model.hinges.rest.size(), 0);
  work.volume_multipliers.assign(model.volumes.rest.size(), 0);
}

void project_links(const Links& links, const Firmness& firmness, bool compliant, Buffer<double>& multipliers,
                   Work& work) {
  // Without compliance the multipliers influence nothing.
  const bool kept = compliant && firmness.compliance > 0;
  geometry::run_chunks(links.batch.schedule, work.chunk_done, [&](const geometry::Chunk& chunk) {
    if (kept)
      project_chunk<true>(links, firmness, chunk.begin, chunk.end, multipliers.data(), work.points.data());
    else
      project_chunk<false>(links, firmness, chunk.begin, chunk.end, nullptr, work.points.data());
  });
}

void project_hinges(const Hinges& hinges, const Firmness& firmness, bool compliant, Work& work) {
  detail::with_hinge_constraint(hinges, [&](auto&& evaluate) {
    project_four(hinges.batch, firmness, compliant, work.hinge_multipliers.data(), work, evaluate, kNoRelief);
  });
}

void project_volumes(const Model& model, const Firmness& firmness, bool compliant, Work& work) {
  const Volumes& volumes = model.volumes;
  auto relieve = [&](std::size_t group, const Lanes& error, std::array<Points, 4>& p, Lanes& s) {
    const Lanes rest = load(volumes.rest.data() + group * kLanes);
    const Lanes left = (error + rest) / rest;  // of the volume; idle lanes have infinitely much
    const detail::Mask squeezed = left < all(kSqueezed);
    if (!detail::any(squeezed)) return;
    for (int lane = 0; lane < static_cast<int>(kLanes); ++lane) {
      if (squeezed[lane] == 0) continue;
      const double part = std::min(1.0, 1 - left[lane] / kSqueezed);
      s[lane] *= 1 - part;
      restore_shape(model, volumes.batch.corners.data() + group * 4 * kLanes, lane, part * firmness.share, p);
    }
  };
  project_four(volumes.batch, firmness, compliant, work.volume_multipliers.data(), work,
               detail::VolumeConstraint{volumes}, relieve);
}

void project_closed(const Model& model, const Params& params, const Firmness& firmness, Work& work) {
  const ClosedSurface& surface = model.closed;
  const std::size_t count = model.vertex_count;
  work.gradients.resize(count);
  auto at = [&](std::uint32_t i) -> Vec3 { return work.points[i].head<3>(); };
  const Vec3 origin = at(0);
  // Gather, not scatter: the sum at a vertex has one order.
  parallel_for(
      count,
      [&](std::size_t i) {
        Vec3 sum = Vec3::Zero();
        for (std::uint32_t k = surface.begins[i]; k < surface.begins[i + 1]; ++k)
          sum += (at(surface.others[k][0]) - origin).cross(at(surface.others[k][1]) - origin);
        work.gradients[i] = sum / 6;
      },
      1024);
  // V = ⅓ Σ p_i·∇_i V, since V is of third degree.
  const double volume = deterministic_sum(count, [&](std::size_t i) {
    return (at(static_cast<std::uint32_t>(i)) - origin).dot(work.gradients[i]) / 3;
  });
  const double weight = firmness.compliance + deterministic_sum(count, [&](std::size_t i) {
                          return work.points[i].w() * work.gradients[i].squaredNorm();
                        });
  if (!(weight > kTiny)) return;
  const double error = volume - params.inflation * surface.rest_volume;
  const double s = -firmness.share * (error + firmness.compliance * work.closed_multiplier) / weight;
  work.closed_multiplier += s;
  parallel_for(
      count, [&](std::size_t i) { work.points[i].head<3>() += s * work.points[i].w() * work.gradients[i]; },
      1024);
}

void sweep(const Model& model, const Params& params, const SweepRule& rule, Work& work) {
  const ProfileZone zone("pbd.sweep");
  project_links(model.stretch, rule.stretch, rule.compliant, work.stretch_multipliers, work);
  project_links(model.bend_links, rule.bend, rule.compliant, work.bend_link_multipliers, work);
  if (model.hinges.batch.count > 0) project_hinges(model.hinges, rule.bend, rule.compliant, work);
  if (model.volumes.batch.count > 0) project_volumes(model, rule.volume, rule.compliant, work);
  if (model.closed.holds_volume()) project_closed(model, params, rule.volume, work);
}

}  // namespace selkie::pbd
