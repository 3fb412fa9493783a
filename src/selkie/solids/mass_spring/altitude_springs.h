// Generalised altitude springs (HY-28): a tetrahedron whose edges keep their lengths can still be pressed
// flat or turned inside out, so one more spring stands along the shortest of its seven altitudes, between
// each vertex and the opposite face or between two opposite edges. With V its signed volume and c the area of
// the parallelogram that the two face edges or the opposite edges span, an altitude is l = 6V/c, negative in
// inverted tetrahedra. The shortest one always ends inside its faces or edges, so no weight is negative and
// no force unbounded. [Selle08 §5.3.4]
//
// The same on the four vertices of two neighbouring triangles is axial bending (HY-29).
//
// Which altitude is the shortest, its direction n and its weights w are found where a step begins and hold
// for the step: there the spring is linear, E = ½ K (n·Σ w_i x_i − l0)², with l0 the rest length of that
// altitude. Deviations: K does not grow as l0 gets small, so that flat pairs of triangles (l0 = 0) are
// springs, too. Limits: integrators of higher order are of first order in these directions; energy jumps
// where the choice does.
#pragma once

#include <array>
#include <cstdint>

#include "selkie/solids/mass_spring/forces.h"
#include "selkie/solids/mass_spring/model.h"
#include "selkie/solids/mass_spring/params.h"
#include "selkie/solids/mass_spring/tangent.h"
#include "selkie/solids/mass_spring/work.h"

namespace selkie::mass_spring {

inline constexpr std::size_t kAltitudes = 7;  // vertex 0, 1, 2, 3 over its face; edges 01|23, 02|31, 03|12

struct Altitude {
  int which = -1;                   // of the seven; −1: all four vertices in one point
  double length = 0;                // m, signed
  Vec3 direction = Vec3::Zero();    // unit; n·Σ w_i x_i = length
  std::array<double, 4> weights{};  // of the corners: sum 0, those of either end sum to ±1
};

// The shortest altitude of a tetrahedron. Of four points on a line the two edges that overlap are held apart
// across the line.
Altitude shortest_altitude(const std::array<Vec3, 4>& corners);

// Signed length of one altitude; 0 where its face has no area or its edges are parallel.
double altitude_length(const std::array<Vec3, 4>& corners, std::size_t which);

// Altitude springs for tetrahedra, positively oriented or not, and axial bending for every pair of triangles
// that share an edge; `factor` is their stiffness relative to the edge springs'.
AltitudeSprings make_altitude_springs(std::span<const Vec3> rest_positions,
                                      std::span<const geometry::Tet> tets, double factor,
                                      const BuildOptions& options);
std::vector<geometry::Tet> bending_tets(std::span<const geometry::Triangle> triangles);

// Chooses the springs of a step at its first positions.
void choose_altitudes(const Model& model, const Params& params, const Buffer<Vec3>& x, Work& work);

// f += forces of the chosen springs.
void add_altitude_forces(const Model& model, const Buffer<Vec3>& x, const Buffer<Vec3>& v, Buffer<Vec4>& f,
                         Work& work, ForceTerms terms);

// Adds stiffness·K + damping·D of the chosen springs, exactly, to work.system->matrix.
void add_altitude_tangent(const Model& model, const TangentWeights& weights, Work& work);

// Σ E, J, of the springs chosen at x.
double altitude_energy(const Model& model, const Params& params, const Buffer<Vec3>& x);

// Σ E + ½ h D v·v of the springs chosen for the step, at x + h v.
double altitude_step_energy(const Model& model, const Buffer<Vec3>& x, const Buffer<Vec3>& v, double h,
                            const Work& work);

}  // namespace selkie::mass_spring
