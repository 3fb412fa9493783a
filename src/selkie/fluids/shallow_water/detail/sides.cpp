// See sides.h. Open sides give the ghost cells a surface and a velocity; where the water is slower than its
// waves, what travels inwards comes from outside and what travels outwards (the Riemann invariant u - 2c,
// counted inwards) from the first cell [Toro01 §11].
#include "selkie/fluids/shallow_water/detail/sides.h"

#include <algorithm>
#include <cmath>

namespace selkie::shallow_water::detail {

SideCells::SideCells(const Grid& grid, std::size_t side) {
  normal_is_x = side == kLowX || side == kHighX;
  const bool high = side == kHighX || side == kHighZ;
  length = grid.cells[normal_is_x ? 1 : 0];
  across = grid.cells[normal_is_x ? 0 : 1];
  const std::ptrdiff_t step = normal_is_x ? 1 : grid.row();
  along = normal_is_x ? grid.row() : 1;
  inward = high ? -step : step;
  sign = high ? -1 : 1;
  first = grid.first() + (high ? (across - 1) * step : 0);
}

bool in_part(const Grid& grid, const Side& side, std::size_t index, int k) {
  const double place = index == kLowX || index == kHighX ? grid.z(k) : grid.x(k);
  return place >= side.from && place <= side.to;
}

namespace {

// Water in a column, velocities counted inwards and along the side.
struct Column {
  double level = 0, depth = 0, inward = 0, along = 0;
};

// The first cell and the ghost ground of a place of a side.
struct Edge {
  Column inside;
  double ground = 0, wave = 0, outgoing = 0;  // of the ghost; √(g h) of the first cell; u - 2c
};

double wave_speed(double g, double depth) { return std::sqrt(g * std::max(0.0, depth)); }

// u h = q and u - 2c as inside: c² (R + 2c) = g q, by Newton's method from above, where it is convex.
Column inflow(const Edge& edge, double g, double discharge) {
  Column ghost = edge.inside;
  ghost.along = 0;
  if (discharge <= 0) {
    ghost.inward = edge.inside.depth > 0 ? discharge / edge.inside.depth : 0;
    return ghost;
  }
  const double r = edge.outgoing;
  double c = std::max({edge.wave, std::cbrt(g * discharge), std::max(0.0, -r)});
  for (int iteration = 0; iteration < 12; ++iteration)
    c -= (c * c * (r + 2 * c) - g * discharge) / (2 * c * (r + 3 * c));
  ghost.depth = c * c / g;
  ghost.level = edge.ground + ghost.depth;
  ghost.inward = r + 2 * c;
  return ghost;
}

Column held_level(const Edge& edge, double g, double level) {
  Column ghost;
  ghost.depth = std::max(0.0, level - edge.ground);
  ghost.level = edge.ground + ghost.depth;
  const double c = wave_speed(g, ghost.depth);
  ghost.inward = std::clamp(edge.outgoing + 2 * c, -10 * c, c);
  ghost.along = ghost.inward > 0 ? 0 : edge.inside.along;
  return ghost;
}

// A wave of level η running in over water at rest has u = 2 (c(η) - c(rest)).
Column sea(const Edge& edge, double g, double level, double rest) {
  const double c = wave_speed(g, level - edge.ground), calm = wave_speed(g, rest - edge.ground);
  const double incoming = 4 * c - 2 * calm;
  Column ghost;
  const double own = std::max(0.0, 0.25 * (incoming - edge.outgoing));
  ghost.depth = own * own / std::max(g, 1e-30);
  ghost.level = edge.ground + ghost.depth;
  ghost.inward = 0.5 * (incoming + edge.outgoing);
  ghost.along = ghost.inward > 0 ? 0 : edge.inside.along;
  return ghost;
}

// (∂t + c ∂n) of everything = 0 outwards, implicit: what leaves is what was there a moment ago [RT-57].
Column absorb(const Edge& edge, const Column& old, double dt, double cell_size) {
  const double c = edge.wave + std::max(0.0, -edge.inside.inward);
  const double share = dt * c / (cell_size + dt * c);
  auto mix = [&](double before, double now) { return before + share * (now - before); };
  Column ghost;
  ghost.level = mix(old.level, edge.inside.level);
  ghost.depth = std::max(0.0, ghost.level - edge.ground);
  ghost.inward = mix(old.inward, edge.inside.inward);
  ghost.along = mix(old.along, edge.inside.along);
  return ghost;
}

template <class Real>
struct Filler {
  const Model<Real>& model;
  const Params& params;
  const Inputs& inputs;
  bool at_end;
  double dt, g;
  const State<Real>& old;
  GhostFields<Real> fields;

  Column column(const Buffer<Real>& depth, const Buffer<Real>& flow_x, const Buffer<Real>& flow_z,
                const SideCells& cells, std::size_t at) const {
    Column c;
    c.depth = static_cast<double>(depth[at]);
    c.level = static_cast<double>(model.ground[at]) + c.depth;
    if (!(c.depth > params.dry_depth)) return c;
    const double x = static_cast<double>(flow_x[at]) / c.depth, z = static_cast<double>(flow_z[at]) / c.depth;
    c.inward = cells.sign * (cells.normal_is_x ? x : z);
    c.along = cells.normal_is_x ? z : x;
    return c;
  }

  void set(const SideCells& cells, std::size_t at, const Column& c) const {
    const double depth = std::max(0.0, c.level - static_cast<double>(model.ground[at]));
    const double normal = cells.sign * c.inward;
    fields.depth[at] = static_cast<Real>(depth);
    fields.flow_x[at] = static_cast<Real>(depth * (cells.normal_is_x ? normal : c.along));
    fields.flow_z[at] = static_cast<Real>(depth * (cells.normal_is_x ? c.along : normal));
  }

  void mirror(const SideCells& cells, int k) const {
    for (int layer = 0; layer < Grid::kGhosts; ++layer) {
      const std::size_t to = cells.at(k, -1 - layer), from = cells.at(k, std::min(layer, cells.across - 1));
      fields.depth[to] = fields.depth[from];
      fields.flow_x[to] = cells.normal_is_x ? -fields.flow_x[from] : fields.flow_x[from];
      fields.flow_z[to] = cells.normal_is_x ? fields.flow_z[from] : -fields.flow_z[from];
    }
  }

  void open(const SideCells& cells, SideKind kind, const SideValue& value, int k) const {
    const std::size_t first = cells.at(k, 0), ghost = cells.at(k, -1);
    Edge edge;
    edge.inside = column(fields.depth, fields.flow_x, fields.flow_z, cells, first);
    edge.ground = static_cast<double>(model.ground[ghost]);
    edge.wave = wave_speed(g, edge.inside.depth);
    edge.outgoing = edge.inside.inward - 2 * edge.wave;
    const double given = at_end ? value.end : value.start;
    Column outside;
    if (kind == SideKind::inflow) {
      outside = inflow(edge, g, given);
    } else if (kind == SideKind::level) {
      outside = held_level(edge, g, given);
    } else if (kind == SideKind::sea) {
      outside = sea(edge, g, given, value.rest);
    } else {
      const bool unset = old.depth[ghost] < 0;  // at the very start: as inside
      outside = unset ? edge.inside
                      : absorb(edge, column(old.depth, old.flow_x, old.flow_z, cells, ghost), dt,
                               model.grid.cell_size);
    }
    set(cells, ghost, outside);
    set(cells, cells.at(k, -2), outside);
  }
};

}  // namespace

template <class Real>
void fill_ghosts(const Model<Real>& model, const Params& params, const Inputs& inputs, const GhostTime& time,
                 const State<Real>& old, GhostFields<Real> fields, std::size_t side_index, int begin,
                 int end) {
  const Filler<Real> fill{model, params, inputs, time.at_end, time.passed, -inputs.gravity.y(), old, fields};
  const SideCells cells(model.grid, side_index);
  const Side& side = model.sides[side_index];
  for (int k = begin; k < end; ++k) {
    const bool wall = !model.walls.empty() && model.walls[cells.at(k, 0)] != 0;
    if (side.kind == SideKind::closed || wall || !in_part(model.grid, side, side_index, k))
      fill.mirror(cells, k);
    else
      fill.open(cells, side.kind, inputs.sides[side_index], k);
  }
}

template <class Real>
void fill_ghosts(const Model<Real>& model, const Params& params, const Inputs& inputs, const GhostTime& time,
                 const State<Real>& old, GhostFields<Real> fields) {
  for (std::size_t s = 0; s < kSideCount; ++s)
    fill_ghosts(model, params, inputs, time, old, fields, s, 0, SideCells(model.grid, s).length);
}

#define SELKIE_GHOSTS(Real)                                                                     \
  template void fill_ghosts(const Model<Real>&, const Params&, const Inputs&, const GhostTime&, \
                            const State<Real>&, GhostFields<Real>, std::size_t, int, int);      \
  template void fill_ghosts(const Model<Real>&, const Params&, const Inputs&, const GhostTime&, \
                            const State<Real>&, GhostFields<Real>);
SELKIE_GHOSTS(float)
SELKIE_GHOSTS(double)
#undef SELKIE_GHOSTS

}  // namespace selkie::shallow_water::detail
