// Rotations as matrices, quaternions and rotation vectors (axis times angle), and the Gram-Schmidt frame of a
// matrix (RT-26). All conversions are accurate near angles 0 and π.
#pragma once

#include "selkie/math/types.h"

namespace selkie {

// Rotation by |omega| radians about omega.
Quat quaternion_from_vector(const Vec3& omega);
Mat3 rotation_from_vector(const Vec3& omega);

// Rotation by `angle` radians about `axis`, which need not be of unit length; a zero axis gives the identity.
Mat3 rotation_from_axis_angle(const Vec3& axis, double angle);

// The rotation vector with angle in [0, π]; at π the axis is one of two opposite ones. The quaternion need
// not be of unit length.
Vec3 rotation_vector(const Quat& q);
Vec3 rotation_vector(const Mat3& rotation);

// The smallest rotation that carries the direction of `from` to that of `to`. Opposite directions turn about
// some perpendicular axis; a zero vector gives the identity.
Mat3 rotation_between(const Vec3& from, const Vec3& to);

// Orientation after turning for `dt` seconds with constant angular velocity (world frame, rad/s): the exact
// motion.
Quat integrate(const Quat& world_from_body, const Vec3& angular_velocity, double dt);

// Turns a rigid body with these principal moments of inertia for dt without torque (RT-40): the implicit
// midpoint rule on rotations keeps the angular momentum to round-off and the energy to second order. Where a
// step turns the body by more than half a radian it is not resolved any more, and the energy is kept from
// rising instead.
void rotate_freely(double dt, const Vec3& inertia, Quat& orientation, Vec3& angular_velocity);

// A unit vector perpendicular to the unit vector n.
Vec3 any_perpendicular(const Vec3& n);

// Orthonormal frame from the columns of F in the order 0, 1, with r₂ = r₀ × r₁, hence always a rotation, even
// of a reflection (RT-26; with the correction E18, r₁ ∥ a₁ − (r₀·a₁) r₀). Where the first two columns are
// zero or parallel the frame is undefined and `previous` is kept.
Mat3 gram_schmidt(const Mat3& f, const Mat3& previous = Mat3::Identity());

}  // namespace selkie
