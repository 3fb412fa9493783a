// See secondary.h.
#include "selkie/fluids/liquid/secondary.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/profile.h"
#include "selkie/core/random.h"
#include "selkie/fluids/liquid/detail/taps.h"
#include "selkie/grid/sample.h"

namespace selkie::liquid {
namespace {

constexpr std::uint64_t kStream = 0x7370726179;
constexpr double kDrag = 0.6;           // 1/s, of spray in air
constexpr double kRise = 2;             // of bubbles: upward pull over gravity
constexpr double kFollow = 8;           // 1/s, how fast a bubble takes on the liquid's velocity
constexpr double kSlow = 1, kFast = 4;  // m/s: between them the birth rate grows from none to all

template <class Real>
struct Drifter {
  const Model& model;
  const Params& params;
  const Vec3 gravity;
  const double dt;
  const PlacedSolids<Real>& solids;
  State<Real>& state;
  const grid::Shape& shape = model.shape;

  double phi_at(const Vec3& world) const {
    return grid::interpolate<Real>(grid::view(shape, std::as_const(state.surface)),
                                   grid::Lattice(shape, grid::Place::cell), world);
  }
  Vec3 flow_at(const Vec3& world) const {
    return grid::velocity_at<Real>(shape, velocity_views(model, std::as_const(state)), world);
  }

  // False where it ends: too old, out of the box, or in a solid.
  bool move(std::size_t n) const {
    Secondary<Real>& s = state.secondary;
    Vec3 x = s.position[n].template cast<double>(), u = s.velocity[n].template cast<double>();
    const double depth = phi_at(x), dx = shape.cell_size();
    SecondaryKind kind = SecondaryKind::foam;
    if (depth > 0.6 * dx) {
      kind = SecondaryKind::spray;
      u = (u + dt * gravity) / (1 + dt * kDrag);
    } else if (depth < -0.6 * dx) {
      kind = SecondaryKind::bubble;
      const double follow = 1 - std::exp(-kFollow * dt);
      u = u + follow * (flow_at(x) - u) - dt * kRise * gravity * std::exp(-kFollow * dt);
    } else {
      u = flow_at(x);
      s.age[n] += static_cast<Real>(dt);
    }
    x += dt * u;
    s.kind[n] = static_cast<std::uint8_t>(kind);
    s.position[n] = x.template cast<Real>(), s.velocity[n] = u.template cast<Real>();
    if (double(s.age[n]) > params.foam_life) return false;
    const Vec3 cells = cells_of(shape, x);
    for (int a = 0; a < shape.dims(); ++a)
      if (!(cells[a] > detail::kMargin) ||
          !(cells[a] < shape.cells()[static_cast<std::size_t>(a)] - detail::kMargin))
        return false;
    const std::array<Real, 3> at{static_cast<Real>(cells[0]), static_cast<Real>(cells[1]),
                                 static_cast<Real>(cells[2])};
    return !solids.any() || plain_distance_at(shape, solids.nodes, at) > 0;
  }
};

// Births: a particle near the surface that is fast against its surroundings tears off foam.
template <class Real>
void give_birth(const Model& model, const Params& params, Interval interval, const CellRanges& ranges,
                State<Real>& state) {
  const grid::Shape& shape = model.shape;
  const auto phi = grid::view(shape, std::as_const(state.surface));
  const grid::Index n = shape.cells();
  const Particles<Real>& p = state.particles;
  const double near = 1.2 * shape.cell_size();
  std::size_t cell = 0;
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i, ++cell) {
        if (std::abs(double(phi(i, j, k))) > near || ranges.begin(cell) == ranges.end(cell)) continue;
        // Few particles around mean that the liquid breaks up here.
        const double fill = double(ranges.end(cell) - ranges.begin(cell)) / model.particles_per_cell();
        const double broken = std::clamp(1.5 - fill, 0.0, 1.0);
        for (std::uint32_t q = ranges.begin(cell); q < ranges.end(cell) && broken > 0; ++q) {
          Vec3 u(double(p.u[q]), double(p.v[q]), p.w.empty() ? 0.0 : double(p.w[q]));
          const double lively = std::clamp((u.norm() - kSlow) / (kFast - kSlow), 0.0, 1.0);
          const double chance = params.foam * broken * lively * interval.dt();
          const std::uint64_t key =
              p.identity[q] ^ static_cast<std::uint64_t>(interval.begin) * 0x9e3779b97f4a7c15ull;
          if (random_uniform(kStream, 0, key) >= chance) continue;
          Vec3 place = place_of(p, q);
          for (int a = 0; a < shape.dims(); ++a) {
            place[a] += random_uniform(kStream, 1 + static_cast<std::uint64_t>(a), key, -0.4, 0.4);
            u[a] *= random_uniform(kStream, 4 + static_cast<std::uint64_t>(a), key, 0.9, 1.1);
          }
          const Vec3 world = world_of(shape, place);
          state.secondary.position.push_back(world.template cast<Real>());
          state.secondary.velocity.push_back(u.template cast<Real>());
          state.secondary.age.push_back(Real(0));
          state.secondary.kind.push_back(static_cast<std::uint8_t>(SecondaryKind::spray));
        }
      }
}

// Births with a level set: markers of the inside more than a cell away from it are drops that the grid lost.
template <class Real>
void tear_off(const Model& model, const Params& params, Interval interval, State<Real>& state) {
  const grid::Shape& shape = model.shape;
  const auto phi = grid::view(shape, std::as_const(state.surface));
  const auto flow = velocity_views(model, std::as_const(state));
  const grid::Lattice lattice(shape, grid::Place::cell);
  grid::Markers<Real>& m = state.markers;
  std::size_t kept = 0;
  for (std::size_t p = 0; p < m.size(); ++p) {
    const Vec3 x = m.positions[p].template cast<double>();
    const std::uint64_t key =
        m.identities[p] ^ static_cast<std::uint64_t>(interval.begin) * 0x9e3779b97f4a7c15ull;
    if (m.outer[p] == 0 && grid::interpolate<Real>(phi, lattice, x) > shape.cell_size() &&
        random_uniform(kStream, 0, key) < params.foam * interval.dt()) {
      state.secondary.position.push_back(m.positions[p]);
      state.secondary.velocity.push_back(grid::velocity_at<Real>(shape, flow, x).template cast<Real>());
      state.secondary.age.push_back(Real(0));
      state.secondary.kind.push_back(static_cast<std::uint8_t>(SecondaryKind::spray));
      continue;
    }
    m.positions[kept] = m.positions[p], m.radii[kept] = m.radii[p];
    m.outer[kept] = m.outer[p], m.identities[kept] = m.identities[p];
    ++kept;
  }
  m.positions.resize(kept), m.radii.resize(kept), m.outer.resize(kept), m.identities.resize(kept);
}

}  // namespace

template <class Real>
void advance_secondary(const Model& model, const Params& params, const Vec3& gravity, Interval interval,
                       const PlacedSolids<Real>& solids, const CellRanges& ranges, State<Real>& state) {
  const ProfileZone zone("liquid.secondary");
  Secondary<Real>& s = state.secondary;
  const Drifter<Real> drifter{model, params, gravity, interval.dt(), solids, state};
  std::size_t kept = 0;
  for (std::size_t n = 0; n < s.size(); ++n) {
    if (!drifter.move(n)) continue;
    s.position[kept] = s.position[n], s.velocity[kept] = s.velocity[n];
    s.age[kept] = s.age[n], s.kind[kept] = s.kind[n];
    ++kept;
  }
  s.position.resize(kept), s.velocity.resize(kept), s.age.resize(kept), s.kind.resize(kept);
  if (!(params.foam > 0)) return;
  if (model.tracker == Tracker::level_set)
    tear_off(model, params, interval, state);
  else
    give_birth(model, params, interval, ranges, state);
}

template void advance_secondary<float>(const Model&, const Params&, const Vec3&, Interval,
                                       const PlacedSolids<float>&, const CellRanges&, State<float>&);
template void advance_secondary<double>(const Model&, const Params&, const Vec3&, Interval,
                                        const PlacedSolids<double>&, const CellRanges&, State<double>&);

}  // namespace selkie::liquid
