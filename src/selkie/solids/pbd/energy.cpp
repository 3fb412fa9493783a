// See energy.h.
#include "selkie/solids/pbd/energy.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/solids/pbd/body_contacts.h"
#include "selkie/solids/pbd/damping.h"
#include "selkie/solids/pbd/detail/four_corners.h"

namespace selkie::pbd {
namespace {

using detail::all;
using detail::Lanes;
using detail::load;
using detail::madd;

// 1/α of constraints whose inverse mass Σ w|∇C|² is `weight`.
struct Stiffness {
  double stiffness = 0;  // of compliant ones, where it is the same for all
  double share = 0;      // k/(1 − k)/h² of others
  bool any() const { return stiffness > 0 || share > 0; }
  Lanes of(const Lanes& weight) const {
    const Lanes value = stiffness > 0 ? all(stiffness) : all(share) / weight;
    return weight > all(kTiny) ? value : Lanes{};  // idle lanes, and points that do not move
  }
};

Stiffness stiffness_of(const Params& params, double h, double compliance, double stiffness) {
  if (params.method == Method::xpbd) return {compliance > 0 ? 1 / compliance : 0, 0};
  return {0, stiffness < 1 ? stiffness / ((1 - stiffness) * h * h) : 0};
}

// Σ ½C²/α over groups of a batch; evaluate(group, weight) yields C.
template <class Evaluate>
double sum_groups(const Batch& batch, const Stiffness& stiffness, Evaluate&& evaluate) {
  if (!stiffness.any()) return 0;
  return sum_blocks(
      batch.group_count(),
      [&](std::size_t begin, std::size_t end) {
        Lanes total{};
        for (std::size_t group = begin; group < end; ++group) {
          Lanes weight;
          const Lanes error = evaluate(group, weight);
          total += all(0.5) * error * error * stiffness.of(weight);
        }
        return detail::sum(total);
      },
      1024);
}

double energy_of(const Links& links, const Stiffness& stiffness, std::span<const Vec4> points) {
  return sum_groups(links.batch, stiffness, [&](std::size_t group, Lanes& weight) {
    const std::uint32_t* first = links.batch.corners.data() + group * 2 * kLanes;
    const detail::Points a = detail::gather(points.data(), first),
                         b = detail::gather(points.data(), first + kLanes);
    const Vector3<Lanes> d = a.at - b.at;
    weight = a.w + b.w;
    return Scalar<Lanes>::root(dot(d, d)) - load(links.rest.data() + group * kLanes);
  });
}

template <class Evaluate>
double energy_of_four(const Batch& batch, const Stiffness& stiffness, std::span<const Vec4> points,
                      Evaluate&& evaluate) {
  return sum_groups(batch, stiffness, [&](std::size_t group, Lanes& weight) {
    const std::uint32_t* first = batch.corners.data() + group * 4 * kLanes;
    std::array<Lanes, 4> w;
    Corners<Lanes, 4> at, g;
    for (std::size_t c = 0; c < 4; ++c) {
      const detail::Points p = detail::gather(points.data(), first + c * kLanes);
      at[c] = p.at, w[c] = p.w;
    }
    const Lanes error = evaluate(group, at, g);
    weight = Lanes{};
    for (std::size_t c = 0; c < 4; ++c) weight = madd(w[c], dot(g[c], g[c]), weight);
    return error;
  });
}

// J, that moving solids may do as work on what they touch: impulses times the velocity of the solid.
double work_of_solids(const Model& model, const Inputs& inputs, double h, const Work& work) {
  double sum = 0;
  for (const Contact& c : work.contacts)
    if (c.pressed > 0)
      sum +=
          std::max(0.0, model.masses[c.vertex] / (h * h) * (c.pressed * c.normal - c.rubbed).dot(c.carried));
  if (inputs.bodies.empty()) return sum;
  for (const BodyContact& c : work.body_contacts)
    if (c.plane.pressed > 0) sum += std::max(0.0, felt_by(c, work).dot(c.plane.carried) / (h * h));
  return sum;
}

}  // namespace

double energy_gained(const Model& model, double h, const State& to, const Work& work) {
  return deterministic_sum(model.vertex_count, [&](std::size_t i) {
    if (work.points[i].w() == 0) return 0.0;
    const Vec3 u = (work.points[i].head<3>() - to.positions[i]) / h;
    return model.masses[i] * u.dot(u - to.velocities[i]);
  });
}

double stored_energy(const Model& model, const Params& params, double h, std::span<const Vec4> points) {
  const Stiffness stretch = stiffness_of(params, h, params.stretch_compliance, params.stretch_stiffness);
  const Stiffness bend = stiffness_of(params, h, params.bend_compliance, params.bend_stiffness);
  const Stiffness volume = stiffness_of(params, h, params.volume_compliance, params.volume_stiffness);
  double sum = energy_of(model.stretch, stretch, points) + energy_of(model.bend_links, bend, points);
  detail::with_hinge_constraint(model.hinges, [&](auto&& evaluate) {
    sum += energy_of_four(model.hinges.batch, bend, points, evaluate);
  });
  sum += energy_of_four(model.volumes.batch, volume, points, detail::VolumeConstraint{model.volumes});
  if (model.closed.holds_volume() && volume.stiffness > 0) {
    const Vec3 origin = points[0].head<3>();
    const double inside = deterministic_sum(model.triangles.size(), [&](std::size_t t) {
      auto corner = [&](std::size_t k) -> Vec3 { return points[model.triangles[t][k]].head<3>() - origin; };
      return corner(0).dot(corner(1).cross(corner(2))) / 6;
    });
    const double error = inside - params.inflation * model.closed.rest_volume;
    sum += 0.5 * volume.stiffness * error * error;
  }
  return sum;
}

EnergyAllowed energy_allowed(const Model& model, const Params& params, const Inputs& inputs,
                             Interval interval, const State& to, Work& work) {
  const double h = interval.dt();
  work.start_points = work.points;
  parallel_for(model.vertex_count, [&](std::size_t i) { work.start_points[i].head<3>() = to.positions[i]; });
  const double released = stored_energy(model, params, h, work.start_points.span()) -
                          stored_energy(model, params, h, work.points.span());
  auto presses = [](const Contact& c) { return c.pressed > 0; };
  const bool alone = std::none_of(work.contacts.begin(), work.contacts.end(), presses) &&
                     std::none_of(work.body_contacts.begin(), work.body_contacts.end(),
                                  [&](const BodyContact& c) { return presses(c.plane); }) &&
                     deterministic_max(model.vertex_count, 0, [&](std::size_t i) {
                       return work.points[i].w() == 0 ? 1.0 : 0.0;
                     }) == 0;
  const bool overlaps = std::any_of(work.body_contacts.begin(), work.body_contacts.end(),
                                    [&](const BodyContact& c) { return c.overlaps && presses(c.plane); });
  return {std::max(0.0, released), work_of_solids(model, inputs, h, work), alone, overlaps};
}

namespace {

// How much of a motion is kept: uu = Σ m u·u, uv = Σ m u·v. With a share s of it, s² uu − s uv may be twice
// what is paid: by solids in any case, by constraints up to a speed of kLeap.
double kept_share(double uu, double uv, double mass, EnergyAllowed allowed) {
  if (!(uu > uv + 1e-12 * uu)) return 1;
  if (allowed.overlaps) allowed.released = allowed.work = mass = 0;
  auto share = [&](double paid) { return (uv + std::sqrt(uv * uv + 8 * uu * paid)) / (2 * uu); };
  const double leaping = std::sqrt((mass * kLeap * kLeap + 2 * allowed.work) / uu);
  const double kept =
      std::min(share(allowed.released + allowed.work), std::max(share(allowed.work), leaping));
  return std::clamp(kept, 0.0, 1.0);
}

}  // namespace

void bound_motion(const Model& model, const EnergyAllowed& allowed, std::span<const Vec3> free, State& to) {
  auto moves = [&](std::size_t i) {
    return to.pinned[i] == 0 && static_cast<std::int64_t>(i) != to.grabbed_vertex;
  };
  const RigidMotion whole = rigid_motion(model, to);
  auto sum = [&](auto&& term) {
    return deterministic_sum(model.vertex_count,
                             [&](std::size_t i) { return moves(i) ? model.masses[i] * term(i) : 0; });
  };
  auto rigid = [&](std::size_t i) { return whole.at(to.positions[i]); };
  auto deforming = [&](std::size_t i) -> Vec3 { return to.velocities[i] - whole.at(to.positions[i]); };
  const double mass = sum([&](std::size_t) { return 1.0; });
  const double kept =
      allowed.alone ? 1
                    : kept_share(sum([&](std::size_t i) { return rigid(i).squaredNorm(); }),
                                 sum([&](std::size_t i) { return rigid(i).dot(free[i]); }), mass, allowed);
  const double kept_deforming =
      kept_share(sum([&](std::size_t i) { return deforming(i).squaredNorm(); }),
                 sum([&](std::size_t i) { return deforming(i).dot(free[i]); }), mass, allowed);
  parallel_for(model.vertex_count, [&](std::size_t i) {
    if (moves(i)) to.velocities[i] = kept * rigid(i) + kept_deforming * deforming(i);
  });
}

}  // namespace selkie::pbd
