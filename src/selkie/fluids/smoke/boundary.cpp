// See boundary.h.
#include "selkie/fluids/smoke/boundary.h"

#include <algorithm>
#include <atomic>

#include "selkie/grid/loops.h"
#include "selkie/grid/solid_fractions.h"

namespace selkie::smoke {
namespace {

grid::OpenSides open_sides(const Model& model) {
  grid::OpenSides open{};
  for (int axis = 0; axis < model.shape.dims(); ++axis)
    for (const bool high : {false, true})
      open[static_cast<std::size_t>(axis)][high] = model.side(axis, high) == Side::open;
  return open;
}

bool has_wind(const Model& model) {
  return std::find(model.sides.begin(), model.sides.begin() + 2 * model.shape.dims(), Side::wind) !=
         model.sides.begin() + 2 * model.shape.dims();
}

// Normal velocity of the wind at the faces of wind sides.
template <class Real>
void set_wind(const Model& model, const Params& params, const grid::FaceViews<Real>& faces) {
  for (int axis = 0; axis < model.shape.dims(); ++axis)
    for (const bool high : {false, true}) {
      if (model.side(axis, high) == Side::open) continue;
      const Real speed =
          model.side(axis, high) == Side::wind ? static_cast<Real>(params.wind[axis]) : Real(0);
      const auto a = static_cast<std::size_t>(axis);
      grid::Box box = grid::sample_box(model.shape, grid::face_place(axis));
      box.lo[a] = high ? box.hi[a] - 1 : 0;
      box.hi[a] = box.lo[a] + 1;
      grid::for_each_row(box, [&](int j, int k) {
        for (int i = box.lo[0]; i < box.hi[0]; ++i) faces[a](i, j, k) = speed;
      });
    }
}

template <class Real>
grid::FaceViews<Real> views_of(const grid::Shape& shape, std::array<Buffer<Real>, 3>& fields) {
  grid::FaceViews<Real> views;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(shape.dims()); ++axis) {
    if (fields[axis].size() != shape.size()) fields[axis].assign(shape.size(), 0);
    views[axis] = grid::view(shape, fields[axis]);
  }
  return views;
}

}  // namespace

SolidDistance nearest_solid(std::span<const ports::FieldSampler* const> colliders, const Vec3& point,
                            double time) {
  SolidDistance nearest;
  for (const ports::FieldSampler* collider : colliders) {
    const ports::FieldSample sample = collider->sample(point, time);
    if (sample.distance < nearest.distance) nearest = {sample.distance, sample.normal};
  }
  return nearest;
}

template <class Real>
void place_solids(const Model& model, const Params& params, const Inputs& inputs, double time,
                  Work<Real>& work) {
  const grid::Shape& shape = model.shape;
  work.kinds = grid::all_fluid(shape, open_sides(model));
  if (inputs.colliders.empty()) {
    for (auto& field : work.open) field.resize(0);
    work.first_order.resize(0);
    if (!has_wind(model)) return;
    set_wind<Real>(model, params, views_of(shape, work.solid_velocity));
    return;
  }
  grid::sample_nodes<Real>(
      shape, [&](const Vec3& x) { return nearest_solid(inputs.colliders, x, time).distance; }, work.nodes);
  grid::open_fractions<Real>(shape, grid::view(shape, std::as_const(work.nodes)), {},
                             views_of(shape, work.open), grid::view(shape, work.kinds));
  const auto faces = views_of(shape, work.solid_velocity);
  auto velocity = [&](const Vec3& x) -> Vec3 {
    ports::FieldSample nearest;
    nearest.distance = 1e30;
    for (const ports::FieldSampler* collider : inputs.colliders) {
      const ports::FieldSample sample = collider->sample(x, time);
      if (sample.distance < nearest.distance) nearest = sample;
    }
    return nearest.velocity;
  };
  grid::sample_face_velocity<Real>(shape, velocity, faces);
  set_wind<Real>(model, params, faces);
}

template <class Real>
void mark_first_order(const Model& model, double reach, Work<Real>& work) {
  const grid::Shape& shape = model.shape;
  if (work.open[0].empty()) return;
  work.first_order.assign(shape.size(), 0);
  const auto marks = grid::view(shape, work.first_order);
  const auto nodes = grid::view(shape, std::as_const(work.nodes));
  const std::ptrdiff_t up = shape.row(), back = shape.dims() == 3 ? shape.plane() : 0;
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    const Real* const d = nodes.line(j, k);
    std::uint8_t* const mark = marks.line(j, k);
    for (int i = 0; i < shape.cells()[0]; ++i) {
      const Real sum = d[i] + d[i + 1] + d[i + up] + d[i + 1 + up] + d[i + back] + d[i + 1 + back] +
                       d[i + up + back] + d[i + 1 + up + back];
      mark[i] = Real(0.125) * sum <= static_cast<Real>(reach);
    }
  });
}

template <class Real>
void extrapolate_into_solids(const Model& model, int layers, Work<Real>& work, State<Real>& state) {
  const grid::Shape& shape = model.shape;
  if (work.open[0].empty()) return;
  const auto velocity = velocity_views(model, state);
  for (int axis = 0; axis < shape.dims(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const grid::Box box = grid::sample_box(shape, grid::face_place(axis));
    // 0: unknown, n: known after n − 1 layers. Only values of earlier layers are read, so order does not
    // matter.
    Buffer<std::uint8_t>& known = work.held[a];
    known.assign(shape.size(), 0);
    const auto layer_of = grid::view(shape, known);
    const auto open = grid::view(shape, std::as_const(work.open[a]));
    grid::for_each_row(box, [&](int j, int k) {
      for (int i = box.lo[0]; i < box.hi[0]; ++i) layer_of(i, j, k) = open(i, j, k) > 0 ? 1 : 0;
    });
    for (int layer = 1; layer <= layers; ++layer)
      grid::for_each_row(box, [&](int j, int k) {
        for (int i = box.lo[0]; i < box.hi[0]; ++i) {
          if (layer_of(i, j, k) != 0) continue;
          Real sum = 0;
          int count = 0;
          const grid::Index at{i, j, k};
          for (std::size_t d = 0; d < static_cast<std::size_t>(shape.dims()); ++d)
            for (const int side : {-1, 1}) {
              grid::Index n = at;
              n[d] += side;
              if (n[d] < 0 || n[d] >= box.hi[d]) continue;
              // A neighbour may become known in this very pass; then it is above `layer` and not read.
              const std::uint8_t there =
                  std::atomic_ref(layer_of(n[0], n[1], n[2])).load(std::memory_order_relaxed);
              if (there == 0 || there > layer) continue;
              sum += velocity[a](n[0], n[1], n[2]), ++count;
            }
          if (count == 0) continue;
          velocity[a](i, j, k) = sum / static_cast<Real>(count);
          std::atomic_ref(layer_of(i, j, k))
              .store(static_cast<std::uint8_t>(layer + 1), std::memory_order_relaxed);
        }
      });
  }
}

template <class Real>
grid::ProjectionInputs<Real> projection_inputs(const Model& model, const Work<Real>& work, bool expanding) {
  const grid::Shape& shape = model.shape;
  grid::ProjectionInputs<Real> in;
  in.domain.shape = shape;
  in.domain.kinds = grid::view(shape, work.kinds);
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(shape.dims()); ++axis) {
    if (!work.open[axis].empty()) in.domain.open[axis] = grid::view(shape, work.open[axis]);
    if (!work.solid_velocity[axis].empty())
      in.solid_velocity[axis] = grid::view(shape, work.solid_velocity[axis]);
  }
  if (expanding) in.source = grid::view(shape, work.expansion);
  return in;
}

#define SELKIE_INSTANTIATE(Real)                                                                     \
  template void place_solids<Real>(const Model&, const Params&, const Inputs&, double, Work<Real>&); \
  template void mark_first_order<Real>(const Model&, double, Work<Real>&);                           \
  template void extrapolate_into_solids<Real>(const Model&, int, Work<Real>&, State<Real>&);         \
  template grid::ProjectionInputs<Real> projection_inputs<Real>(const Model&, const Work<Real>&, bool);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::smoke
