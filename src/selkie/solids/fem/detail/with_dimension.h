// From the dimension of a body to that of the kernels.
#pragma once

#include <type_traits>

#include "selkie/solids/fem/model.h"

namespace selkie::fem::detail {

// Calls pass(std::integral_constant<int, D>) for the body's dimension.
template <class Pass>
auto with_dimension(const Model& model, Pass&& pass) {
  if (model.dimension == 2) return pass(std::integral_constant<int, 2>{});
  return pass(std::integral_constant<int, 3>{});
}

}  // namespace selkie::fem::detail
