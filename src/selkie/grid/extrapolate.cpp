// See extrapolate.h. Planning walks outwards from the border of the known samples, so that its cost is one
// scan of the marks and then the size of the layers.
#include "selkie/grid/extrapolate.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "selkie/core/parallel.h"
#include "selkie/grid/loops.h"

namespace selkie::grid {
namespace {

constexpr std::uint8_t kPlanned = 0xfe;  // in the layer under way: not known to its own layer
constexpr std::uint8_t kNowhere = 0xff;  // not a sample

class Planner {
 public:
  Planner(const Shape& shape, Buffer<std::uint8_t>& marks, FillPlan& plan)
      : marks_(marks.data()),
        end_(static_cast<std::ptrdiff_t>(marks.size())),
        plan_(plan),
        dims_(shape.dims()) {
    for (int axis = 0; axis < dims_; ++axis) stride_[axis] = shape.stride(axis);
  }

  // Takes the sample up if it is unknown and has known neighbours.
  void consider(std::ptrdiff_t element) {
    if (element >= end_ || marks_[element] != kUnknown) return;
    unsigned known = 0;
    for (int axis = 0; axis < dims_; ++axis) {
      known |= static_cast<unsigned>(is_known(element - stride_[axis])) << (2 * axis);
      known |= static_cast<unsigned>(is_known(element + stride_[axis])) << (2 * axis + 1);
    }
    if (known == 0) return;
    marks_[element] = kPlanned;
    plan_.entries.push_back({static_cast<std::uint32_t>(element), static_cast<std::uint8_t>(known)});
  }
  void consider_neighbours(std::ptrdiff_t element) {
    for (int axis = 0; axis < dims_; ++axis)
      consider(element - stride_[axis]), consider(element + stride_[axis]);
  }
  void end_layer() {
    for (std::size_t e = plan_.ends.empty() ? 0 : plan_.ends.back(); e < plan_.entries.size(); ++e)
      marks_[plan_.entries[e].element] = kKnown;
    plan_.ends.push_back(plan_.entries.size());
  }

 private:
  // Beyond the last face of an axis the buffer may end.
  bool is_known(std::ptrdiff_t element) const { return element < end_ && marks_[element] == kKnown; }

  std::uint8_t* marks_;
  std::ptrdiff_t end_;
  FillPlan& plan_;
  int dims_;
  std::ptrdiff_t stride_[3]{};
};

// Marks what lies around the samples, so that neighbours need no test of their index. Beyond the last face
// along x comes one more element of the row or the ghost of the next.
void mark_surroundings(const Shape& shape, Place place, Buffer<std::uint8_t>& marks) {
  const Index n = shape.samples(place), cells = shape.cells();
  const View<std::uint8_t> mark = view(shape, marks);
  const bool solid = shape.dims() == 3;
  const int lo_k = solid ? -1 : 0, hi_k = solid ? cells[2] : 0;
  std::fill(mark.line(cells[1] + 1, hi_k), marks.end(), kNowhere);  // behind the last row
  for (int k = lo_k; k <= hi_k; ++k)
    for (int j = -1; j <= cells[1]; ++j) {
      std::uint8_t* const row = mark.line(j, k);
      if (j < 0 || j >= n[1] || k < 0 || k >= n[2])
        std::fill(row - 1, row + cells[0] + 2, kNowhere);
      else
        row[-1] = kNowhere, std::fill(row + n[0], row + cells[0] + 2, kNowhere);
    }
}

}  // namespace

void plan_fill(const Shape& shape, Place place, int layers, Buffer<std::uint8_t>& marks, FillPlan& plan) {
  SELKIE_CHECK(marks.size() == shape.size() && shape.size() < (std::size_t(1) << 32),
               "the marks belong to another grid");
  plan.entries.clear(), plan.ends.clear();
  mark_surroundings(shape, place, marks);
  Planner planner(shape, marks, plan);
  const Index n = shape.samples(place);
  // The first layer: unknown samples beside known ones, found row by row with plain loops over bytes.
  std::vector<std::uint8_t> found(static_cast<std::size_t>(n[0]));
  const std::ptrdiff_t y = shape.stride(1), z = shape.dims() == 3 ? shape.stride(2) : 0;
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j) {
      const std::ptrdiff_t first = shape.at(0, j, k);
      const std::uint8_t *const row = marks.data() + first, *const below = row - y, *const front = row - z;
      // Beyond the last face of an axis the buffer may end.
      const auto room = static_cast<std::ptrdiff_t>(marks.size()) - first - n[0];
      const std::uint8_t *const above = y < room ? row + y : below, *const back = z < room ? row + z : front;
      for (int i = 0; i < n[0]; ++i)
        found[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(
            (row[i] == kUnknown) & ((row[i - 1] == kKnown) | (row[i + 1] == kKnown) | (below[i] == kKnown) |
                                    (above[i] == kKnown) | (front[i] == kKnown) | (back[i] == kKnown)));
      const std::uint8_t* at = found.data();
      const std::uint8_t* const end = at + n[0];
      while ((at = static_cast<const std::uint8_t*>(std::memchr(at, 1, std::size_t(end - at)))) != nullptr)
        planner.consider(first + (at++ - found.data()));
    }
  planner.end_layer();
  for (int layer = 1; layer < layers; ++layer) {
    const std::size_t begin = layer == 1 ? 0 : plan.ends[plan.ends.size() - 2], end = plan.ends.back();
    for (std::size_t e = begin; e < end; ++e)
      planner.consider_neighbours(static_cast<std::ptrdiff_t>(plan.entries[e].element));
    planner.end_layer();
  }
}

template <class T>
void fill_layers(const Shape& shape, const FillPlan& plan, int layers, Buffer<T>& field) {
  SELKIE_CHECK(field.size() == shape.size(), "the field belongs to another grid");
  T* const values = field.data();
  std::size_t begin = 0;
  for (std::size_t layer = 0; layer < plan.ends.size() && layer < std::size_t(layers); ++layer) {
    const std::size_t end = plan.ends[layer];
    parallel_for(end - begin, [&, begin](std::size_t e) {
      const FillPlan::Entry& entry = plan.entries[begin + e];
      T sum = 0;
      int count = 0;
      for (int side = 0; side < 2 * shape.dims(); ++side) {
        if (((entry.neighbours >> side) & 1) == 0) continue;
        const std::ptrdiff_t step = shape.stride(side / 2);
        sum += values[static_cast<std::ptrdiff_t>(entry.element) + ((side & 1) != 0 ? step : -step)];
        ++count;
      }
      values[entry.element] = sum / static_cast<T>(count);
    });
    begin = end;
  }
}

template void fill_layers(const Shape&, const FillPlan&, int, Buffer<float>&);
template void fill_layers(const Shape&, const FillPlan&, int, Buffer<double>&);

}  // namespace selkie::grid
