// Spray, foam and bubbles: particles that the liquid carries and does not feel [Ihmsen12]. They are born
// where fast liquid breaks up near the surface; what each is depends on where it is: above the surface spray
// (free fall with drag), on it foam (drifts and fades), below it a bubble (rises, carried along). With a
// level set they are the markers of the inside that escaped too far to mend the surface: they leave it for
// good.
#pragma once

#include "selkie/fluids/liquid/params.h"
#include "selkie/fluids/liquid/solids.h"
#include "selkie/ports/time.h"

namespace selkie::liquid {

// One step of those there are, then births and deaths. Velocities and φ are those of the step's end.
template <class Real>
void advance_secondary(const Model& model, const Params& params, const Vec3& gravity, Interval interval,
                       const PlacedSolids<Real>& solids, const CellRanges& ranges, State<Real>& state);

}  // namespace selkie::liquid
