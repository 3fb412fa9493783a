// See solids.h.
#include "selkie/fluids/liquid/solids.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/profile.h"
#include "selkie/grid/loops.h"
#include "selkie/grid/solid_fractions.h"

namespace selkie::liquid {
namespace {

constexpr int kBlock = 8;  // corners along an edge of a block whose middle is looked at first
// Cells from a surface within which every corner is sampled: velocities are continued by normals inside solids.
constexpr double kReachOutside = 2, kReachInside = 4;

grid::OpenSides open_sides(const Model& model) {
  grid::OpenSides open{};
  for (int axis = 0; axis < model.shape.dims(); ++axis)
    for (const bool high : {false, true})
      open[static_cast<std::size_t>(axis)][high] = model.side(axis, high) == Side::open;
  return open;
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

// Distances at corners: exact near surfaces; far from them a lower bound of the right sign, from the middle of a
// block of corners, because distances differ by no more than the way between two points. Blocks that are not far are
// halved along each axis.
template <class Real>
class DistanceSampling {
 public:
  DistanceSampling(const grid::Shape& shape, Colliders colliders, double time, const grid::View<Real>& nodes)
      : shape_(shape), colliders_(colliders), time_(time), nodes_(nodes), n_(shape.samples(grid::Place::node)) {}

  void run() const {
    auto blocks = [](int count) { return (count + kBlock - 1) / kBlock; };
    const grid::Index count{blocks(n_[0]), blocks(n_[1]), blocks(n_[2])};
    parallel_for(
        static_cast<std::size_t>(count[0]) * static_cast<std::size_t>(count[1]) * static_cast<std::size_t>(count[2]),
        [&](std::size_t b) {
          const int at = static_cast<int>(b);
          sample_block({kBlock * (at % count[0]), kBlock * (at / count[0] % count[1]),
                        kBlock * (at / (count[0] * count[1]))},
                       kBlock);
        },
        4);
  }

 private:
  double distance(const Vec3& x) const { return nearest_solid(colliders_, x, time_).distance; }

  void sample_block(const grid::Index& lo, int size) const {
    if (lo[0] >= n_[0] || lo[1] >= n_[1] || lo[2] >= n_[2]) return;
    const double dx = shape_.cell_size();
    Vec3 middle = shape_.position(grid::Place::node, lo[0], lo[1], lo[2]);
    for (int axis = 0; axis < shape_.dims(); ++axis) middle[axis] += 0.5 * (size - 1) * dx;
    const double there = distance(middle);
    const double bound = std::abs(there) - 0.5 * (size - 1) * dx * std::sqrt(double(shape_.dims()));
    const bool far = bound > (there > 0 ? kReachOutside : kReachInside) * dx;
    if (!far && size > 2) {
      const int half = size / 2;
      for (int c = 0; c < (shape_.dims() == 3 ? 8 : 4); ++c)
        sample_block({lo[0] + (c & 1) * half, lo[1] + (c >> 1 & 1) * half, lo[2] + (c >> 2) * half}, half);
      return;
    }
    const int deep = shape_.dims() == 3 ? size : 1;
    for (int k = lo[2]; k < std::min(n_[2], lo[2] + deep); ++k)
      for (int j = lo[1]; j < std::min(n_[1], lo[1] + size); ++j)
        for (int i = lo[0]; i < std::min(n_[0], lo[0] + size); ++i)
          nodes_(i, j, k) = static_cast<Real>(far ? std::copysign(bound, there)
                                                  : distance(shape_.position(grid::Place::node, i, j, k)));
  }

  const grid::Shape& shape_;
  Colliders colliders_;
  double time_;
  const grid::View<Real>& nodes_;
  grid::Index n_;
};

template <class Real>
void sample_distances(const grid::Shape& shape, Colliders colliders, double time, const grid::View<Real>& nodes) {
  DistanceSampling<Real>(shape, colliders, time, nodes).run();
}

template <class Real>
void set_velocities(const grid::Shape& shape, Colliders colliders, double time, bool moving,
                    PlacedSolids<Real>& solids) {
  if (!moving) {
    for (auto& field : solids.velocity) field.resize(0);
    return;
  }
  const auto faces = sized_views(shape, solids.velocity);
  for (int axis = 0; axis < shape.dims(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const auto open = grid::view(shape, std::as_const(solids.open[a]));
    const grid::Box box = grid::sample_box(shape, grid::face_place(axis));
    grid::for_each_row(box, [&](int j, int k) {
      for (int i = 0; i < box.hi[0]; ++i) {
        Real& u = faces[a](i, j, k);
        u = 0;
        // Sides of the box stand still, whatever reaches beyond them.
        const int along = axis == 0 ? i : axis == 1 ? j : k;
        if (open(i, j, k) < 1 && along > 0 && along < shape.cells()[a])
          u = static_cast<Real>(nearest_solid(colliders, shape.position(grid::face_place(axis), i, j, k), time)
                                    .velocity[axis]);
      }
    });
  }
}

// What decides where resting solids are: the grid, and distances at a few points.
void write_signature(const Model& model, Colliders colliders, std::vector<double>& signature) {
  signature.clear();
  const grid::Shape& shape = model.shape;
  const Vec3 low = shape.origin(), extent = shape.extent();
  for (const int n : shape.cells()) signature.push_back(n);
  for (const double value : {shape.cell_size(), double(shape.dims()), low.x(), low.y(), low.z()})
    signature.push_back(value);
  for (const Side side : model.sides) signature.push_back(static_cast<double>(side));
  for (const ports::FieldSampler* collider : colliders)
    for (int p = 0; p < 27; ++p) {
      const Vec3 share(0.5 * (p % 3), 0.5 * (p / 3 % 3), 0.5 * (p / 9));
      signature.push_back(collider->sample(low + extent.cwiseProduct(share), 0).distance);
    }
}

}  // namespace

ports::FieldSample nearest_solid(Colliders colliders, const Vec3& point, double time) {
  ports::FieldSample nearest;
  nearest.distance = 1e30;
  for (const ports::FieldSampler* collider : colliders) {
    const ports::FieldSample sample = collider->sample(point, time);
    if (sample.distance < nearest.distance) nearest = sample;
  }
  return nearest;
}

template <class Real>
void place_solids(const Model& model, Colliders colliders, double time, PlacedSolids<Real>& solids,
                  bool velocities) {
  const ProfileZone zone("liquid.solids");
  const grid::Shape& shape = model.shape;
  const bool moving = std::any_of(colliders.begin(), colliders.end(),
                                  [](const ports::FieldSampler* collider) { return !collider->still(); });
  write_signature(model, colliders, solids.next_signature);
  if (moving || solids.signature != solids.next_signature) {
    std::swap(solids.signature, solids.next_signature);
    solids.room = grid::all_fluid(shape, open_sides(model));
    if (colliders.empty()) {
      solids.nodes.resize(0);
      for (auto& field : solids.open) field.resize(0);
    } else {
      solids.nodes.resize(shape.size());
      sample_distances<Real>(shape, colliders, time, grid::view(shape, solids.nodes));
      grid::open_fractions<Real>(shape, grid::view(shape, std::as_const(solids.nodes)), {},
                                 sized_views(shape, solids.open), grid::view(shape, solids.room));
    }
  }
  set_velocities(shape, colliders, time, moving && velocities, solids);
}

template <class Real>
void cut_faces(const Model& model, Colliders walls, std::span<const grid::Patch> patches, double time,
               PlacedSolids<Real>& solids) {
  const grid::Shape& shape = model.shape;
  const grid::FaceViews<Real> open = sized_views(shape, solids.open);
  solids.room = grid::all_fluid(shape, open_sides(model));
  const auto room = grid::view(shape, solids.room);
  if (walls.empty()) {
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(shape.dims()); ++axis)
      std::fill(solids.open[axis].begin(), solids.open[axis].end(), Real(1));
  } else {
    solids.wall_nodes.resize(shape.size());
    sample_distances<Real>(shape, walls, time, grid::view(shape, solids.wall_nodes));
    grid::open_fractions<Real>(shape, grid::view(shape, std::as_const(solids.wall_nodes)), {}, open, room);
  }
  grid::cover_faces<Real>(shape, patches, open, solids.covered);
  grid::clamp_shares<Real>(shape, open);
  grid::FaceViews<const Real> reading;
  for (std::size_t a = 0; a < 3; ++a) reading[a] = open[a];
  grid::close_cells<Real>(shape, reading, room);
}

template <class Real>
NodeDistance<Real> distance_at(const grid::Shape& shape, const Buffer<Real>& nodes,
                               const std::array<Real, 3>& cells) {
  const auto field = grid::view(shape, nodes);
  const int dims = shape.dims();
  std::array<int, 3> base{0, 0, 0};
  std::array<Real, 3> f{0, 0, 0};
  for (std::size_t a = 0; a < static_cast<std::size_t>(dims); ++a) {
    const Real x = std::clamp(cells[a], Real(0), static_cast<Real>(shape.cells()[a]));
    base[a] = std::min(static_cast<int>(x), shape.cells()[a] - 1);
    f[a] = x - static_cast<Real>(base[a]);
  }
  NodeDistance<Real> found{0, {0, 0, 0}};
  for (int n = 0; n < (dims == 3 ? 8 : 4); ++n) {
    const int i = n & 1, j = n >> 1 & 1, k = n >> 2;
    const Real value = field(base[0] + i, base[1] + j, base[2] + k);
    const Real wx = i ? f[0] : 1 - f[0], wy = j ? f[1] : 1 - f[1], wz = dims == 2 ? 1 : k ? f[2] : 1 - f[2];
    found.distance += wx * wy * wz * value;
    found.normal[0] += (i ? 1 : -1) * wy * wz * value;
    found.normal[1] += (j ? 1 : -1) * wx * wz * value;
    if (dims == 3) found.normal[2] += (k ? 1 : -1) * wx * wy * value;
  }
  const Real length = std::sqrt(found.normal[0] * found.normal[0] + found.normal[1] * found.normal[1] +
                                found.normal[2] * found.normal[2]);
  for (Real& n : found.normal) n = length > 0 ? n / length : 0;
  return found;
}

template <class Real>
Real plain_distance_at(const grid::Shape& shape, const Buffer<Real>& nodes,
                       const std::array<Real, 3>& cells) {
  const int i = std::min(static_cast<int>(cells[0]), shape.cells()[0] - 1),
            j = std::min(static_cast<int>(cells[1]), shape.cells()[1] - 1),
            k = shape.dims() == 3 ? std::min(static_cast<int>(cells[2]), shape.cells()[2] - 1) : 0;
  const Real a = cells[0] - static_cast<Real>(i), b = cells[1] - static_cast<Real>(j),
             c = shape.dims() == 3 ? cells[2] - static_cast<Real>(k) : 0;
  const Real* const f = nodes.data() + shape.at(i, j, k);
  const std::ptrdiff_t row = shape.row(), plane = shape.dims() == 3 ? shape.plane() : 0;
  auto along_x = [a](const Real* p) { return p[0] + a * (p[1] - p[0]); };
  auto along_y = [&](const Real* p) {
    const Real low = along_x(p);
    return low + b * (along_x(p + row) - low);
  };
  const Real front = along_y(f);
  return front + c * (along_y(f + plane) - front);
}

#define SELKIE_INSTANTIATE(Real)                                                                     \
  template void place_solids<Real>(const Model&, Colliders, double, PlacedSolids<Real>&, bool);      \
  template void cut_faces<Real>(const Model&, Colliders, std::span<const grid::Patch>, double,        \
                                PlacedSolids<Real>&);                                                \
  template NodeDistance<Real> distance_at<Real>(const grid::Shape&, const Buffer<Real>&,             \
                                                const std::array<Real, 3>&);                         \
  template Real plain_distance_at<Real>(const grid::Shape&, const Buffer<Real>&, const std::array<Real, 3>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::liquid
