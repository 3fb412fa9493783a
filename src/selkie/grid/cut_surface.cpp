// See cut_surface.h.
#include "selkie/grid/cut_surface.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "selkie/grid/loops.h"

namespace selkie::grid {
namespace {

// Nearer to a plane than this share of a cell counts as on it: positions cannot say more.
constexpr double kOnPlane = 1e-12;
// Covered shares nearer to 0 or 1 than this are sums of round-off.
constexpr double kRoundOff = 1e-11;
constexpr std::size_t kBlock = 256;  // elements

struct Point {
  Vec3 position;
  Vec3 weights;  // of the element's corners
};
// A convex polygon, or in 2-D a stretch of a segment (two points): a triangle cut by six planes has nine
// corners.
struct Piece {
  std::array<Point, 10> points;
  int count = 0;

  void add(const Point& point) { points[static_cast<std::size_t>(count++)] = point; }
  const Point& operator[](int n) const { return points[static_cast<std::size_t>(n)]; }
};

class Cutter {
 public:
  Cutter(const Shape& shape, const SurfaceElements& surface) : shape_(shape), surface_(surface) {}

  void cut(std::uint32_t element, std::vector<Patch>& out) const {
    Piece piece;
    const int corners = shape_.dims();
    for (int c = 0; c < corners; ++c) {
      const auto at = static_cast<std::size_t>(c);
      const std::uint32_t vertex =
          corners == 3 ? surface_.triangles[element][at] : surface_.segments[element][at];
      piece.add({surface_.positions[vertex], Vec3::Unit(c)});
    }
    Index cell{0, 0, 0};
    const Vec3 into_solid = area_of(piece);
    cut_along(shape_.dims() - 1, piece, into_solid, element, cell, out);
  }

 private:
  // Splits the piece into slabs along `axis`, and these along the axes before it.
  void cut_along(int axis, Piece piece, const Vec3& into_solid, std::uint32_t element, Index& cell,
                 std::vector<Patch>& out) const {
    if (axis < 0) return add_patch(piece, element, cell, out);
    const auto a = static_cast<std::size_t>(axis);
    double lowest = piece[0].position[axis], highest = lowest;
    for (int n = 1; n < piece.count; ++n) {
      lowest = std::min(lowest, piece[n].position[axis]);
      highest = std::max(highest, piece[n].position[axis]);
    }
    const int last = slab(axis, highest, kOnPlane);
    for (cell[a] = slab(axis, lowest, -kOnPlane); cell[a] <= last; ++cell[a]) {
      if (cell[a] == last || cell[a] == shape_.cells()[a]) {
        cut_along(axis - 1, piece, into_solid, element, cell, out);
        return;
      }
      Piece below, above;
      const double plane = shape_.origin()[axis] + (cell[a] + 1) * shape_.cell_size();
      split(piece, axis, plane, into_solid, below, above);
      if (below.count > 0) cut_along(axis - 1, below, into_solid, element, cell, out);
      if (above.count == 0) return;
      piece = above;
    }
  }

  // Cell that a coordinate lies in: −1 below the grid, n above it.
  int slab(int axis, double coordinate, double shift) const {
    const double at = (coordinate - shape_.origin()[axis]) / shape_.cell_size() + shift;
    const int n = shape_.cells()[static_cast<std::size_t>(axis)];
    return at < 0 ? -1 : at >= n ? n : static_cast<int>(at);
  }

  void split(const Piece& piece, int axis, double plane, const Vec3& into_solid, Piece& below,
             Piece& above) const {
    const double tolerance = kOnPlane * shape_.cell_size();
    std::array<double, 10> height;
    bool any_below = false, any_above = false;
    for (int n = 0; n < piece.count; ++n) {
      double& h = height[static_cast<std::size_t>(n)];
      h = piece[n].position[axis] - plane;
      if (std::abs(h) <= tolerance) h = 0;
      any_below |= h<0, any_above |= h> 0;
    }
    // In the plane: the fluid is where the normal comes from.
    if (!any_below && !any_above) (into_solid[axis] > 0 ? any_below : any_above) = true;
    if (!any_above) return void(below = piece);
    if (!any_below) return void(above = piece);
    const int edges = piece.count == 2 ? 1 : piece.count;
    for (int n = 0; n < piece.count; ++n) {
      const int next = (n + 1) % piece.count;
      const double here = height[static_cast<std::size_t>(n)], there = height[static_cast<std::size_t>(next)];
      if (here <= 0) below.add(piece[n]);
      if (here >= 0) above.add(piece[n]);
      if (n < edges && here * there < 0) {
        const double t = here / (here - there);
        Point crossing{piece[n].position + t * (piece[next].position - piece[n].position),
                       piece[n].weights + t * (piece[next].weights - piece[n].weights)};
        crossing.position[axis] = plane;
        below.add(crossing);
        above.add(crossing);
      }
    }
  }

  Vec3 area_of(const Piece& piece) const {
    if (shape_.dims() == 2) {
      const Vec3 along = piece[1].position - piece[0].position;
      return {-along.y(), along.x(), 0};  // to the left, where the solid is
    }
    Vec3 twice = Vec3::Zero();
    for (int n = 2; n < piece.count; ++n)
      twice += (piece[n - 1].position - piece[0].position).cross(piece[n].position - piece[0].position);
    return -0.5 * twice;
  }

  void add_patch(const Piece& piece, std::uint32_t element, const Index& cell,
                 std::vector<Patch>& out) const {
    const Vec3 area = area_of(piece);
    Vec3 weights = Vec3::Zero();
    double total = 0;
    if (shape_.dims() == 2) {
      weights = 0.5 * (piece[0].weights + piece[1].weights);
      total = area.norm();
    } else {
      for (int n = 2; n < piece.count; ++n) {  // a fan of triangles, each with its centroid
        const double part =
            0.5 *
            (piece[n - 1].position - piece[0].position).cross(piece[n].position - piece[0].position).norm();
        weights += part / 3 * (piece[0].weights + piece[n - 1].weights + piece[n].weights);
        total += part;
      }
      if (total > 0) weights /= total;
    }
    if (total > 0) out.push_back({cell, element, area, weights});
  }

  const Shape& shape_;
  const SurfaceElements& surface_;
};

}  // namespace

Vec3 centroid(const SurfaceElements& surface, const Patch& patch) {
  Vec3 x = Vec3::Zero();
  if (surface.triangles.empty()) {
    for (std::size_t c = 0; c < 2; ++c)
      x += patch.weights[static_cast<int>(c)] * surface.positions[surface.segments[patch.element][c]];
  } else {
    for (std::size_t c = 0; c < 3; ++c)
      x += patch.weights[static_cast<int>(c)] * surface.positions[surface.triangles[patch.element][c]];
  }
  return x;
}

void cut_surface(const Shape& shape, const SurfaceElements& surface, CutSurface& cut) {
  const std::size_t count = shape.dims() == 3 ? surface.triangles.size() : surface.segments.size();
  const Cutter cutter(shape, surface);
  cut.blocks.resize((count + kBlock - 1) / kBlock);
  parallel_blocks(count, kBlock, [&](std::size_t begin, std::size_t end) {
    std::vector<Patch>& out = cut.blocks[begin / kBlock];
    out.clear();
    for (std::size_t e = begin; e < end; ++e) cutter.cut(static_cast<std::uint32_t>(e), out);
  });
  cut.patches.clear();
  for (const std::vector<Patch>& block : cut.blocks)
    cut.patches.insert(cut.patches.end(), block.begin(), block.end());
}

template <class T>
void cover_faces(const Shape& shape, std::span<const Patch> patches, FaceViews<T> open,
                 Buffer<double>& scratch) {
  const double whole = shape.dims() == 3 ? shape.cell_size() * shape.cell_size() : shape.cell_size();
  for (int axis = 0; axis < shape.dims(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    scratch.assign(shape.size(), 0);
    const View<double> sums = view(shape, scratch);
    for (const Patch& patch : patches) {
      const Index& c = patch.cell;
      bool beside = c[a] < shape.cells()[a];  // of a row of the grid, and not above it
      for (std::size_t b = 0; b < 3; ++b)
        if (b != a) beside &= c[b] >= 0 && c[b] < shape.cells()[b];
      if (beside) sums(c[0], c[1], c[2]) += patch.area[axis] / whole;
    }
    // Running sums from the ghost below the row to its last cell; face i is covered by what lies below it.
    Box rows = sample_box(shape, Place::cell);
    rows.hi[a] = 1;
    Index end = rows.hi;
    for (int k = 0; k < end[2]; ++k)
      for (int j = 0; j < end[1]; ++j)
        for (int i = 0; i < end[0]; ++i) {
          Index at{i, j, k};
          double covered = 0;
          for (int n = 0; n <= shape.cells()[a]; ++n) {
            at[a] = n - 1;
            covered += sums(at[0], at[1], at[2]);
            at[a] = n;
            T& share = open[a](at[0], at[1], at[2]);
            const double here = covered < kRoundOff ? 0 : covered > 1 - kRoundOff ? 1 : covered;
            share = static_cast<T>(std::max(0.0, static_cast<double>(share) - here));
          }
        }
  }
}

template void cover_faces<float>(const Shape&, std::span<const Patch>, FaceViews<float>, Buffer<double>&);
template void cover_faces<double>(const Shape&, std::span<const Patch>, FaceViews<double>, Buffer<double>&);

}  // namespace selkie::grid
