// See domain_rows.h.
#include "selkie/grid/detail/domain_rows.h"

#include <algorithm>

#include "selkie/core/parallel.h"

namespace selkie::grid::detail {
namespace {

template <class T, class Real>
struct RowBuilder {
  const PressureDomain<T>& domain;
  View<const std::uint8_t> kinds;
  View<const T> surface;
  std::array<View<const T>, 3> open;   // by internal axis
  std::array<std::ptrdiff_t, 3> step;  // to the neighbour in the caller's fields; 0: no such axis

  explicit RowBuilder(const PressureDomain<T>& d) : domain(d) {
    kinds = internal_view(d.shape, d.kinds);
    surface = internal_view(d.shape, d.surface);
    const bool flat = d.shape.dims() == 2;
    step = {1, flat ? 0 : d.shape.row(), flat ? d.shape.row() : d.shape.plane()};
    open[0] = internal_view(d.shape, d.open[0]);
    if (!flat) open[1] = internal_view(d.shape, d.open[1]);
    open[2] = internal_view(d.shape, d.open[flat ? 1 : 2]);
  }

  void operator()(int j, int k, DenseRow<Real>& row) const {
    const std::uint8_t* kind = kinds.line(j, k);
    std::fill(row.air.begin(), row.air.end(), Real(0));
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (std::size_t side = 0; side < 2; ++side) face(j, k, axis, side, kind, row);
  }

  void face(int j, int k, std::size_t axis, std::size_t side, const std::uint8_t* kind,
            DenseRow<Real>& row) const {
    Real* const w = row.face[2 * axis + side].data();
    const int n = static_cast<int>(row.air.size());
    const std::ptrdiff_t nb = side == 0 ? -step[axis] : step[axis];
    if (nb == 0) {
      std::fill_n(w, n, Real(0));
      return;
    }
    const T* const share =
        open[axis].data == nullptr ? nullptr : open[axis].line(j, k) + (side == 0 ? 0 : step[axis]);
    constexpr auto fluid = code_of(CellKind::fluid), air = code_of(CellKind::air);
    const std::uint8_t* const other = kind + nb;
    std::uint8_t airy = 0;
    for (int i = 0; i < n; ++i) airy |= static_cast<std::uint8_t>((kind[i] == fluid) & (other[i] == air));
    if (share == nullptr)
      for (int i = 0; i < n; ++i) w[i] = static_cast<Real>((kind[i] == fluid) & (other[i] == fluid));
    else
      for (int i = 0; i < n; ++i)
        w[i] = ((kind[i] == fluid) & (other[i] == fluid)) ? static_cast<Real>(share[i]) : Real(0);
    if (airy == 0) return;
    for (int i = 0; i < n; ++i)
      if (kind[i] == fluid && other[i] == air) {
        const Real area = share == nullptr ? Real(1) : static_cast<Real>(share[i]);
        const T* const phi = surface.data == nullptr ? nullptr : surface.line(j, k) + i;
        row.air[static_cast<std::size_t>(i)] +=
            phi == nullptr ? area : area / static_cast<Real>(surface_distance(phi[0], phi[nb]));
      }
  }
};

}  // namespace

template <class T, class Real>
void build_finest(const PressureDomain<T>& domain, Stencil<Real>& stencil) {
  stencil.shape = internal_shape(domain.shape);
  const Index n = stencil.shape.cells();
  stencil.open = {1, n[1] == 1 ? Real(0) : Real(1), 1};
  stencil.active.assign(stencil.shape.size(), 0);
  const RowBuilder<T, Real> rows(domain);
  parallel_blocks(static_cast<std::size_t>(n[2]), 8, [&](std::size_t begin, std::size_t end) {
    for (int k = static_cast<int>(begin); k < static_cast<int>(end); ++k)
      for (int j = 0; j < n[1]; ++j) {
        const std::uint8_t* kind = rows.kinds.line(j, k);
        std::uint8_t* active = stencil.active.data() + stencil.shape.at(0, j, k);
        for (int i = 0; i < n[0]; ++i) active[i] = kind[i] == code_of(CellKind::fluid) ? 1 : 0;
      }
  });
  build_rows<Real>(stencil, [&](int j, int k, DenseRow<Real>& row) { rows(j, k, row); });
}

template void build_finest(const PressureDomain<float>&, Stencil<float>&);
template void build_finest(const PressureDomain<float>&, Stencil<double>&);
template void build_finest(const PressureDomain<double>&, Stencil<float>&);
template void build_finest(const PressureDomain<double>&, Stencil<double>&);

}  // namespace selkie::grid::detail
