// Forces inside a whole body, springs and inversion guard (RT-03, HY-26): the pass every explicit integrator
// lives in.
#pragma once

#include "selkie/core/buffer.h"
#include "selkie/math/types.h"
#include "selkie/solids/mass_spring/model.h"
#include "selkie/solids/mass_spring/params.h"
#include "selkie/solids/mass_spring/work.h"

namespace selkie::mass_spring {

enum class ForceTerms { all, elastic_only };

// f = inner forces at (x, v), in N; the fourth component is zero. Gravity and other loads are added by the
// integrators. `f` may be work.forces. Positions are read 32 bytes at a time, hence Buffers (which are
// padded), not spans.
void accumulate_forces(const Model& model, const Params& params, const Buffer<Vec3>& x, const Buffer<Vec3>& v,
                       Buffer<Vec4>& f, Work& work, ForceTerms terms = ForceTerms::all);

}  // namespace selkie::mass_spring
