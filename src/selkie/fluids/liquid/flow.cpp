// See flow.h.
#include "selkie/fluids/liquid/flow.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/profile.h"
#include "selkie/fluids/liquid/detail/taps.h"
#include "selkie/fluids/liquid/transfer.h"
#include "selkie/grid/loops.h"

namespace selkie::liquid {
namespace {

constexpr auto kFluid = grid::code_of(grid::CellKind::fluid), kAir = grid::code_of(grid::CellKind::air),
               kSolid = grid::code_of(grid::CellKind::solid);
// Through a slit narrower than this share of a face little flows, but fast: its velocity says nothing about the
// liquid around, which finds the mean of its neighbours there instead.
constexpr double kLeastOpen = 0.1;

}  // namespace

template <class Real>
void classify(const Model& model, const PlacedSolids<Real>& solids, const State<Real>& state,
              FlowWork<Real>& work) {
  const grid::Shape& shape = model.shape;
  work.kinds = solids.room;
  const auto kinds = grid::view(shape, work.kinds);
  const auto phi = grid::view(shape, state.surface);
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    std::uint8_t* const kind = kinds.line(j, k);
    const Real* const distance = phi.line(j, k);
    for (int i = 0; i < shape.cells()[0]; ++i)
      kind[i] = kind[i] == kSolid ? kSolid : distance[i] < 0 ? kFluid : kAir;
  });
  fill_pockets(model, solids, work.kinds, work.pockets);
}

template <class Real>
grid::ProjectionInputs<Real> projection_inputs(const Model& model, const PlacedSolids<Real>& solids,
                                               const State<Real>& state, const FlowWork<Real>& work) {
  const grid::Shape& shape = model.shape;
  grid::ProjectionInputs<Real> in;
  in.domain.shape = shape;
  in.domain.kinds = grid::view(shape, work.kinds);
  in.domain.surface = grid::view(shape, state.surface);
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(shape.dims()); ++axis) {
    if (solids.any()) in.domain.open[axis] = grid::view(shape, solids.open[axis]);
    if (solids.moving()) in.solid_velocity[axis] = grid::view(shape, solids.velocity[axis]);
  }
  if (!work.source.empty()) in.source = grid::view(shape, work.source);
  return in;
}

template <class Real>
void assemble(const Model& model, const PlacedSolids<Real>& solids, const State<Real>& state,
              FlowWork<Real>& work) {
  const ProfileZone zone("liquid.assemble");
  const grid::Shape& shape = model.shape;
  const auto in = projection_inputs(model, solids, state, work);
  work.projection.solver.build(in.domain);
  if (work.projection.right.size() != shape.size()) work.projection.right.assign(shape.size(), Real(0));
  grid::flux_balance<Real, Real>(in, velocity_views(model, state), grid::view(shape, work.projection.right));
}

template <class Real>
StepReport solve(const Model& model, const Params& params, State<Real>& state, FlowWork<Real>& work) {
  const ProfileZone zone("liquid.solve");
  const grid::Shape& shape = model.shape;
  grid::PressureOptions options;
  options.tolerance = params.tolerance;
  options.max_iterations = params.max_iterations;
  options.warm_start = true;
  const linalg::SolveReport report = work.projection.solver.solve(
      grid::view(shape, std::as_const(work.projection.right)), grid::view(shape, state.pressure), options);
  StepReport step;
  if (!report.converged()) step = StepReport::failure("pressure: " + report.text());
  step.iterations = report.iterations;
  step.residual = report.residual;
  return step;
}

template <class Real>
void correct(const Model& model, const PlacedSolids<Real>& solids, State<Real>& state, FlowWork<Real>& work) {
  const ProfileZone zone("liquid.correct");
  const auto in = projection_inputs(model, solids, state, work);
  grid::subtract_gradient<Real, Real>(in, grid::view(model.shape, std::as_const(state.pressure)),
                                      velocity_views(model, state));
}

namespace {

// Marks the open faces of liquid cells as known and clears the others; the change of known ones.
template <class Real>
void mark_known(const Model& model, const PlacedSolids<Real>& solids, int axis, State<Real>& state,
                FlowWork<Real>& work) {
  const grid::Shape& shape = model.shape;
  const auto a = static_cast<std::size_t>(axis);
  const auto marks = grid::view(shape, work.marks);
  const auto kinds = grid::view(shape, std::as_const(work.kinds));
  const auto u = grid::view(shape, *state.velocity()[a]);
  const bool changes = !work.before[a].empty();
  if (changes && work.change[a].size() != shape.size()) work.change[a].assign(shape.size(), Real(0));
  const std::ptrdiff_t step = shape.stride(axis);
  const grid::Box box = grid::sample_box(shape, grid::face_place(axis));
  grid::for_each_row(box, [&](int j, int k) {
    const std::uint8_t *high = kinds.line(j, k), *low = high - step;
    std::uint8_t* const mark = marks.line(j, k);
    Real* const value = u.line(j, k);
    const std::ptrdiff_t row = j * shape.row() + k * shape.plane() + shape.first();
    const Real* const open = solids.any() ? solids.open[a].data() + row : nullptr;
    for (int i = 0; i < box.hi[0]; ++i)
      mark[i] = (high[i] == kFluid || low[i] == kFluid) && (open == nullptr || open[i] > static_cast<Real>(kLeastOpen)) ? grid::kKnown
                                                                                            : grid::kUnknown;
    for (int i = 0; i < box.hi[0]; ++i) value[i] = mark[i] == grid::kKnown ? value[i] : Real(0);
    if (!changes) return;
    const Real* const old = work.before[a].data() + row;
    Real* const change = work.change[a].data() + row;
    for (int i = 0; i < box.hi[0]; ++i) change[i] = mark[i] == grid::kKnown ? value[i] - old[i] : Real(0);
  });
}

// u ← u − ((u − v_s)·n) n at closed faces (LE-20), with the velocities around as they were before.
template <class Real, int Dims>
void slip_along_solids(const Model& model, Colliders colliders, Colliders sticky, double time,
                       const PlacedSolids<Real>& solids, State<Real>& state, FlowWork<Real>& work) {
  const grid::Shape& shape = model.shape;
  const bool moves = std::any_of(colliders.begin(), colliders.end(),
                                 [](const ports::FieldSampler* collider) { return !collider->still(); });
  for (std::size_t a = 0; a < Dims; ++a) work.before[a] = *state.velocity()[a];
  const detail::Faces<Real, Dims> faces(shape, {&work.before[0], &work.before[1], &work.before[2]});
  for (int axis = 0; axis < Dims; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const auto u = grid::view(shape, *state.velocity()[a]);
    const auto open = grid::view(shape, solids.open[a]);
    const grid::Box box = grid::sample_box(shape, grid::face_place(axis));
    const Vec3 offset = shape.offset(grid::face_place(axis));
    grid::for_each_row(box, [&](int j, int k) {
      for (int i = 0; i < box.hi[0]; ++i) {
        if (open(i, j, k) > 0) continue;
        std::array<Real, 3> x{static_cast<Real>(i + offset[0]), static_cast<Real>(j + offset[1]),
                              static_cast<Real>(k + offset[2])};
        for (std::size_t b = 0; b < Dims; ++b)
          x[b] = std::clamp(x[b], Real(detail::kMargin), static_cast<Real>(shape.cells()[b] - detail::kMargin));
        const NodeDistance<Real> solid = distance_at(shape, solids.nodes, x);
        // Deep inside nothing reads the velocity.
        if (solid.distance < static_cast<Real>(-4 * shape.cell_size())) continue;
        if (!sticky.empty()) {
          const auto body = nearest_solid(sticky, shape.position(grid::face_place(axis), i, j, k), time);
          if (body.distance < 0.5 * shape.cell_size()) {
            u(i, j, k) = static_cast<Real>(body.velocity[axis]);
            continue;
          }
        }
        const auto here = detail::sample<Real, Dims>(faces, x);
        Vec3 moving = Vec3::Zero();
        if (moves)
          moving = nearest_solid(colliders, shape.position(grid::face_place(axis), i, j, k), time).velocity;
        Real into = 0;
        for (std::size_t b = 0; b < Dims; ++b)
          into += (here[b] - static_cast<Real>(moving[static_cast<Eigen::Index>(b)])) * solid.normal[b];
        u(i, j, k) -= into * solid.normal[a];
      }
    });
  }
}

// Sides of the box let nothing through.
template <class Real>
void close_sides(const Model& model, State<Real>& state) {
  for (int axis = 0; axis < model.shape.dims(); ++axis)
    for (const bool high : {false, true}) {
      if (model.side(axis, high) == Side::open) continue;
      const auto a = static_cast<std::size_t>(axis);
      const auto u = grid::view(model.shape, *state.velocity()[a]);
      grid::Box box = grid::sample_box(model.shape, grid::face_place(axis));
      box.lo[a] = high ? box.hi[a] - 1 : 0;
      box.hi[a] = box.lo[a] + 1;
      grid::for_each_row(box, [&](int j, int k) {
        for (int i = box.lo[0]; i < box.hi[0]; ++i) u(i, j, k) = 0;
      });
    }
}

}  // namespace

template <class Real>
void extrapolate(const Model& model, Colliders colliders, Colliders sticky, double time,
                 const PlacedSolids<Real>& solids, int layers, State<Real>& state, FlowWork<Real>& work) {
  const ProfileZone zone("liquid.extrapolate");
  const grid::Shape& shape = model.shape;
  if (work.marks.size() != shape.size()) work.marks.resize(shape.size());
  for (int axis = 0; axis < shape.dims(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    mark_known(model, solids, axis, state, work);
    grid::plan_fill(shape, grid::face_place(axis), layers, work.marks, work.fill[a]);
    grid::fill_layers(shape, work.fill[a], layers, *state.velocity()[a]);
    if (work.before[a].empty()) continue;
    grid::fill_layers(shape, work.fill[a], layers, work.change[a]);
    fill_ghosts(shape, grid::face_place(axis), work.change[a]);
  }
  close_sides(model, state);
  auto ghosts = [&] {
    for (int axis = 0; axis < shape.dims(); ++axis)
      fill_ghosts(shape, grid::face_place(axis), *state.velocity()[static_cast<std::size_t>(axis)]);
  };
  ghosts();
  if (!solids.any()) return;
  if (shape.dims() == 3)
    slip_along_solids<Real, 3>(model, colliders, sticky, time, solids, state, work);
  else
    slip_along_solids<Real, 2>(model, colliders, sticky, time, solids, state, work);
  ghosts();
}

template <class Real>
void add_gravity(const Model& model, const Vec3& gravity, double dt, State<Real>& state) {
  for (int axis = 0; axis < model.shape.dims(); ++axis) {
    const Real push = static_cast<Real>(gravity[axis] * dt);
    if (push == 0) continue;
    Real* const u = state.velocity()[static_cast<std::size_t>(axis)]->data();
    parallel_blocks(model.shape.size(), 16384, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) u[i] += push;
    });
  }
}

#define SELKIE_INSTANTIATE(Real)                                                                             \
  template void classify<Real>(const Model&, const PlacedSolids<Real>&, const State<Real>&, FlowWork<Real>&); \
  template grid::ProjectionInputs<Real> projection_inputs<Real>(const Model&, const PlacedSolids<Real>&,     \
                                                                const State<Real>&, const FlowWork<Real>&);  \
  template void assemble<Real>(const Model&, const PlacedSolids<Real>&, const State<Real>&, FlowWork<Real>&); \
  template StepReport solve<Real>(const Model&, const Params&, State<Real>&, FlowWork<Real>&);               \
  template void correct<Real>(const Model&, const PlacedSolids<Real>&, State<Real>&, FlowWork<Real>&);       \
  template void extrapolate<Real>(const Model&, Colliders, Colliders, double, const PlacedSolids<Real>&,     \
                                  int, State<Real>&, FlowWork<Real>&);                                         \
  template void add_gravity<Real>(const Model&, const Vec3&, double, State<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::liquid
