// Mass properties (RT-39): of primitives by formula, of closed meshes by the divergence theorem, of compounds by
// Steiner's theorem.
#pragma once

#include "selkie/contact/shape.h"
#include "selkie/geometry/mesh.h"
#include "selkie/math/types.h"

namespace selkie::rigid {

struct MassProperties {
  double mass = 0;                   // kg
  Vec3 center = Vec3::Zero();        // m
  Mat3 inertia = Mat3::Zero();       // kg·m² about the centre
};
MassProperties mass_properties(const contact::Shape& shape, double density);  // hulls, compounds, solid meshes too
MassProperties mass_properties(const geometry::TriangleMesh& closed, double density);
MassProperties together(std::span<const MassProperties> parts);

// Axes in which the inertia is diagonal (columns, right-handed), and the moments.
struct PrincipalAxes {
  Mat3 axes = Mat3::Identity();
  Vec3 moments = Vec3::Zero();
};
PrincipalAxes principal_axes(const Mat3& inertia);

}  // namespace selkie::rigid
