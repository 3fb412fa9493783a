// See inflow.h.
#include "selkie/fluids/smoke/inflow.h"

#include <algorithm>

#include "selkie/grid/loops.h"

namespace selkie::smoke {
namespace {

// The cells of one column, counted from the side inwards. A ray from the middle of cell n ends n + ½ − c
// cells inside; between ½ and −½ it blends the outermost cell with ambient gas.
template <class Real>
void clear_column(Real cells_in, int count, std::ptrdiff_t inwards, Real* outermost) {
  for (int n = 0; n < count; ++n) {
    const Real share = static_cast<Real>(n + 1) - cells_in;
    if (share >= 1) return;
    outermost[n * inwards] *= std::max(share, Real(0));
  }
}

}  // namespace

template <class Real>
void clear_inflow(const Model& model, const grid::FaceViews<const Real>& velocity, double dt,
                  Buffer<Real>& field) {
  if (field.empty()) return;
  const grid::Shape& shape = model.shape;
  const auto values = grid::view(shape, field);
  const Real scale = static_cast<Real>(dt / shape.cell_size());
  for (int axis = 0; axis < shape.dims(); ++axis)
    for (const bool high : {false, true}) {
      const Side side = model.side(axis, high);
      if (side != Side::open && side != Side::wind) continue;
      const auto a = static_cast<std::size_t>(axis);
      const int count = shape.cells()[a];
      grid::Box box = grid::sample_box(shape, grid::Place::cell);
      box.lo[a] = high ? count - 1 : 0;
      box.hi[a] = box.lo[a] + 1;
      const std::ptrdiff_t step = shape.stride(axis), inwards = high ? -step : step;
      grid::for_each_row(box, [&](int j, int k) {
        const Real* const u = velocity[a].line(j, k) + (high ? step : 0);
        for (int i = box.lo[0]; i < box.hi[0]; ++i)
          clear_column<Real>(scale * (high ? -u[i] : u[i]), count, inwards, values.line(j, k) + i);
      });
    }
}

template void clear_inflow<float>(const Model&, const grid::FaceViews<const float>&, double, Buffer<float>&);
template void clear_inflow<double>(const Model&, const grid::FaceViews<const double>&, double,
                                   Buffer<double>&);

}  // namespace selkie::smoke
