// The finest stencil from a caller's domain.
#pragma once

#include "selkie/grid/detail/stencil.h"
#include "selkie/grid/pressure.h"

namespace selkie::grid::detail {

template <class T, class Real>
void build_finest(const PressureDomain<T>& domain, Stencil<Real>& stencil);

}  // namespace selkie::grid::detail
