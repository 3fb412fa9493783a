// What a level set encloses, its normals and curvature, and extension along normals. See level_set.h.
#include "selkie/grid/level_set.h"

#include <algorithm>
#include <cmath>

#include "selkie/grid/detail/cut_simplices.h"
#include "selkie/grid/extrapolate.h"
#include "selkie/grid/loops.h"

namespace selkie::grid {
namespace {

// The boxes between samples along one axis, those at walls included: box n lies between positions n and
// n + 1, where position 0 and the last are walls if the samples are cell centres.
struct Layers {
  int samples = 1, boxes = 0;
  bool to_walls = false;

  Layers(const Shape& shape, Place place, int axis) {
    samples = shape.samples(place)[static_cast<std::size_t>(axis)];
    to_walls = place != Place::node && place != face_place(axis);
    boxes = to_walls ? samples + 1 : samples - 1;
  }
  double size(int box, double h) const { return to_walls && (box == 0 || box == boxes - 1) ? h / 2 : h; }
  // The value at a position as low + share (high − low) of two samples: half a cell beyond the last at walls.
  struct Blend {
    int low, high;
    double share;
  };
  Blend at(int position) const {
    if (!to_walls) return {position, position, 0};
    if (samples == 1) return {0, 0, 0};
    if (position == 0) return {0, 1, -0.5};
    if (position == boxes) return {samples - 2, samples - 1, 1.5};
    return {position - 1, position - 1, 0};
  }
};

template <class T>
double value_at(const View<const T>& phi, const Layers::Blend& x, const Layers::Blend& y,
                const Layers::Blend& z) {
  auto along_x = [&](int j, int k) {
    const double low = double(phi(x.low, j, k));
    return x.share == 0 ? low : low + x.share * (double(phi(x.high, j, k)) - low);
  };
  auto along_y = [&](int k) {
    const double low = along_x(y.low, k);
    return y.share == 0 ? low : low + y.share * (along_x(y.high, k) - low);
  };
  const double low = along_y(z.low);
  return z.share == 0 ? low : low + z.share * (along_y(z.high) - low);
}

// Σ measure(corner values, size of the box) over all boxes; `plain` boxes have no surface.
template <int Dims, class T, class Plain, class Cut>
double sum_boxes(const Shape& shape, Place place, const View<const T>& phi, Plain&& plain, Cut&& cut) {
  const Layers x(shape, place, 0), y(shape, place, 1), z(shape, place, Dims == 3 ? 2 : 0);
  const double h = shape.cell_size();
  return sum_rows({{0, 0, 0}, {x.boxes, y.boxes, Dims == 3 ? z.boxes : 1}}, [&](int j, int k) {
    const Layers::Blend flat{0, 0, 0};
    const Layers::Blend ys[2] = {y.at(j), y.at(j + 1)};
    const Layers::Blend zs[2] = {Dims == 3 ? z.at(k) : flat, Dims == 3 ? z.at(k + 1) : flat};
    std::array<double, (1 << Dims)> f;
    constexpr std::size_t kPairs = f.size() / 2;
    for (std::size_t c = 0; c < kPairs; ++c) f[2 * c + 1] = value_at(phi, x.at(0), ys[c & 1], zs[c >> 1]);
    double sum = 0;
    for (int i = 0; i < x.boxes; ++i) {
      const Vec3 size(x.size(i, h), y.size(j, h), Dims == 3 ? z.size(k, h) : 1.0);
      const Layers::Blend next = x.at(i + 1);
      std::size_t below = 0;
      for (std::size_t c = 0; c < kPairs; ++c) {
        f[2 * c] = f[2 * c + 1];
        f[2 * c + 1] = value_at(phi, next, ys[c & 1], zs[c >> 1]);
        below += std::size_t(f[2 * c] < 0) + std::size_t(f[2 * c + 1] < 0);
      }
      sum += below == 0 ? 0 : below == f.size() ? plain(size) : cut(f, size);
    }
    return sum;
  });
}

// φ goes on evenly beyond the walls: the sample that stands for index i.
struct Mirror {
  int last;
  bool about_face;  // the wall lies half a cell beyond the last sample, or on it
  int operator()(int i) const {
    if (i < 0) i = about_face ? -1 - i : -i;
    if (i > last) i = about_face ? 2 * last + 1 - i : 2 * last - i;
    return std::clamp(i, 0, last);
  }
};

// ∇·(∇φ/|∇φ|) from the 3^d values around a sample, times the cell size. [Osher03 §1.4]
template <int Dims, class Value>
double curvature_of(const Value& f, double& slope) {
  double g[3] = {}, second[3] = {}, mixed[3] = {};  // mixed: xy, xz, yz
  const double f0 = f(0, 0, 0);
  g[0] = 0.5 * (f(1, 0, 0) - f(-1, 0, 0)), second[0] = f(1, 0, 0) - 2 * f0 + f(-1, 0, 0);
  g[1] = 0.5 * (f(0, 1, 0) - f(0, -1, 0)), second[1] = f(0, 1, 0) - 2 * f0 + f(0, -1, 0);
  mixed[0] = 0.25 * (f(1, 1, 0) - f(1, -1, 0) - f(-1, 1, 0) + f(-1, -1, 0));
  if constexpr (Dims == 3) {
    g[2] = 0.5 * (f(0, 0, 1) - f(0, 0, -1)), second[2] = f(0, 0, 1) - 2 * f0 + f(0, 0, -1);
    mixed[1] = 0.25 * (f(1, 0, 1) - f(1, 0, -1) - f(-1, 0, 1) + f(-1, 0, -1));
    mixed[2] = 0.25 * (f(0, 1, 1) - f(0, 1, -1) - f(0, -1, 1) + f(0, -1, -1));
  }
  const double g2 = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
  slope = std::sqrt(g2);
  const double numerator = g[0] * g[0] * (second[1] + second[2]) + g[1] * g[1] * (second[0] + second[2]) +
                           g[2] * g[2] * (second[0] + second[1]) -
                           2 * (g[0] * g[1] * mixed[0] + g[0] * g[2] * mixed[1] + g[1] * g[2] * mixed[2]);
  return g2 > 0 ? numerator / (g2 * slope) : 0;
}

template <int Dims, class T>
void curvature_in(const Shape& shape, Place place, const View<const T>& phi, double band,
                  const View<T>& kappa) {
  const Index n = shape.samples(place);
  const double h = shape.cell_size(), most = Dims - 1;
  Mirror mirror[3];
  for (int a = 0; a < 3; ++a) {
    const int last = n[static_cast<std::size_t>(a)] - 1;
    mirror[a] = {last, place != Place::node && place != face_place(a)};
  }
  for_each_row({{0, 0, 0}, n}, [&](int j, int k) {
    for (int i = 0; i < n[0]; ++i) {
      T& result = kappa(i, j, k);
      result = 0;
      if (!(std::abs(double(phi(i, j, k))) <= band * h)) continue;
      const bool inner =
          i > 0 && i < n[0] - 1 && j > 0 && j < n[1] - 1 && (Dims == 2 || (k > 0 && k < n[2] - 1));
      double slope = 0, value = 0;
      if (inner)
        value =
            curvature_of<Dims>([&](int a, int b, int c) { return double(phi(i + a, j + b, k + c)); }, slope);
      else
        value = curvature_of<Dims>(
            [&](int a, int b, int c) {
              return double(phi(mirror[0](i + a), mirror[1](j + b), Dims == 3 ? mirror[2](k + c) : 0));
            },
            slope);
      result = static_cast<T>(std::clamp(value, -most, most) / h);
    }
  });
}

// φ at a sample of any place: the mean of the cells it touches.
template <class T>
double phi_at_place(const Shape& shape, const View<const T>& phi, Place place, int i, int j, int k) {
  const Index n = shape.cells();
  const int at[3] = {i, j, k};
  int low[3], high[3];
  for (int a = 0; a < 3; ++a) {
    const bool between = (place == Place::node && a < shape.dims()) || place == face_place(a);
    const int last = n[static_cast<std::size_t>(a)] - 1;
    low[a] = std::clamp(at[a] - (between ? 1 : 0), 0, last), high[a] = std::clamp(at[a], 0, last);
  }
  double sum = 0;
  for (const int z : {low[2], high[2]})
    for (const int y : {low[1], high[1]})
      for (const int x : {low[0], high[0]}) sum += double(phi(x, y, z));
  return sum / 8;
}

}  // namespace

template <class T>
double enclosed_volume(const Shape& shape, Place place, const View<const T>& phi) {
  auto whole = [](const Vec3& size) { return size.prod(); };
  if (shape.dims() == 2)
    return sum_boxes<2>(shape, place, phi, whole,
                        [](const auto& f, const Vec3& size) { return detail::negative_volume<2>(f, size); });
  return sum_boxes<3>(shape, place, phi, whole,
                      [](const auto& f, const Vec3& size) { return detail::negative_volume<3>(f, size); });
}

template <class T>
double surface_area(const Shape& shape, Place place, const View<const T>& phi) {
  auto none = [](const Vec3&) { return 0.0; };
  if (shape.dims() == 2)
    return sum_boxes<2>(shape, place, phi, none,
                        [](const auto& f, const Vec3& size) { return detail::zero_size<2>(f, size); });
  return sum_boxes<3>(shape, place, phi, none,
                      [](const auto& f, const Vec3& size) { return detail::zero_size<3>(f, size); });
}

template <class T>
Vec3 gradient_at_sample(const View<const T>& phi, const Lattice& lattice, int i, int j, int k) {
  Vec3 g = Vec3::Zero();
  const int at[3] = {i, j, k};
  for (int a = 0; a < lattice.dims; ++a) {
    const int last = lattice.samples[static_cast<std::size_t>(a)] - 1;
    const int low = std::max(at[a] - 1, 0), high = std::min(at[a] + 1, last);
    if (high == low) continue;
    const std::ptrdiff_t stride = a == 0 ? 1 : a == 1 ? phi.row : phi.plane;
    const T* const f = &phi(i, j, k);
    g[a] = (double(f[(high - at[a]) * stride]) - double(f[(low - at[a]) * stride])) * lattice.inverse_size /
           (high - low);
  }
  return g;
}

template <class T>
Vec3 gradient_at(const View<const T>& phi, const Lattice& lattice, const Vec3& point) {
  const Stencil s = stencil_at(lattice, point);
  Vec3 g = Vec3::Zero();
  for (int c = 0; c < (1 << lattice.dims); ++c) {
    double weight = 1;
    Index at = s.base;
    for (std::size_t a = 0; a < static_cast<std::size_t>(lattice.dims); ++a) {
      const bool high = ((c >> a) & 1) != 0;
      weight *= high ? s.share[a] : 1 - s.share[a];
      if (high) at[a] = std::min(at[a] + 1, lattice.samples[a] - 1);
    }
    if (weight != 0) g += weight * gradient_at_sample(phi, lattice, at[0], at[1], at[2]);
  }
  return g;
}

template <class T>
void curvature(const Shape& shape, Place place, const ReadView<T>& phi, double band, const View<T>& kappa) {
  if (shape.dims() == 2)
    curvature_in<2>(shape, place, phi, band, kappa);
  else
    curvature_in<3>(shape, place, phi, band, kappa);
}

template <class T>
void extend_along_normals(const Shape& shape, const ReadView<T>& phi, double band, Place place,
                          Buffer<std::uint8_t>& known, Buffer<T>& field, ExtendWork& work) {
  const Index n = shape.samples(place);
  const View<std::uint8_t> mark = view(shape, known);
  const View<T> u = view(shape, field);
  work.order.clear();
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i) {
        if (mark(i, j, k) == kKnown) continue;
        const double f = phi_at_place(shape, phi, place, i, j, k);
        if (f <= band * shape.cell_size())
          work.order.emplace_back(f, static_cast<std::uint32_t>(shape.at(i, j, k)));
      }
  std::sort(work.order.begin(), work.order.end());
  for (const auto& [f, element] : work.order) {
    const auto e = static_cast<std::ptrdiff_t>(element) - shape.first();
    const int k = shape.dims() == 3 ? static_cast<int>(e / shape.plane()) : 0;
    const int j = static_cast<int>((e - k * shape.plane()) / shape.row());
    const int at[3] = {static_cast<int>(e - k * shape.plane() - j * shape.row()), j, k};
    double sum = 0, weights = 0, plain = 0;
    int neighbours = 0;
    for (int a = 0; a < shape.dims(); ++a) {
      double lowest = f, value = 0;  // upwind along this axis
      for (const int way : {-1, 1}) {
        int b[3] = {at[0], at[1], at[2]};
        b[a] += way;
        if (b[a] < 0 || b[a] >= n[static_cast<std::size_t>(a)] || mark(b[0], b[1], b[2]) != kKnown) continue;
        const double there = phi_at_place(shape, phi, place, b[0], b[1], b[2]);
        const double carried = double(u(b[0], b[1], b[2]));
        if (there < lowest) lowest = there, value = carried;
        plain += carried, ++neighbours;
      }
      sum += (f - lowest) * value, weights += f - lowest;
    }
    if (neighbours == 0) continue;
    u.data[e] = static_cast<T>(weights > 0 ? sum / weights : plain / neighbours);
    mark.data[e] = kKnown;
  }
}

#define SELKIE_INSTANTIATE(T)                                                                                \
  template double enclosed_volume(const Shape&, Place, const View<const T>&);                                \
  template double surface_area(const Shape&, Place, const View<const T>&);                                   \
  template Vec3 gradient_at_sample(const View<const T>&, const Lattice&, int, int, int);                     \
  template Vec3 gradient_at(const View<const T>&, const Lattice&, const Vec3&);                              \
  template void curvature(const Shape&, Place, const ReadView<T>&, double, const View<T>&);                  \
  template void extend_along_normals(const Shape&, const ReadView<T>&, double, Place, Buffer<std::uint8_t>&, \
                                     Buffer<T>&, ExtendWork&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::grid
