// The passes of advect() over a grid, for any visibility policy; advect.cpp instantiates them for AllVisible.
// To be included by the .cpp file that brings another policy.
//   MacCormack  1: f = A(φ) into scratch, its bounds into `to` and scratch    2: φ' from φ, f, A^R(f), bounds
//   BFECC       1: f = A(φ) into `to`    2: φ − e into scratch    3: φ' = A(φ − e), bounds of φ found anew
// Rays are found anew in each pass: that takes less time than storing them. Samples that the policy calls
// affected get the first-order value, of one-sided rays (HY-17).
#pragma once

#include "selkie/core/profile.h"
#include "selkie/grid/detail/one_sided.h"
#include "selkie/grid/detail/rays.h"
#include "selkie/grid/detail/upwind_row.h"
#include "selkie/grid/loops.h"
#include "selkie/grid/visibility.h"

namespace selkie::grid {
namespace detail {

template <class T, int Dims, class Visibility>
class Advection {
 public:
  Advection(const Shape& shape, Place place, const AdvectOptions& options, const Flow<T>& flow,
            const Visibility& visibility)
      : shape_(shape),
        options_(options),
        flow_(flow),
        visibility_(visibility),
        field_(shape, place, options, flow),
        upwind_(options.scheme >= Scheme::upwind) {}

  void run(const View<const T>& from, const View<T>& to, AdvectWork<T>& work) const {
    if (options_.scheme == Scheme::semi_lagrangian || options_.scheme == Scheme::upwind) {
      forward(from, to);
      return;
    }
    if (work.field.size() != shape_.size()) work.field.assign(shape_.size(), T(0));
    const View<T> scratch = view(shape_, work.field);
    if (options_.scheme == Scheme::maccormack || options_.scheme == Scheme::upwind_maccormack) {
      if (options_.limiter == Limiter::none) {
        forward(from, scratch);
        subtract_error(from, scratch, {}, to);
      } else {
        if (work.upper.size() != shape_.size()) work.upper.assign(shape_.size(), T(0));
        const View<T> upper = view(shape_, work.upper);
        forward_with_bounds(from, scratch, to, upper);
        subtract_error(from, scratch, upper, to);
      }
    } else {
      forward(from, to);
      compensate(from, to, scratch);
      forward_compensated(from, scratch, to);
    }
  }

 private:
  struct Row {  // a value per sample of a segment
    alignas(64) T at[kSegment];
  };

  // kernel(segment) for all samples, then the repeated samples of periodic axes.
  template <class Kernel>
  void each_segment(const View<T>& written, Kernel&& kernel) const {
    for_each_row({{0, 0, 0}, field_.samples.count}, [&](int j, int k) {
      for (int i = 0; i < field_.samples.count[0]; i += kSegment)
        kernel(Segment{i, j, k, std::min(kSegment, field_.samples.count[0] - i),
                       i + j * shape_.row() + k * shape_.plane()});
    });
    wrap(shape_, flow_.periodic, written);
  }

  RowLattice<T, Dims> lattice(const Segment& s) const {
    return {field_.samples, field_.place, field_.place, s};
  }
  // out = A(φ) or A^R(φ) at the samples.
  void apply(const View<const T>& phi, const Displacement<T, Dims>& ray, const Segment& s, T* out) const {
    if (upwind_)
      upwind_row<T, Dims, false>(field_.samples, phi, ray, s, out, nullptr, nullptr);
    else
      interpolate_row<T, Dims>(phi.data + s.element, lattice(s), ray, s.count, out);
  }
  // The range of the samples that the rays interpolate, or that the upwind difference is made of.
  void bounds(const View<const T>& phi, const Displacement<T, Dims>& ray, const Segment& s, Row& lo,
              Row& hi) const {
    if (upwind_) {
      Row value;
      upwind_row<T, Dims, true>(field_.samples, phi, ray, s, value.at, lo.at, hi.at);
      return;
    }
    bound_row<T, Dims>(phi.data + s.element, lattice(s), ray, s.count, lo.at, hi.at);
  }

  void forward(const View<const T>& phi, const View<T>& out) const {
    each_segment(out, [&](const Segment& s) {
      Displacement<T, Dims> ray;
      trace_rays<T, Dims>(field_, T(1), s, ray);
      apply(phi, ray, s, out.data + s.element);
      redo_affected(phi, s, out);
    });
  }
  // The same with the bounds of the rays, at time n. [Selle08 §2.7]
  void forward_with_bounds(const View<const T>& phi, const View<T>& out, const View<T>& lower,
                           const View<T>& upper) const {
    each_segment(out, [&](const Segment& s) {
      Displacement<T, Dims> ray;
      trace_rays<T, Dims>(field_, T(1), s, ray);
      T *const value = out.data + s.element, *const lo = lower.data + s.element,
               *const hi = upper.data + s.element;
      if (upwind_)
        upwind_row<T, Dims, true>(field_.samples, phi, ray, s, value, lo, hi);
      else
        interpolate_and_bound_row<T, Dims>(phi.data + s.element, lattice(s), ray, s.count, value, lo, hi);
      redo_affected(phi, s, out);
    });
  }
  // Samples whose rays may meet something, with the policy's rays.
  void redo_affected([[maybe_unused]] const View<const T>& phi, [[maybe_unused]] const Segment& s,
                     [[maybe_unused]] const View<T>& out) const {
    if constexpr (!Visibility::kAllVisible)
      for (int l = 0; l < s.count; ++l)
        if (visibility_.affects(field_.place, s.i + l, s.j, s.k))
          out.data[s.element + l] =
              static_cast<T>(one_sided_value(shape_, field_, visibility_, phi, {s.i + l, s.j, s.k}));
  }

  // φ' = f − (b − φ)/2, limited; `out` holds the lower bounds on entry, if there is a limiter.
  void subtract_error(const View<const T>& phi, const View<const T>& f, const View<const T>& upper,
                      const View<T>& out) const {
    each_segment(out, [&](const Segment& s) {
      Row value;
      Displacement<T, Dims> ray;
      trace_rays<T, Dims>(field_, T(-1), s, ray);
      apply(f, ray, s, value.at);
      const T *const old = phi.data + s.element, *const first = f.data + s.element;
      T* const result = out.data + s.element;
      for (int l = 0; l < s.count; ++l) value.at[l] = first[l] - T(0.5) * (value.at[l] - old[l]);
      if (options_.limiter != Limiter::none) limit(result, upper.data + s.element, first, s.count, value.at);
      std::copy_n(value.at, s.count, result);
      keep_first_order(s, first, result);
    });
  }

  // φ − e = φ − (b − φ)/2
  void compensate(const View<const T>& phi, const View<const T>& f, const View<T>& out) const {
    each_segment(out, [&](const Segment& s) {
      Row back;
      Displacement<T, Dims> ray;
      trace_rays<T, Dims>(field_, T(-1), s, ray);
      apply(f, ray, s, back.at);
      const T* const old = phi.data + s.element;
      T* const result = out.data + s.element;
      for (int l = 0; l < s.count; ++l) result[l] = old[l] - T(0.5) * (back.at[l] - old[l]);
    });
  }
  // φ' = A(φ − e), limited; `out` holds f on entry.
  void forward_compensated(const View<const T>& phi, const View<const T>& compensated,
                           const View<T>& out) const {
    each_segment(out, [&](const Segment& s) {
      Row first;
      Displacement<T, Dims> ray;
      trace_rays<T, Dims>(field_, T(1), s, ray);
      T* const result = out.data + s.element;
      std::copy_n(result, s.count, first.at);
      apply(compensated, ray, s, result);
      if (options_.limiter != Limiter::none) {
        Row lo, hi;
        bounds(phi, ray, s, lo, hi);
        limit(lo.at, hi.at, first.at, s.count, result);
      }
      keep_first_order(s, first.at, result);
    });
  }

  void limit(const T* __restrict lo, const T* __restrict hi, const T* __restrict first, int count,
             T* __restrict value) const {
    if (options_.limiter == Limiter::clamp)
      for (int l = 0; l < count; ++l) {
        const T v = value[l], low = lo[l], high = hi[l];
        value[l] = v < low ? low : v > high ? high : v;
      }
    else
      for (int l = 0; l < count; ++l) {
        const T v = value[l], f = first[l], low = lo[l], high = hi[l];
        value[l] = v < low ? f : v > high ? f : v;
      }
  }

  // The first-order value where a cell of the sample is marked or something may hide what its rays see.
  void keep_first_order(const Segment& s, const T* __restrict first, T* __restrict result) const {
    if (flow_.first_order.data != nullptr) {
      alignas(64) std::uint8_t marked[kSegment];
      mark_row<Dims>(flow_.first_order, field_.cells, field_.place, s, marked);
      for (int l = 0; l < s.count; ++l) result[l] = marked[l] != 0 ? first[l] : result[l];
    }
    if constexpr (!Visibility::kAllVisible)
      for (int l = 0; l < s.count; ++l)
        if (visibility_.affects(field_.place, s.i + l, s.j, s.k)) result[l] = first[l];
  }

  const Shape& shape_;
  const AdvectOptions& options_;
  const Flow<T>& flow_;
  const Visibility& visibility_;
  Transport<T, Dims> field_;
  bool upwind_;
};

}  // namespace detail

// advect() with a visibility policy (visibility.h).
template <class T, class Visibility>
void advect_seeing(const Shape& shape, Place place, const AdvectOptions& options, const Flow<T>& flow,
                   const Visibility& visibility, const View<const T>& from, const View<T>& to,
                   AdvectWork<T>& work) {
  SELKIE_CHECK(from.data != to.data, "advection does not work in place");
  SELKIE_CHECK(shape.size() < (std::size_t(1) << 31), "elements of a field are counted with 32 bits");
  if (shape.dims() == 2)
    detail::Advection<T, 2, Visibility>(shape, place, options, flow, visibility).run(from, to, work);
  else
    detail::Advection<T, 3, Visibility>(shape, place, options, flow, visibility).run(from, to, work);
}

}  // namespace selkie::grid
