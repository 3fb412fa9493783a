// Finding the tetrahedra that have lost volume (inversion_guard.h). Asking all of them costs half as much as
// all spring forces, and few ever answer; so a list of those that could be squeezed soon is kept, and only it
// is asked until some vertex has moved, relative to the body, by a small share of an edge. What is found does
// not depend on the list.
#pragma once

#include <cstdint>
#include <span>

#include "selkie/core/buffer.h"
#include "selkie/solids/mass_spring/model.h"
#include "selkie/solids/mass_spring/work.h"

namespace selkie::mass_spring {

// The tetrahedra with J < threshold, ascending; kept in `work` until the next call. For positions that change
// little from call to call.
std::span<const std::uint32_t> find_squeezed(const Model& model, const Buffer<Vec3>& x, double threshold,
                                             Work& work);

// The same without a list: for a threshold or positions that are asked for once.
std::span<const std::uint32_t> find_squeezed_at_once(const Model& model, const Buffer<Vec3>& x,
                                                     double threshold, Work& work);

}  // namespace selkie::mass_spring
