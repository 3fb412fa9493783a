// Redistancing of level_set.h: the samples beside the surface first (detail/eikonal.h), then the others by
// closest points (detail/distance_layers.h) or marching (detail/distance_march.h).
#include "selkie/core/profile.h"
#include "selkie/grid/detail/distance_layers.h"
#include "selkie/grid/detail/distance_march.h"
#include "selkie/grid/level_set.h"
#include "selkie/grid/loops.h"

namespace selkie::grid {
namespace {

template <class T, int Dims>
class Redistancing {
 public:
  Redistancing(const Shape& shape, Place place, const DistanceOptions& options, const View<T>& phi,
               DistanceWork<T>& work)
      : shape_(shape),
        place_(place),
        n_(shape.samples(place)),
        phi_(phi),
        work_(work),
        // No distance is longer than the diagonal; the limit stands for "not found" and must exceed all.
        limit_(T(options.band > 0 ? options.band * shape.cell_size() : 2 * shape.extent().norm())) {}

  DistanceReport run(DistanceMethod method) {
    DistanceReport report;
    report.surface_samples = total_ = number_samples();
    find_feet(method);
    const View<const T> first = view(shape_, std::as_const(work_.first));
    for_each_row({{0, 0, 0}, n_},
                 [&](int j, int k) { std::copy_n(first.line(j, k), n_[0], phi_.line(j, k)); });
    if (method == DistanceMethod::closest)
      report.layers = detail::DistanceLayers<T, Dims>(shape_, place_, limit_, work_, phi_).run();
    else
      detail::DistanceMarch<T, Dims>(shape_, place_, limit_, work_, phi_).run();
    return report;
  }

 private:
  detail::Around<Dims> around(int j, int k) const {
    detail::Around<Dims> around;
    for (int a = 0; a < Dims; ++a) around.stride[a] = shape_.stride(a);
    around.has[1][0] = j > 0, around.has[1][1] = j + 1 < n_[1];
    if constexpr (Dims == 3) around.has[2][0] = k > 0, around.has[2][1] = k + 1 < n_[2];
    return around;
  }
  std::size_t row_of(int j, int k) const { return std::size_t(j) + std::size_t(k) * std::size_t(n_[1]); }

  // Marks the samples beside the surface and gives each row its first number.
  std::size_t number_samples() {
    const View<std::uint8_t> mark = view(shape_, work_.marks);
    work_.row_starts.resize(std::size_t(n_[1]) * std::size_t(n_[2]));
    for_each_row({{0, 0, 0}, n_}, [&](int j, int k) {
      const T* const f = phi_.line(j, k);
      std::uint8_t* const m = mark.line(j, k);
      detail::Around<Dims> near = around(j, k);
      std::uint32_t count = 0;
      for (int i = 0; i < n_[0]; ++i) {
        near.has[0][0] = i > 0, near.has[0][1] = i + 1 < n_[0];
        const bool beside = detail::beside_surface<T, Dims>(f + i, near);
        m[i] = beside ? detail::kSettled : detail::kOpen;
        count += beside ? 1 : 0;
      }
      work_.row_starts[row_of(j, k)] = count;
    });
    std::uint32_t sum = 0;
    for (std::uint32_t& start : work_.row_starts) sum += std::exchange(start, sum);
    return sum;
  }

  // Distances beside the surface and ± limit elsewhere into `first`; the pieces of surface with their labels.
  void find_feet(DistanceMethod method) {
    const bool pieces = method == DistanceMethod::closest;
    const View<T> first = view(shape_, work_.first);
    const View<const std::uint8_t> mark = view(shape_, std::as_const(work_.marks));
    const T h = T(shape_.cell_size());
    const View<std::uint32_t> labels = pieces ? view(shape_, work_.labels) : View<std::uint32_t>();
    if (pieces) work_.feet.resize(total_), work_.pieces.resize(total_), work_.next.resize(total_);
    for_each_row({{0, 0, 0}, n_}, [&](int j, int k) {
      const T* const f = phi_.line(j, k);
      detail::Around<Dims> near = around(j, k);
      std::uint32_t number = work_.row_starts[row_of(j, k)];
      for (int i = 0; i < n_[0]; ++i) {
        const T side = f[i] < 0 ? T(-1) : T(1);
        std::uint32_t label = detail::kNoPiece;
        T distance = limit_;
        if (mark(i, j, k) == detail::kSettled) {
          near.has[0][0] = i > 0, near.has[0][1] = i + 1 < n_[0];
          const detail::Foot<T> foot = detail::foot_of<T, Dims>(f + i, near);
          distance = std::min(h * foot.distance, limit_);
          if (pieces) {
            auto& piece = work_.pieces[number];
            const int at[3] = {i, j, k};
            for (int a = 0; a < 3; ++a)
              work_.feet[number][std::size_t(a)] = T(at[a]) + foot.offset[a],
              piece.normal[a] = foot.normal[a];
            std::copy_n(foot.bend, 6, piece.bend);
            work_.next[number] = {{i, j, k}};
            label = ++number;
          }
        }
        first(i, j, k) = side * distance;
        if (pieces) labels(i, j, k) = label;
      }
    });
  }

  const Shape& shape_;
  Place place_;
  Index n_;
  View<T> phi_;
  DistanceWork<T>& work_;
  T limit_;
  std::size_t total_ = 0;
};

}  // namespace

template <class T>
DistanceReport redistance(const Shape& shape, Place place, const DistanceOptions& options, const View<T>& phi,
                          DistanceWork<T>& work) {
  const ProfileZone zone("grid.redistance");
  SELKIE_CHECK(shape.size() < (std::size_t(1) << 31), "elements of a field are counted with 32 bits");
  if (work.first.size() != shape.size()) work.first.assign(shape.size(), T(0));
  if (work.marks.size() != shape.size()) work.marks.assign(shape.size(), detail::kOpen);
  if (options.method == DistanceMethod::closest && work.labels.size() != shape.size())
    work.labels.assign(shape.size(), detail::kNoPiece);
  return shape.dims() == 2 ? Redistancing<T, 2>(shape, place, options, phi, work).run(options.method)
                           : Redistancing<T, 3>(shape, place, options, phi, work).run(options.method);
}

template DistanceReport redistance(const Shape&, Place, const DistanceOptions&, const View<float>&,
                                   DistanceWork<float>&);
template DistanceReport redistance(const Shape&, Place, const DistanceOptions&, const View<double>&,
                                   DistanceWork<double>&);

}  // namespace selkie::grid
