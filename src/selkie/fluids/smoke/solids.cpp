// See solids.h.
#include "selkie/fluids/smoke/solids.h"

#include <algorithm>
#include <cmath>

#include "selkie/grid/loops.h"
#include "selkie/grid/solid_fractions.h"

namespace selkie::smoke {
namespace {

constexpr int kMostLayers = 10;  // of velocity in solids: farther in, rays find the solid's own
constexpr int kScalarLayers = 2;
constexpr int kBlock = 8;           // nodes along an edge of a block whose middle is looked at first
constexpr double kExactReach = 12;  // cells from a surface within which every node is sampled

grid::OpenSides open_sides(const Model& model) {
  grid::OpenSides open{};
  for (int axis = 0; axis < model.shape.dims(); ++axis)
    for (const bool high : {false, true})
      open[static_cast<std::size_t>(axis)][high] = model.side(axis, high) == Side::open;
  return open;
}

bool has_wind(const Model& model) {
  const auto end = model.sides.begin() + 2 * model.shape.dims();
  return std::find(model.sides.begin(), end, Side::wind) != end;
}

template <class Real>
grid::FaceViews<Real> sized_views(const grid::Shape& shape, std::array<Buffer<Real>, 3>& fields) {
  grid::FaceViews<Real> views;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(shape.dims()); ++axis) {
    if (fields[axis].size() != shape.size()) fields[axis].assign(shape.size(), 0);
    views[axis] = grid::view(shape, fields[axis]);
  }
  return views;
}

// Normal velocity of walls and of the wind at the sides of the box.
template <class Real>
void set_side_velocities(const Model& model, const Params& params, const grid::FaceViews<Real>& faces) {
  for (int axis = 0; axis < model.shape.dims(); ++axis)
    for (const bool high : {false, true}) {
      if (model.side(axis, high) == Side::open) continue;
      const bool wind = model.side(axis, high) == Side::wind;
      const Real speed = wind ? static_cast<Real>(params.wind[axis]) : Real(0);
      const auto a = static_cast<std::size_t>(axis);
      grid::Box box = grid::sample_box(model.shape, grid::face_place(axis));
      box.lo[a] = high ? box.hi[a] - 1 : 0;
      box.hi[a] = box.lo[a] + 1;
      grid::for_each_row(box, [&](int j, int k) {
        for (int i = box.lo[0]; i < box.hi[0]; ++i) faces[a](i, j, k) = speed;
      });
    }
}

ports::FieldSample nearest_sample(Colliders colliders, const Vec3& point, double time) {
  ports::FieldSample nearest;
  nearest.distance = 1e30;
  for (const ports::FieldSampler* collider : colliders) {
    const ports::FieldSample sample = collider->sample(point, time);
    if (sample.distance < nearest.distance) nearest = sample;
  }
  return nearest;
}

// Distances at nodes: exact near surfaces; far from them a lower bound of the right sign, from the middle of
// a block, because distances differ by no more than the way between two points.
template <class Real>
void sample_distances(const grid::Shape& shape, Colliders colliders, double time,
                      const grid::View<Real>& nodes) {
  const grid::Index n = shape.samples(grid::Place::node);
  const double dx = shape.cell_size();
  const double half = 0.5 * (kBlock - 1) * dx * std::sqrt(double(shape.dims()));
  std::array<int, 3> blocks{};
  for (std::size_t a = 0; a < 3; ++a) blocks[a] = (n[a] + kBlock - 1) / kBlock;
  parallel_for(
      static_cast<std::size_t>(blocks[0]) * static_cast<std::size_t>(blocks[1]) *
          static_cast<std::size_t>(blocks[2]),
      [&](std::size_t b) {
        const int block = static_cast<int>(b);
        const grid::Index lo{block % blocks[0] * kBlock, block / blocks[0] % blocks[1] * kBlock,
                             block / (blocks[0] * blocks[1]) * kBlock};
        Vec3 middle = shape.position(grid::Place::node, lo[0], lo[1], lo[2]);
        for (int axis = 0; axis < shape.dims(); ++axis) middle[axis] += 0.5 * (kBlock - 1) * dx;
        const double there = nearest_sample(colliders, middle, time).distance;
        const double bound = std::abs(there) - half;
        const bool far = bound > kExactReach * dx;
        for (int k = lo[2]; k < std::min(n[2], lo[2] + kBlock); ++k)
          for (int j = lo[1]; j < std::min(n[1], lo[1] + kBlock); ++j)
            for (int i = lo[0]; i < std::min(n[0], lo[0] + kBlock); ++i)
              nodes(i, j, k) = static_cast<Real>(
                  far ? std::copysign(bound, there)
                      : nearest_sample(colliders, shape.position(grid::Place::node, i, j, k), time).distance);
      },
      8);
}

// Mean distance of each cell's corners, in whole cells.
template <class Real>
void count_cells_away(const grid::Shape& shape, const grid::View<const Real>& nodes,
                      const grid::View<std::uint8_t>& away) {
  const std::ptrdiff_t up = shape.row(), back = shape.dims() == 3 ? shape.plane() : 0;
  const Real scale = static_cast<Real>(0.125 / shape.cell_size());
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    const Real* const d = nodes.line(j, k);
    std::uint8_t* const out = away.line(j, k);
    for (int i = 0; i < shape.cells()[0]; ++i) {
      const Real sum = (d[i] + d[i + 1] + d[i + up] + d[i + 1 + up]) +
                       (d[i + back] + d[i + 1 + back] + d[i + up + back] + d[i + 1 + up + back]);
      out[i] = static_cast<std::uint8_t>(std::clamp(scale * sum, Real(0), Real(255)));
    }
  });
}

template <class Real>
void plan_fills(const grid::Shape& shape, PlacedSolids<Real>& solids) {
  solids.marks.resize(shape.size());
  for (int axis = 0; axis < shape.dims(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const Real* const open = solids.open[a].data();
    parallel_for(shape.size(),
                 [&](std::size_t i) { solids.marks[i] = open[i] > 0 ? grid::kKnown : grid::kUnknown; });
    grid::plan_fill(shape, grid::face_place(axis), kMostLayers, solids.marks, solids.face_fill[a]);
  }
  parallel_for(shape.size(), [&](std::size_t i) {
    solids.marks[i] = solids.kinds[i] == grid::code_of(grid::CellKind::solid) ? grid::kUnknown : grid::kKnown;
  });
  grid::plan_fill(shape, grid::Place::cell, kScalarLayers, solids.marks, solids.cell_fill);
}

template <class Real>
void set_velocities(const Model& model, const Params& params, Colliders colliders, double time, bool moving,
                    PlacedSolids<Real>& solids) {
  if (!moving && !has_wind(model)) {
    for (auto& field : solids.velocity) field.resize(0);
    return;
  }
  const grid::Shape& shape = model.shape;
  const auto faces = sized_views(shape, solids.velocity);
  for (int axis = 0; axis < shape.dims() && !colliders.empty(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const auto open = grid::view(shape, std::as_const(solids.open[a]));
    const grid::Box box = grid::sample_box(shape, grid::face_place(axis));
    grid::for_each_row(box, [&](int j, int k) {
      for (int i = 0; i < box.hi[0]; ++i) {
        Real& u = faces[a](i, j, k);
        if (open(i, j, k) == 1)
          u = 0;
        else
          u = static_cast<Real>(
              nearest_sample(colliders, shape.position(grid::face_place(axis), i, j, k), time)
                  .velocity[axis]);
      }
    });
  }
  set_side_velocities<Real>(model, params, faces);
}

// What decides where the solids are: the grid (always the first kGridPart numbers), how they are cut, and
// distances at a few points.
constexpr std::size_t kGridPart = 14;
void write_signature(const Model& model, const Params& params, Colliders colliders,
                     std::vector<double>& signature) {
  signature.clear();
  const grid::Shape& shape = model.shape;
  const Vec3 low = shape.origin(), extent = shape.extent();
  for (const int n : shape.cells()) signature.push_back(n);
  for (const double value : {shape.cell_size(), double(shape.dims()), low.x(), low.y(), low.z()})
    signature.push_back(value);
  for (const Side side : model.sides) signature.push_back(static_cast<double>(side));
  SELKIE_ASSERT(signature.size() == kGridPart);
  signature.push_back(params.voxels);
  for (const ports::FieldSampler* collider : colliders)
    for (int p = 0; p < 27; ++p) {
      const Vec3 share(0.5 * (p % 3), 0.5 * (p / 3 % 3), 0.5 * (p / 9));
      signature.push_back(collider->sample(low + extent.cwiseProduct(share), 0).distance);
    }
}

template <class Real>
void remove_solids(PlacedSolids<Real>& solids) {
  for (auto& field : solids.open) field.resize(0);
  solids.cells_away.resize(0);
}

// Everything about the solids but their velocity.
template <class Real>
void rasterise(const grid::Shape& shape, bool voxels, Colliders colliders, double time, Buffer<Real>& nodes,
               PlacedSolids<Real>& solids) {
  const grid::View<std::uint8_t> kinds = grid::view(shape, solids.kinds);
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    std::fill_n(kinds.line(j, k), shape.cells()[0], grid::code_of(grid::CellKind::fluid));
  });
  nodes.resize(shape.size());
  sample_distances<Real>(shape, colliders, time, grid::view(shape, nodes));
  const auto distances = grid::view(shape, std::as_const(nodes));
  grid::open_fractions<Real>(shape, distances, {.voxels = voxels}, sized_views(shape, solids.open), kinds);
  solids.cells_away.resize(shape.size());
  count_cells_away<Real>(shape, distances, grid::view(shape, solids.cells_away));
  plan_fills(shape, solids);
}

}  // namespace

SolidDistance nearest_solid(Colliders colliders, const Vec3& point, double time) {
  const ports::FieldSample nearest = nearest_sample(colliders, point, time);
  return {nearest.distance, nearest.normal};
}

template <class Real>
void place_solids(const Model& model, const Params& params, Colliders colliders, double time,
                  Buffer<Real>& nodes, PlacedSolids<Real>& solids) {
  const grid::Shape& shape = model.shape;
  const bool moving = std::any_of(colliders.begin(), colliders.end(),
                                  [](const ports::FieldSampler* collider) { return !collider->still(); });
  write_signature(model, params, colliders, solids.next_signature);
  if (moving || solids.signature != solids.next_signature) {
    solids.matrix_holds = false;
    if (solids.signature.size() < kGridPart ||
        !std::equal(solids.signature.begin(), solids.signature.begin() + kGridPart,
                    solids.next_signature.begin()))
      solids.kinds = grid::all_fluid(shape, open_sides(model));
    std::swap(solids.signature, solids.next_signature);
    if (colliders.empty())
      remove_solids(solids);
    else
      rasterise(shape, params.voxels, colliders, time, nodes, solids);
  }
  set_velocities(model, params, colliders, time, moving, solids);
}

namespace {

// Marks the cells from whose middle the gas, or what flows the other way, leaves through a side. Says whether
// there are any; `layers` is how deep they may lie.
template <class Real>
bool mark_side(const grid::Shape& shape, int axis, bool high, int layers, double cells_per_speed,
               const grid::View<const Real>& faces, const grid::View<std::uint8_t>& marks) {
  const auto a = static_cast<std::size_t>(axis);
  const int count = shape.cells()[a];
  grid::Box box = grid::sample_box(shape, grid::Place::cell);
  if (high)
    box.lo[a] = std::max(0, count - layers);
  else
    box.hi[a] = std::min(count, layers);
  const std::ptrdiff_t next = shape.stride(axis);
  const Real scale = static_cast<Real>(cells_per_speed);
  return grid::max_rows(box, [&](int j, int k) {
           const Real* const u = faces.line(j, k);
           std::uint8_t* const mark = marks.line(j, k);
           bool any = false;
           for (int i = box.lo[0]; i < box.hi[0]; ++i) {
             const int at = grid::Index{i, j, k}[a];
             const Real away = static_cast<Real>(high ? count - 1 - at : at) + Real(0.5);
             const Real way = scale * std::max(std::abs(u[i]), std::abs(u[i + next]));
             const bool leaves = way > away;
             mark[i] = static_cast<std::uint8_t>(mark[i] | (leaves ? 1 : 0));
             any = any || leaves;
           }
           return any ? 1.0 : 0.0;
         }) > 0;
}

}  // namespace

template <class Real>
void mark_first_order(const Model& model, const Params& params, const grid::FaceViews<const Real>& velocity,
                      double dt, double cells, PlacedSolids<Real>& solids) {
  solids.any_first_order = solids.any() && params.first_order != FirstOrder::nowhere;
  const bool sides = params.first_order == FirstOrder::boundaries && cells > 0.5;
  if (!solids.any_first_order && !sides) return;
  const grid::Shape& shape = model.shape;
  solids.first_order.resize(shape.size());
  const auto marks = grid::view(shape, solids.first_order);
  const auto reach = static_cast<std::uint8_t>(std::min(cells + 1, 255.0));
  const std::uint8_t* const away = solids.any() ? solids.cells_away.data() + shape.first() : nullptr;
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    std::uint8_t* const mark = marks.line(j, k);
    const std::uint8_t* const from = away ? away + j * shape.row() + k * shape.plane() : nullptr;
    for (int i = 0; i < shape.cells()[0]; ++i) mark[i] = from != nullptr && from[i] <= reach;
  });
  if (!sides) return;
  const int layers = static_cast<int>(std::ceil(std::min(cells, 1e6) - 0.5));
  for (int axis = 0; axis < shape.dims(); ++axis)
    for (const bool high : {false, true})
      if (mark_side<Real>(shape, axis, high, layers, dt / shape.cell_size(),
                          velocity[static_cast<std::size_t>(axis)], marks))
        solids.any_first_order = true;
}

template <class Real>
void hold_solid_faces(const Model& model, const PlacedSolids<Real>& solids, State<Real>& state) {
  if (!solids.any()) return;
  for (std::size_t a = 0; a < static_cast<std::size_t>(model.shape.dims()); ++a) {
    Real* const u = state.velocity()[a]->data();
    const Real* const open = solids.open[a].data();
    const Real* const solid = solids.velocity[a].empty() ? nullptr : solids.velocity[a].data();
    parallel_blocks(model.shape.size(), 16384, [&](std::size_t begin, std::size_t end) {
      if (solid != nullptr)
        for (std::size_t i = begin; i < end; ++i) u[i] = open[i] == 0 ? solid[i] : u[i];
      else
        for (std::size_t i = begin; i < end; ++i) u[i] = open[i] == 0 ? Real(0) : u[i];
    });
  }
}

template <class Real>
void extrapolate_into_solids(const Model& model, int layers, const PlacedSolids<Real>& solids,
                             State<Real>& state) {
  if (!solids.any()) return;
  hold_solid_faces(model, solids, state);
  const grid::Shape& shape = model.shape;
  for (std::size_t a = 0; a < static_cast<std::size_t>(shape.dims()); ++a)
    grid::fill_layers(shape, solids.face_fill[a], layers, *state.velocity()[a]);
  const auto kinds = grid::view(shape, solids.kinds);
  for (Buffer<Real>* field : {&state.density, &state.temperature, &state.fuel}) {
    if (field->empty()) continue;
    const auto cells = grid::view(shape, *field);
    grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
      const std::uint8_t* const kind = kinds.line(j, k);
      Real* const value = cells.line(j, k);
      for (int i = 0; i < shape.cells()[0]; ++i)
        value[i] = kind[i] == grid::code_of(grid::CellKind::solid) ? Real(0) : value[i];
    });
    grid::fill_layers(shape, solids.cell_fill, kScalarLayers, *field);
  }
}

template <class Real>
grid::ProjectionInputs<Real> projection_inputs(const Model& model, const PlacedSolids<Real>& solids,
                                               const Buffer<Real>& expansion) {
  const grid::Shape& shape = model.shape;
  grid::ProjectionInputs<Real> in;
  in.domain.shape = shape;
  in.domain.kinds = grid::view(shape, solids.kinds);
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(shape.dims()); ++axis) {
    if (!solids.open[axis].empty()) in.domain.open[axis] = grid::view(shape, solids.open[axis]);
    if (!solids.velocity[axis].empty()) in.solid_velocity[axis] = grid::view(shape, solids.velocity[axis]);
  }
  if (!expansion.empty()) in.source = grid::view(shape, expansion);
  in.same_domain = solids.matrix_holds;
  return in;
}

#define SELKIE_INSTANTIATE(Real)                                                                           \
  template void place_solids<Real>(const Model&, const Params&, Colliders, double, Buffer<Real>&,          \
                                   PlacedSolids<Real>&);                                                   \
  template void mark_first_order<Real>(const Model&, const Params&, const grid::FaceViews<const Real>&,    \
                                       double, double, PlacedSolids<Real>&);                               \
  template void hold_solid_faces<Real>(const Model&, const PlacedSolids<Real>&, State<Real>&);             \
  template void extrapolate_into_solids<Real>(const Model&, int, const PlacedSolids<Real>&, State<Real>&); \
  template grid::ProjectionInputs<Real> projection_inputs<Real>(const Model&, const PlacedSolids<Real>&,   \
                                                                const Buffer<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::smoke
