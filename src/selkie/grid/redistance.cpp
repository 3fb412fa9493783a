// Redistancing of level_set.h: the samples beside the surface first (detail/eikonal.h), then the others by
// sweeping (detail/distance_tiles.h) or marching (detail/distance_march.h).
#include "selkie/core/profile.h"
#include "selkie/grid/detail/distance_march.h"
#include "selkie/grid/detail/distance_tiles.h"
#include "selkie/grid/level_set.h"

namespace selkie::grid {
namespace {

// Distances beside the surface and ± limit elsewhere into work.first; how many are beside it.
template <class T, int Dims>
std::size_t settle_surface(const Shape& shape, const Index& n, const View<const T>& phi, T limit,
                           DistanceWork<T>& work) {
  const View<T> first = view(shape, work.first);
  const View<std::uint8_t> mark = view(shape, work.marks);
  const T h = T(shape.cell_size());
  return static_cast<std::size_t>(sum_rows({{0, 0, 0}, n}, [&](int j, int k) {
    const T* const f = phi.line(j, k);
    T* const d = first.line(j, k);
    std::uint8_t* const m = mark.line(j, k);
    detail::Around<Dims> around;
    for (int a = 0; a < Dims; ++a) around.stride[a] = shape.stride(a);
    around.has[1][0] = j > 0, around.has[1][1] = j + 1 < n[1];
    if constexpr (Dims == 3) around.has[2][0] = k > 0, around.has[2][1] = k + 1 < n[2];
    int settled = 0;
    for (int i = 0; i < n[0]; ++i) {
      around.has[0][0] = i > 0, around.has[0][1] = i + 1 < n[0];
      const T side = f[i] < 0 ? T(-1) : T(1);
      const bool beside = detail::beside_surface<T, Dims>(f + i, around);
      m[i] = beside ? detail::kSettled : detail::kOpen;
      d[i] = side * (beside ? std::min(limit, detail::distance_beside_surface<T, Dims>(f + i, around, h))
                            : limit);
      settled += beside ? 1 : 0;
    }
    return static_cast<double>(settled);
  }));
}

template <class T, int Dims>
DistanceReport find_distances(const Shape& shape, Place place, const DistanceOptions& options,
                              const View<T>& phi, DistanceWork<T>& work) {
  const Index n = shape.samples(place);
  // No distance is longer than the diagonal; the limit stands for "not found" and must exceed all of them.
  const T limit = T(options.band > 0 ? options.band * shape.cell_size() : 2 * shape.extent().norm());
  DistanceReport report;
  report.surface_samples = settle_surface<T, Dims>(shape, n, phi, limit, work);
  if (options.method == DistanceMethod::sweeping) {
    report.passes = detail::DistanceTiles<T, Dims>(shape, place, limit, work).run(phi);
  } else {
    const View<const T> first = view(shape, std::as_const(work.first));
    for_each_row({{0, 0, 0}, n},
                 [&](int j, int k) { std::copy_n(first.line(j, k), n[0], phi.line(j, k)); });
    detail::DistanceMarch<T, Dims>(shape, place, limit, work, phi).run();
  }
  return report;
}

}  // namespace

template <class T>
DistanceReport redistance(const Shape& shape, Place place, const DistanceOptions& options, const View<T>& phi,
                          DistanceWork<T>& work) {
  const ProfileZone zone("grid.redistance");
  SELKIE_CHECK(shape.size() < (std::size_t(1) << 31), "elements of a field are counted with 32 bits");
  if (work.first.size() != shape.size()) work.first.assign(shape.size(), T(0));
  if (work.marks.size() != shape.size()) work.marks.assign(shape.size(), detail::kOpen);
  if (options.method == DistanceMethod::sweeping && work.second.size() != shape.size())
    work.second.assign(shape.size(), T(0));
  return shape.dims() == 2 ? find_distances<T, 2>(shape, place, options, phi, work)
                           : find_distances<T, 3>(shape, place, options, phi, work);
}

template DistanceReport redistance(const Shape&, Place, const DistanceOptions&, const View<float>&,
                                   DistanceWork<float>&);
template DistanceReport redistance(const Shape&, Place, const DistanceOptions&, const View<double>&,
                                   DistanceWork<double>&);

}  // namespace selkie::grid
