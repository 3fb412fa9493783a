// See pour.h.
#include "selkie/fluids/liquid/pour.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/profile.h"
#include "selkie/fluids/liquid/volume.h"
#include "selkie/grid/loops.h"

namespace selkie::liquid {
namespace {

constexpr double kMostPerStep = 0.5;  // of the liquid in a form: what a step may add or take by divergence
// Cells: what becomes liquid is at least this thick from its middle, unless the form is thinner. Less would
// be lost by the first steps: the inflow waits and sends drops.
constexpr double kThinnest = 1.5;
constexpr int kHalvings = 20;  // of the search for how much of a form becomes liquid

// The cells whose centre lies within a cell of the form's box.
grid::Box cells_around(const grid::Shape& shape, const Form& form) {
  const Form::Extent extent = form.extent(shape);
  Vec3 low = Vec3::Constant(1e30), high = -low;
  for (int c = 0; c < 8; ++c) {
    const Vec3 corner(c & 1 ? extent.high.x() : extent.low.x(), c & 2 ? extent.high.y() : extent.low.y(),
                      c & 4 ? extent.high.z() : extent.low.z());
    const Vec3 cells = cells_of(shape, form.pose() * corner);
    low = low.cwiseMin(cells), high = high.cwiseMax(cells);
  }
  grid::Box box = grid::sample_box(shape, grid::Place::cell);
  for (int a = 0; a < shape.dims(); ++a) {
    const auto axis = static_cast<std::size_t>(a);
    const double n = shape.cells()[axis];
    box.lo[axis] = static_cast<int>(std::clamp(std::floor(low[a]) - 1, 0.0, n));
    box.hi[axis] = static_cast<int>(std::clamp(std::ceil(high[a]) + 1, 0.0, n));
  }
  return box;
}

template <class Real>
struct Pouring {
  const Model& model;
  const PlacedSolids<Real>& solids;
  State<Real>& state;
  const grid::Shape& shape = model.shape;
  const double dx = shape.cell_size();
  const grid::View<Real> phi = grid::view(shape, state.surface);
  const grid::View<const std::uint8_t> room = grid::view(shape, solids.room);

  bool is_free(int i, int j, int k) const { return room(i, j, k) != grid::code_of(grid::CellKind::solid); }
  double distance(const Form& form, int i, int j, int k) const {
    return form.distance(shape.position(grid::Place::cell, i, j, k));
  }
  double share(int i, int j, int k, double value) const {
    if (solids.any())
      value = std::max(
          value, -double(plain_distance_at<Real>(shape, solids.nodes,
                                                 {static_cast<Real>(i + 0.5), static_cast<Real>(j + 0.5),
                                                  static_cast<Real>(k + (shape.dims() == 3 ? 0.5 : 0))})));
    return std::clamp(0.5 - value / dx, 0.0, 1.0);
  }

  // Sum of value(i, j, k) over the free cells of a box; in one order.
  template <class Value>
  double sum_free(const grid::Box& box, Value&& value) const {
    double sum = 0;
    for (int k = box.lo[2]; k < box.hi[2]; ++k)
      for (int j = box.lo[1]; j < box.hi[1]; ++j)
        for (int i = box.lo[0]; i < box.hi[0]; ++i)
          if (is_free(i, j, k)) sum += value(i, j, k);
    return sum;
  }
  // What the form would bring if it were smaller by `less`, m³.
  double brings(const Form& form, const grid::Box& box, double less) const {
    return model.cell_volume() * sum_free(box, [&](int i, int j, int k) {
             const double old = double(phi(i, j, k));
             return share(i, j, k, std::min(old, distance(form, i, j, k) + less)) - share(i, j, k, old);
           });
  }
  // How far the middle of the form's free part lies inside it, m.
  double depth(const Form& form, const grid::Box& box) const {
    double deepest = 0;
    (void)sum_free(box, [&](int i, int j, int k) {
      deepest = std::max(deepest, -distance(form, i, j, k));
      return 0.0;
    });
    return deepest;
  }
  // By how much the form must be smaller to bring no more than `most`; as much as it is deep: not at all yet.
  double find_less(const Form& form, const grid::Box& box, double most) const {
    if (brings(form, box, 0) <= most) return 0;
    const double whole = depth(form, box);
    double low = 0, high = whole + 0.5 * dx;
    for (int n = 0; n < kHalvings; ++n) {
      const double middle = 0.5 * (low + high);
      (brings(form, box, middle) > most ? low : high) = middle;
    }
    return whole - high < std::min(kThinnest * dx, 0.75 * whole) ? whole + dx : high;
  }
  double liquid_cells(const Form& form, const grid::Box& box) const {
    return sum_free(box, [&](int i, int j, int k) {
      return double(phi(i, j, k)) < 0 && distance(form, i, j, k) <= 0 ? 1.0 : 0.0;
    });
  }

  void fill(const Form& form, const grid::Box& box, double less) {
    (void)sum_free(box, [&](int i, int j, int k) {
      phi(i, j, k) = std::min(phi(i, j, k), static_cast<Real>(distance(form, i, j, k) + less));
      return 0.0;
    });
  }
  void empty(const Form& form, const grid::Box& box) {
    (void)sum_free(box, [&](int i, int j, int k) {
      phi(i, j, k) = std::max(phi(i, j, k), static_cast<Real>(-distance(form, i, j, k)));
      return 0.0;
    });
  }
  void set_velocity(const Form& form, const grid::Box& cells, double less, const Vec3& velocity) {
    for (int axis = 0; axis < shape.dims(); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const auto u = grid::view(shape, *state.velocity()[a]);
      grid::Box box = cells;
      ++box.hi[a];
      grid::for_each_row(box, [&](int j, int k) {
        for (int i = box.lo[0]; i < box.hi[0]; ++i)
          if (form.distance(shape.position(grid::face_place(axis), i, j, k)) + less <= 0)
            u(i, j, k) = static_cast<Real>(velocity[axis]);
      });
    }
  }
  // Markers of one side where the form now says the other; they would undo it.
  void drop_markers(const Form& form, double less, bool outer) {
    grid::Markers<Real>& m = state.markers;
    std::size_t kept = 0;
    for (std::size_t p = 0; p < m.size(); ++p) {
      if ((m.outer[p] != 0) == outer && form.distance(m.positions[p].template cast<double>()) + less < 0)
        continue;
      m.positions[kept] = m.positions[p], m.radii[kept] = m.radii[p];
      m.outer[kept] = m.outer[p], m.identities[kept] = m.identities[p];
      ++kept;
    }
    m.positions.resize(kept), m.radii.resize(kept), m.outer.resize(kept), m.identities.resize(kept);
  }
  // `amount` m³ over dt, evenly in the liquid of the form.
  void spread(const Form& form, const grid::Box& box, double amount, double cells, double dt,
              Buffer<Real>& rate) {
    const auto out = grid::view(shape, rate);
    const Real each = static_cast<Real>(amount / (dt * cells * model.cell_volume()));
    (void)sum_free(box, [&](int i, int j, int k) {
      if (double(phi(i, j, k)) < 0 && distance(form, i, j, k) <= 0) out(i, j, k) += each;
      return 0.0;
    });
  }
};

}  // namespace

template <class Real>
void pour(const Model& model, const Sources& sources, Interval interval, const PlacedSolids<Real>& solids,
          State<Real>& state, Buffer<Real>& scratch) {
  const ProfileZone zone("liquid.pour");
  const std::size_t count = sources.inflows.size();
  if (state.owed.size() != count) state.owed.assign(count, 0.0);
  Pouring<Real> pouring{model, solids, state};
  auto volume = [&] { return enclosed_volume(model, solids, state.surface, scratch); };
  double before = -1;  // m³; measured when first needed
  for (std::size_t n = 0; n < count; ++n) {
    const Inflow& inflow = sources.inflows[n];
    if (!is_active(inflow.start, inflow.end, interval)) continue;
    const double from = std::max(interval.t0(), inflow.start),
                 until = inflow.end ? std::min(interval.t1(), *inflow.end) : interval.t1();
    state.owed[n] += inflow.rate * (until - from);
    if (before < 0) before = volume();
    const Form form = Form::of_inflow(sources, n, interval.t1());
    const grid::Box box = cells_around(model.shape, form);
    const double less = pouring.find_less(form, box, std::max(0.0, state.owed[n]));
    pouring.fill(form, box, less);
    pouring.drop_markers(form, less, true);
    pouring.set_velocity(
        form, box, less,
        form.pose().linear() * Vec3(inflow.velocity[0], inflow.velocity[1], inflow.velocity[2]));
    const double after = volume(), came = after - before;
    before = after;
    state.owed[n] -= came, state.volumes.inflow += came, state.volume_due += came;
    if (less == 0 && pouring.liquid_cells(form, box) == 0)
      state.volumes.refused += state.owed[n], state.owed[n] = 0;
  }
  for (std::size_t n = 0; n < sources.drains.size(); ++n) {
    const Drain& drain = sources.drains[n];
    if (!is_active(drain.start, drain.end, interval) || drain.rate) continue;
    if (before < 0) before = volume();
    const Form form = Form::of_drain(sources, n, interval.t1());
    pouring.empty(form, cells_around(model.shape, form));
    pouring.drop_markers(form, 0, false);
    const double after = volume(), went = before - after;
    before = after;
    state.volumes.drained += went, state.volume_due -= went;
  }
}

template <class Real>
void add_pouring(const Model& model, const Sources& sources, Interval interval,
                 const PlacedSolids<Real>& solids, State<Real>& state, Buffer<Real>& rate) {
  Pouring<Real> pouring{model, solids, state};
  const double dt = interval.dt();
  auto at_most = [&](double cells) { return kMostPerStep * cells * model.cell_volume(); };
  for (std::size_t n = 0; n < sources.inflows.size(); ++n) {
    const Inflow& inflow = sources.inflows[n];
    if (!is_active(inflow.start, inflow.end, interval) || !(state.owed[n] > 0)) continue;
    const Form form = Form::of_inflow(sources, n, interval.t1());
    const grid::Box box = cells_around(model.shape, form);
    const double cells = pouring.liquid_cells(form, box), came = std::min(state.owed[n], at_most(cells));
    if (cells == 0) continue;
    pouring.spread(form, box, came, cells, dt, rate);
    state.owed[n] -= came, state.volumes.inflow += came, state.volume_due += came;
  }
  for (std::size_t n = 0; n < sources.drains.size(); ++n) {
    const Drain& drain = sources.drains[n];
    if (!is_active(drain.start, drain.end, interval) || !drain.rate) continue;
    const Form form = Form::of_drain(sources, n, interval.t1());
    const grid::Box box = cells_around(model.shape, form);
    const double cells = pouring.liquid_cells(form, box), went = std::min(*drain.rate * dt, at_most(cells));
    if (cells == 0) continue;
    pouring.spread(form, box, -went, cells, dt, rate);
    state.volumes.drained += went, state.volume_due -= went;
  }
}

template <class Real>
void count_outflow(const Model& model, double dt, const PlacedSolids<Real>& solids, State<Real>& state) {
  const grid::Shape& shape = model.shape;
  const double dx = shape.cell_size();
  const auto phi = grid::view(shape, std::as_const(state.surface));
  double went = 0;
  for (int axis = 0; axis < shape.dims(); ++axis)
    for (const bool high : {false, true}) {
      if (model.side(axis, high) != Side::open) continue;
      const auto a = static_cast<std::size_t>(axis);
      const auto u = grid::view(shape, std::as_const(*state.velocity()[a]));
      grid::Box box = grid::sample_box(shape, grid::face_place(axis));
      box.lo[a] = high ? box.hi[a] - 1 : 0;
      box.hi[a] = box.lo[a] + 1;
      went += (high ? 1 : -1) * dt * model.cell_volume() / dx * grid::sum_rows(box, [&](int j, int k) {
                double row = 0;
                for (int i = box.lo[0]; i < box.hi[0]; ++i) {
                  const int back = high ? 1 : 0;
                  const double inside = double(phi(i - (axis == 0 ? back : 0), j - (axis == 1 ? back : 0),
                                                   k - (axis == 2 ? back : 0)));
                  double open = std::clamp(0.5 - inside / dx, 0.0, 1.0);
                  if (solids.any()) open *= double(grid::view(shape, solids.open[a])(i, j, k));
                  row += open * double(u(i, j, k));
                }
                return row;
              });
    }
  state.volumes.outflow += went, state.volume_due -= went;
}

#define SELKIE_INSTANTIATE(Real)                                                                            \
  template void pour<Real>(const Model&, const Sources&, Interval, const PlacedSolids<Real>&, State<Real>&, \
                           Buffer<Real>&);                                                                  \
  template void add_pouring<Real>(const Model&, const Sources&, Interval, const PlacedSolids<Real>&,        \
                                  State<Real>&, Buffer<Real>&);                                             \
  template void count_outflow<Real>(const Model&, double, const PlacedSolids<Real>&, State<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::liquid
