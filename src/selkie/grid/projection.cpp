// See projection.h.
#include "selkie/grid/projection.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "selkie/core/profile.h"
#include "selkie/grid/loops.h"

namespace selkie::grid {
namespace {

constexpr auto kFluid = code_of(CellKind::fluid), kSolid = code_of(CellKind::solid);
// Sources of a closed region may differ from balance by rounding only.
constexpr double kSourceSlack = 1e-5;

// Adds `sign` times the flux through the faces of a row of cells to a row of b. Choices without branches, so
// that they run in vector registers; a velocity without a share does not count, even if it is NaN.
template <bool Open, bool Solid, class T, class Real>
void add_faces_of(const T* __restrict u, const T* __restrict open, const T* __restrict solid,
                  const std::uint8_t* __restrict kind, const std::uint8_t* __restrict beyond, Real sign,
                  int count, Real* __restrict b) {
  for (int i = 0; i < count; ++i) {
    T w = 1, wall = 0;
    if constexpr (Open) w = open[i];
    if constexpr (Solid) wall = solid[i];
    w = beyond[i] == kSolid ? T(0) : w;
    const T mixed = w * u[i] + (1 - w) * wall;
    const Real flux = sign * static_cast<Real>(w == 0 ? wall : w == 1 ? u[i] : mixed);
    b[i] += kind[i] == kFluid ? flux : Real(0);
  }
}
template <class T, class Real>
void add_faces(const T* u, const T* open, const T* solid, const std::uint8_t* kind,
               const std::uint8_t* beyond, Real sign, int count, Real* b) {
  if (open != nullptr && solid != nullptr)
    add_faces_of<true, true>(u, open, solid, kind, beyond, sign, count, b);
  else if (open != nullptr)
    add_faces_of<true, false>(u, open, solid, kind, beyond, sign, count, b);
  else if (solid != nullptr)
    add_faces_of<false, true>(u, open, solid, kind, beyond, sign, count, b);
  else
    add_faces_of<false, false>(u, open, solid, kind, beyond, sign, count, b);
}

template <class T>
const T* line_or_null(const View<const T>& field, int j, int k) {
  return field.data == nullptr ? nullptr : field.line(j, k);
}

}  // namespace

template <class T, class Real>
void flux_balance(const ProjectionInputs<T>& in, FaceViews<const T> velocity, View<Real> b) {
  const Shape& shape = in.domain.shape;
  const int count = shape.cells()[0];
  const Real size = static_cast<Real>(shape.cell_size());
  for_each_row(sample_box(shape, Place::cell), [&](int j, int k) {
    const std::uint8_t* kind = in.domain.kinds.line(j, k);
    const T* source = line_or_null(in.source, j, k);
    Real* const row = b.line(j, k);
    for (int i = 0; i < count; ++i)
      row[i] = source == nullptr || kind[i] != kFluid ? Real(0) : size * static_cast<Real>(source[i]);
    for (int axis = 0; axis < shape.dims(); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const std::ptrdiff_t step = shape.stride(axis);
      const T *u = velocity[a].line(j, k), *open = line_or_null(in.domain.open[a], j, k),
              *solid = line_or_null(in.solid_velocity[a], j, k);
      add_faces(u, open, solid, kind, kind - step, Real(1), count, row);
      add_faces(u + step, open == nullptr ? nullptr : open + step, solid == nullptr ? nullptr : solid + step,
                kind, kind + step, Real(-1), count, row);
    }
  });
}

namespace {

// Whether all faces of a row lie between fluid cells and none of them is closed.
template <class T>
bool inside_fluid(const std::uint8_t* low, const std::uint8_t* high, const T* open, int count) {
  unsigned other = 0, closed = 0;
  static_assert(kFluid == 0);
  for (int i = 0; i < count; ++i) other |= static_cast<unsigned>(low[i] | high[i]);
  if (other != 0 || open == nullptr) return other == 0;
  for (int i = 0; i < count; ++i) closed |= open[i] == 0;
  return closed == 0;
}

}  // namespace

template <class T, class Real>
void subtract_gradient(const ProjectionInputs<T>& in, View<const Real> pressure, FaceViews<T> velocity) {
  const PressureDomain<T>& d = in.domain;
  for (int axis = 0; axis < d.shape.dims(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const std::ptrdiff_t step = d.shape.stride(axis);
    const Box box = sample_box(d.shape, face_place(axis));
    const int count = box.hi[0];
    for_each_row(box, [&](int j, int k) {
      const std::uint8_t *high = d.kinds.line(j, k), *low = high - step;
      const T *open = line_or_null(d.open[a], j, k), *solid = line_or_null(in.solid_velocity[a], j, k),
              *phi = line_or_null(d.surface, j, k);
      const Real* p = pressure.line(j, k);
      T* const u = velocity[a].line(j, k);
      auto update = [&](int i) {
        const bool low_fluid = low[i] == kFluid, high_fluid = high[i] == kFluid;
        if (!low_fluid && !high_fluid) return;
        if (low[i] == kSolid || high[i] == kSolid || (open != nullptr && open[i] == 0)) {
          u[i] = solid == nullptr ? T(0) : solid[i];
        } else if (low_fluid && high_fluid) {
          u[i] = static_cast<T>(static_cast<Real>(u[i]) - (p[i] - p[i - step]));
        } else {
          const T inside = phi == nullptr ? T(-1) : phi[low_fluid ? i - step : i];
          const T outside = phi == nullptr ? T(0) : phi[low_fluid ? i : i - step];
          const Real theta = static_cast<Real>(surface_distance(inside, outside));
          const Real change = low_fluid ? -p[i - step] / theta : p[i] / theta;
          u[i] = static_cast<T>(static_cast<Real>(u[i]) - change);
        }
      };
      // Between the ends of the row most are inside the fluid.
      const int last = count - 1;
      update(0);
      if (inside_fluid(low + 1, high + 1, open == nullptr ? nullptr : open + 1, last - 1))
        for (int i = 1; i < last; ++i) u[i] = static_cast<T>(static_cast<Real>(u[i]) - (p[i] - p[i - step]));
      else
        for (int i = 1; i < last; ++i) update(i);
      if (last > 0) update(last);
    });
  }
}

template <class T>
double largest_imbalance(const ProjectionInputs<T>& in, FaceViews<const T> velocity) {
  const Shape& shape = in.domain.shape;
  Buffer<double> b(shape.size(), 0.0);
  flux_balance<T, double>(in, velocity, view(shape, b));
  return max_rows(sample_box(shape, Place::cell), [&](int j, int k) {
    double largest = 0;
    const double* row = b.data() + shape.at(0, j, k);
    for (int i = 0; i < shape.cells()[0]; ++i)
      if (std::abs(row[i]) > largest || std::isnan(row[i])) largest = std::abs(row[i]);
    return largest;
  });
}

namespace {

// Whether the sources of every closed region cancel; says which does not.
template <class T, class Real>
bool sources_cancel(const ProjectionInputs<T>& in, ProjectionWork<Real>& work, ProjectionReport& report) {
  const Shape& shape = in.domain.shape;
  if (in.source.data == nullptr || work.solver.regions().closed == 0) return true;
  const View<Real> right = view(shape, work.right);
  const Real size = static_cast<Real>(shape.cell_size());
  const double gross = sum_rows(sample_box(shape, Place::cell), [&](int j, int k) {
    double sum = 0;
    for (int i = 0; i < shape.cells()[0]; ++i) {
      right(i, j, k) =
          in.domain.kinds(i, j, k) == kFluid ? size * static_cast<Real>(in.source(i, j, k)) : Real(0);
      sum += std::abs(static_cast<double>(right(i, j, k)));
    }
    return sum;
  });
  report.net_source = work.solver.largest_closed_sum(right, &report.where);
  return !(std::abs(report.net_source) > kSourceSlack * gross);
}

}  // namespace

template <class T, class Real>
ProjectionReport project(const ProjectionInputs<T>& in, const PressureOptions& options, FaceViews<T> velocity,
                         View<Real> pressure, ProjectionWork<Real>& work) {
  const ProfileZone zone("projection");
  const Shape& shape = in.domain.shape;
  ProjectionReport report;
  if (!in.same_domain) work.solver.build(in.domain);
  if (work.right.size() != shape.size()) work.right.assign(shape.size(), Real(0));
  report.regions = work.solver.regions();
  if (!sources_cancel(in, work, report)) {
    report.refused = true;
    return report;
  }
  FaceViews<const T> before;
  for (std::size_t a = 0; a < 3; ++a) before[a] = velocity[a];
  flux_balance<T, Real>(in, before, view(shape, work.right));
  const View<Real> right = view(shape, work.right);
  report.solve = work.solver.solve(right, pressure, options);
  report.regions = work.solver.regions();
  if (report.solve.reason != linalg::StopReason::not_finite)
    subtract_gradient<T, Real>(in, pressure, velocity);
  return report;
}

std::string ProjectionReport::text() const {
  if (!refused) return solve.text();
  char line[240];
  std::snprintf(
      line, sizeof line,
      "refused: the sources of the closed region around cell (%d, %d, %d) add up to %.3g m/s of flux per "
      "cell face, but nothing can leave it; open a side or balance the sources",
      where[0], where[1], where[2], net_source);
  return line;
}

template void flux_balance(const ProjectionInputs<float>&, FaceViews<const float>, View<float>);
template void flux_balance(const ProjectionInputs<float>&, FaceViews<const float>, View<double>);
template void flux_balance(const ProjectionInputs<double>&, FaceViews<const double>, View<double>);
template void subtract_gradient(const ProjectionInputs<float>&, View<const float>, FaceViews<float>);
template void subtract_gradient(const ProjectionInputs<float>&, View<const double>, FaceViews<float>);
template void subtract_gradient(const ProjectionInputs<double>&, View<const double>, FaceViews<double>);
template double largest_imbalance(const ProjectionInputs<float>&, FaceViews<const float>);
template double largest_imbalance(const ProjectionInputs<double>&, FaceViews<const double>);
template ProjectionReport project(const ProjectionInputs<float>&, const PressureOptions&, FaceViews<float>,
                                  View<float>, ProjectionWork<float>&);
template ProjectionReport project(const ProjectionInputs<float>&, const PressureOptions&, FaceViews<float>,
                                  View<double>, ProjectionWork<double>&);
template ProjectionReport project(const ProjectionInputs<double>&, const PressureOptions&, FaceViews<double>,
                                  View<double>, ProjectionWork<double>&);

}  // namespace selkie::grid
