// Preconditioned conjugate gradients on the pressure matrix (RT-12, LE-09) [Shewchuk94 §B3].
//
// Legend: r residual b − A x, z = M⁻¹ r, p search direction.
#include "selkie/grid/pressure.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/grid/detail/cell_regions.h"
#include "selkie/grid/detail/domain_rows.h"
#include "selkie/grid/detail/multigrid.h"
#include "selkie/grid/detail/pressure_passes.h"
#include "selkie/grid/detail/row_kernels.h"

namespace selkie::grid {

using linalg::SolveReport;
using linalg::StopReason;

CellKinds all_fluid(const Shape& shape, const OpenSides& open) {
  CellKinds kinds(shape.size(), code_of(CellKind::solid));
  const Index n = shape.cells();
  const View<std::uint8_t> cell = view(shape, kinds);
  const int z_low = shape.dims() == 3 ? -1 : 0, z_high = shape.dims() == 3 ? n[2] : 0;
  for (int k = z_low; k <= z_high; ++k)
    for (int j = -1; j <= n[1]; ++j)
      for (int i = -1; i <= n[0]; ++i) {
        const Index at{i, j, k};
        bool inside = true, airy = false;
        for (std::size_t a = 0; a < 3; ++a) {
          if (at[a] >= 0 && at[a] < n[a]) continue;
          inside = false;
          if (open[a][at[a] < 0 ? 0 : 1]) airy = true;
        }
        cell(i, j, k) = code_of(inside ? CellKind::fluid : airy ? CellKind::air : CellKind::solid);
      }
  return kinds;
}

template <class Real>
struct PressureSolver<Real>::Impl {
  Shape outer;
  detail::Stencil<Real> own_stencil;  // unused where the multigrid's finest has the same type
  detail::Multigrid multigrid;
  detail::Passes<Real> passes;
  detail::Regions regions;
  RegionReport report;
  Buffer<Real> residual, direction;
  Buffer<float> single, preconditioned;  // `single`: the residual for the multigrid; unused for float
  std::vector<double> sums;

  const detail::Stencil<Real>& stencil() {
    if constexpr (std::is_same_v<Real, float>)
      return multigrid.finest();
    else
      return own_stencil;
  }
  float* single_residual() {
    if constexpr (std::is_same_v<Real, float>)
      return residual.data();
    else
      return single.data();
  }

  template <class T>
  void build(const PressureDomain<T>& domain);
  double start(View<const Real> b, View<const Real> x);
  double precondition(PressureMethod method);
  double rounding_floor(View<const Real> x);
  SolveReport iterate(View<const Real> b, View<Real> x, const PressureOptions& options, double b_norm);
};

template <class Real>
template <class T>
void PressureSolver<Real>::Impl::build(const PressureDomain<T>& domain) {
  const ProfileZone zone("pressure build");
  outer = domain.shape;
  detail::build_finest(domain, multigrid.finest());
  if constexpr (!std::is_same_v<Real, float>) detail::build_finest(domain, own_stencil);
  multigrid.build();
  passes.prepare(stencil());
  detail::find_regions(stencil(), regions);
  report = {.regions = regions.list.size(), .closed = regions.closed_count};
  const std::size_t size = stencil().shape.size();
  residual.assign(size, Real(0));
  direction.assign(size, Real(0));
  preconditioned.assign(size, 0.0f);
  if constexpr (!std::is_same_v<Real, float>) single.assign(size, 0.0f);
}

// r = b − A x without the mean in closed regions; returns rᵀr.
template <class Real>
double PressureSolver<Real>::Impl::start(View<const Real> b, View<const Real> x) {
  const detail::Stencil<Real>& s = stencil();
  const double before = passes.residual(b, x, residual.data(), single_residual());
  if (regions.closed_count == 0 || !std::isfinite(before)) return before;
  const View<Real> r(residual.data() + s.shape.first(), s.shape);
  detail::sum_over_regions<Real>(regions, r, sums);
  detail::remove_means(regions, sums, r);
  return passes.residual(r, View<const Real>{}, residual.data(), single_residual());
}

template <class Real>
double PressureSolver<Real>::Impl::precondition(PressureMethod method) {
  if (method == PressureMethod::multigrid) return multigrid.apply(single_residual(), preconditioned.data());
  std::copy_n(single_residual(), preconditioned.size(), preconditioned.data());
  const detail::Stencil<Real>& s = stencil();
  const Index n = s.shape.cells();
  double sum = 0;
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j) {
      const Real* row = residual.data() + s.shape.at(0, j, k);
      sum += detail::dot_row(row, row, n[0]);
    }
  return sum;
}

// The residual that rounding x to Real leaves: ε ‖A‖ ‖x‖. Below it x is as good as Real allows.
template <class Real>
double PressureSolver<Real>::Impl::rounding_floor(View<const Real> x) {
  const Index n = stencil().shape.cells();
  double sum = 0;
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j) sum += detail::dot_row(x.line(j, k), x.line(j, k), n[0]);
  const double norm_of_a = 2 * static_cast<double>(stencil().diagonal());
  return static_cast<double>(std::numeric_limits<Real>::epsilon()) * norm_of_a * std::sqrt(sum);
}

template <class Real>
SolveReport PressureSolver<Real>::Impl::iterate(View<const Real> b, View<Real> x,
                                                const PressureOptions& options, double b_norm) {
  constexpr int kMaxRestarts = 3;
  SolveReport report_;
  double r_norm = std::sqrt(start(b, options.warm_start ? View<const Real>(x) : View<const Real>{}));
  report_.initial_residual = report_.residual = r_norm / b_norm;
  if (options.keep_history) report_.history.push_back(report_.residual);
  int restarts = 0;
  double last = 0;             // rᵀz of the iteration before; 0: begin with p = z
  double verified = HUGE_VAL;  // true residual at the last restart
  while (true) {
    if (!std::isfinite(r_norm)) {
      report_.reason = StopReason::not_finite;
      return report_;
    }
    if (r_norm <= options.tolerance * b_norm) {
      // The recursive residual drifts from the true one; go on from the true one if it has.
      r_norm = std::sqrt(start(b, x));
      report_.residual = r_norm / b_norm;
      if (r_norm <= options.tolerance * b_norm) return report_;
      if (r_norm <= rounding_floor(x)) return report_;
      if (++restarts > kMaxRestarts || r_norm > 0.5 * verified) {
        report_.reason = StopReason::stagnated;
        return report_;
      }
      verified = r_norm, last = 0;
    }
    if (report_.iterations == options.max_iterations) {
      report_.reason = StopReason::iteration_limit;
      return report_;
    }
    const double rz = precondition(options.method);
    const double pq =
        rz > 0 ? passes.turn(last > 0 ? rz / last : 0, preconditioned.data(), direction.data()) : 0;
    if (!std::isfinite(rz) || !std::isfinite(pq)) {
      report_.reason = StopReason::not_finite;
      return report_;
    }
    if (!(rz > 0) || !(pq > 0)) {
      report_.reason = StopReason::nonpositive_curvature;
      return report_;
    }
    last = rz;
    r_norm = std::sqrt(passes.advance(rz / pq, direction.data(), x, residual.data(), single_residual()));
    report_.residual = r_norm / b_norm;
    ++report_.iterations;
    if (options.keep_history) report_.history.push_back(report_.residual);
  }
}

template <class Real>
PressureSolver<Real>::PressureSolver() : impl_(std::make_unique<Impl>()) {}
template <class Real>
PressureSolver<Real>::~PressureSolver() = default;
template <class Real>
PressureSolver<Real>::PressureSolver(PressureSolver&&) noexcept = default;
template <class Real>
PressureSolver<Real>& PressureSolver<Real>::operator=(PressureSolver&&) noexcept = default;

template <class Real>
template <class T>
void PressureSolver<Real>::build(const PressureDomain<T>& domain) {
  SELKIE_CHECK(domain.kinds.data != nullptr, "a pressure domain has cell kinds");
  impl_->build(domain);
}

template <class Real>
SolveReport PressureSolver<Real>::solve(View<const Real> b, View<Real> p, const PressureOptions& options) {
  const ProfileZone zone("pressure solve");
  Impl& m = *impl_;
  b = detail::internal_view(m.outer, b);
  p = detail::internal_view(m.outer, p);
  m.report.removed = 0;
  const double b_norm2 = m.start(b, {});
  if (!std::isfinite(b_norm2))
    return {.reason = StopReason::not_finite, .initial_residual = b_norm2, .residual = b_norm2};
  if (m.regions.closed_count > 0)
    for (const detail::Interval& interval : m.regions.intervals)
      if (m.regions.list[interval.region].closed && std::abs(m.sums[interval.region]) > m.report.removed) {
        m.report.removed = std::abs(m.sums[interval.region]);
        m.report.worst = m.outer.dims() == 3 ? Index{interval.begin, interval.j, interval.k}
                                             : Index{interval.begin, interval.k, 0};
      }
  if (!options.warm_start || b_norm2 == 0) {
    const Index n = m.stencil().shape.cells();
    parallel_for(
        static_cast<std::size_t>(n[2]),
        [&](std::size_t k) {
          for (int j = 0; j < n[1]; ++j) std::fill_n(p.line(j, static_cast<int>(k)), n[0], Real(0));
        },
        8);
  }
  m.passes.clear_inactive(p);
  if (b_norm2 == 0) return {};
  SolveReport report = m.iterate(b, p, options, std::sqrt(b_norm2));
  if (m.regions.closed_count > 0) {
    detail::sum_over_regions<Real>(m.regions, p, m.sums);
    detail::remove_means(m.regions, m.sums, p);
  }
  return report;
}

template <class Real>
const RegionReport& PressureSolver<Real>::regions() const {
  return impl_->report;
}

template <class Real>
void PressureSolver<Real>::multiply(View<const Real> x, View<Real> y) const {
  impl_->passes.multiply(detail::internal_view(impl_->outer, x), detail::internal_view(impl_->outer, y));
}

template <class Real>
void PressureSolver<Real>::precondition(View<const Real> r, View<Real> z) {
  Impl& m = *impl_;
  m.start(detail::internal_view(m.outer, r), {});
  m.precondition(PressureMethod::multigrid);
  const Shape& shape = m.stencil().shape;
  const Index n = shape.cells();
  z = detail::internal_view(m.outer, z);
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i)
        z(i, j, k) = static_cast<Real>(m.preconditioned[static_cast<std::size_t>(shape.at(i, j, k))]);
}

template <class Real>
double PressureSolver<Real>::largest_closed_sum(View<const Real> field, Index* cell) const {
  Impl& m = *impl_;
  field = detail::internal_view(m.outer, field);
  detail::sum_over_regions<Real>(m.regions, field, m.sums);
  double largest = 0;
  for (const detail::Interval& interval : m.regions.intervals)
    if (m.regions.list[interval.region].closed && std::abs(m.sums[interval.region]) > std::abs(largest)) {
      largest = m.sums[interval.region];
      if (cell != nullptr)
        *cell = m.outer.dims() == 3 ? Index{interval.begin, interval.j, interval.k}
                                    : Index{interval.begin, interval.k, 0};
    }
  return largest;
}

template <class Real>
std::size_t PressureSolver<Real>::level_count() const {
  return impl_->multigrid.level_count();
}

template class PressureSolver<float>;
template class PressureSolver<double>;
template void PressureSolver<float>::build(const PressureDomain<float>&);
template void PressureSolver<float>::build(const PressureDomain<double>&);
template void PressureSolver<double>::build(const PressureDomain<float>&);
template void PressureSolver<double>::build(const PressureDomain<double>&);

}  // namespace selkie::grid
