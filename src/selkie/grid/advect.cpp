// See advect.h; the work is done by the passes in advect_passes.h and the row kernels in detail/.
#include "selkie/grid/advect.h"

#include "selkie/grid/advect_passes.h"

namespace selkie::grid {

template <class T>
void advect(const Shape& shape, Place place, const AdvectOptions& options, const Flow<T>& flow,
            const ReadView<T>& from, const View<T>& to, AdvectWork<T>& work) {
  advect_seeing(shape, place, options, flow, AllVisible{}, from, to, work);
}

template <class T>
void advect_velocity(const Shape& shape, const AdvectOptions& options, const Flow<T>& flow,
                     const FaceViews<const T>& from, const FaceViews<T>& to, AdvectWork<T>& work) {
  for (int axis = 0; axis < shape.dims(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    advect(shape, face_place(axis), options, flow, from[a], to[a], work);
  }
}

template <class T>
void wrap(const Shape& shape, const std::array<bool, 3>& periodic, const View<T>& field) {
  const auto [nx, ny, nz] = shape.cells();
  const bool solid = shape.dims() == 3;
  const int first_k = solid ? -1 : 0, end_k = solid ? nz + 1 : 1;
  if (periodic[0])
    for (int k = first_k; k < end_k; ++k)
      for (int j = -1; j <= ny; ++j) field(nx, j, k) = field(0, j, k);
  if (periodic[1])
    for (int k = first_k; k < end_k; ++k)
      for (int i = 0; i <= nx; ++i) field(i, ny, k) = field(i, 0, k);
  if (solid && periodic[2])
    for (int j = 0; j <= ny; ++j)
      for (int i = 0; i <= nx; ++i) field(i, j, nz) = field(i, j, 0);
}

template <class T>
void mark_near_solids(const Shape& shape, const View<const T>& distance, double reach,
                      const View<std::uint8_t>& marks) {
  const Box box = sample_box(shape, Place::cell);
  for_each_row(box, [&](int j, int k) {
    const T* const d = distance.line(j, k);
    std::uint8_t* const m = marks.line(j, k);
    for (int i = 0; i < box.hi[0]; ++i)
      m[i] = static_cast<std::uint8_t>(m[i] | (double(d[i]) <= reach ? 1 : 0));
  });
}

void mark_near_side(const Shape& shape, int axis, bool high, int cells, const View<std::uint8_t>& marks) {
  const auto a = static_cast<std::size_t>(axis);
  Box box = sample_box(shape, Place::cell);
  if (high)
    box.lo[a] = std::max(0, box.hi[a] - cells);
  else
    box.hi[a] = std::min(box.hi[a], cells);
  for_each_row(box, [&](int j, int k) {
    for (int i = box.lo[0]; i < box.hi[0]; ++i) marks(i, j, k) = 1;
  });
}

#define SELKIE_INSTANTIATE(T)                                                                         \
  template void advect(const Shape&, Place, const AdvectOptions&, const Flow<T>&, const ReadView<T>&, \
                       const View<T>&, AdvectWork<T>&);                                               \
  template void advect_velocity(const Shape&, const AdvectOptions&, const Flow<T>&,                   \
                                const FaceViews<const T>&, const FaceViews<T>&, AdvectWork<T>&);      \
  template void wrap(const Shape&, const std::array<bool, 3>&, const View<T>&);                       \
  template void mark_near_solids(const Shape&, const View<const T>&, double, const View<std::uint8_t>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::grid
