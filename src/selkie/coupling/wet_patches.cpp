// See wet_patches.h.
#include "selkie/coupling/wet_patches.h"

#include <algorithm>
#include <cmath>

#include "selkie/geometry/triangle_tree.h"
#include "selkie/grid/loops.h"

namespace selkie::coupling {
namespace {

// The point of the surface nearest to a point: element and weights of its corners.
class NearestElement {
 public:
  explicit NearestElement(const grid::SurfaceElements& surface)
      : surface_(surface), tree_(surface.positions, surface.triangles) {}

  void at(const Vec3& point, grid::Patch& patch) const {
    if (!surface_.triangles.empty()) {
      const auto found = tree_.nearest(surface_.positions, point);
      patch.element = found->triangle;
      patch.weights = found->weights;
      return;
    }
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t s = 0; s < surface_.segments.size(); ++s) {
      const Vec3 &a = surface_.positions[surface_.segments[s][0]], &b = surface_.positions[surface_.segments[s][1]];
      Vec3 along = b - a, to = point - a;
      along.z() = to.z() = 0;
      const double share = std::clamp(to.dot(along) / along.squaredNorm(), 0.0, 1.0);
      const double distance = (to - share * along).squaredNorm();
      if (distance < least) least = distance, patch.element = s, patch.weights = Vec3(1 - share, share, 0);
    }
  }

 private:
  const grid::SurfaceElements& surface_;
  geometry::TriangleTree tree_;
};

// Cells around the surface, cut off one cell beyond the grid.
grid::Box cells_around(const grid::Shape& shape, const grid::SurfaceElements& surface) {
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  auto take = [&](std::uint32_t v) {
    low = low.cwiseMin(surface.positions[v]), high = high.cwiseMax(surface.positions[v]);
  };
  for (const auto& t : surface.triangles) std::ranges::for_each(t, take);
  for (const auto& s : surface.segments) std::ranges::for_each(s, take);
  grid::Box box{{0, 0, 0}, {1, 1, 1}};
  for (int axis = 0; axis < shape.dims(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    auto cell = [&](double x) { return (x - shape.origin()[axis]) / shape.cell_size(); };
    box.lo[a] = static_cast<int>(std::max(0.0, std::floor(cell(low[axis])) - 1));
    box.hi[a] = static_cast<int>(std::min(double(shape.cells()[a]), std::ceil(cell(high[axis])) + 1));
  }
  return box;
}

// One patch for each face between a cell whose middle the body holds and one whose middle it does not.
void find_voxels(const grid::Shape& shape, const ports::WetBody& body, grid::CutSurface& cut) {
  cut.patches.clear();
  const NearestElement nearest(body.surface);
  const grid::Box box = cells_around(shape, body.surface);
  const double face = std::pow(shape.cell_size(), shape.dims() - 1);
  auto holds = [&](const grid::Index& c) {
    return body.field->sample(shape.position(grid::Place::cell, c[0], c[1], c[2]), 0).distance < 0;
  };
  for (int k = box.lo[2]; k < box.hi[2]; ++k)
    for (int j = box.lo[1]; j < box.hi[1]; ++j)
      for (int i = box.lo[0]; i < box.hi[0]; ++i) {
        const grid::Index here{i, j, k};
        if (!holds(here)) continue;
        for (int axis = 0; axis < shape.dims(); ++axis)
          for (const int way : {-1, 1}) {
            grid::Index other = here;
            other[static_cast<std::size_t>(axis)] += way;
            if (grid::inside(shape, other) && holds(other)) continue;
            grid::Patch patch{other, 0, Vec3::Zero(), Vec3::Zero()};
            patch.area[axis] = -way * face;
            const Vec3 middle = 0.5 * (shape.position(grid::Place::cell, i, j, k) +
                                       shape.position(grid::Place::cell, other[0], other[1], other[2]));
            nearest.at(middle, patch);
            cut.patches.push_back(patch);
          }
      }
}

}  // namespace

void find_patches(const grid::Shape& shape, const ports::WetBody& body, grid::CutSurface& cut) {
  if (body.shares == ports::WetShares::voxels)
    find_voxels(shape, body, cut);
  else
    grid::cut_surface(shape, body.surface, cut);
}

}  // namespace selkie::coupling
