// Signs of determinants that never lie: which side of a line or plane a point is on, and whether it is inside
// a circumsphere. A floating-point evaluation with an error bound decides nearly always; where it cannot, the
// determinant is summed exactly as an expansion: a sum of doubles that do not overlap [Shewchuk97 §2, §4].
// Limits: coordinates of size 1e-60 to 1e60 (or zero), so that no product over- or underflows.
#pragma once

#include "selkie/math/types.h"

namespace selkie::geometry {

// The sign of twice the area of (a, b, c): +1 when they run counter-clockwise.
int orient2d(const Vec2& a, const Vec2& b, const Vec2& c);

// The sign of signed_volume(a, b, c, d); 0 exactly when the four lie in a plane.
int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

// +1 when e lies strictly inside the sphere through the corners of the positive tet (a, b, c, d), -1 outside,
// 0 exactly on it. The sign turns for a negative tet.
int in_sphere(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, const Vec3& e);

}  // namespace selkie::geometry
