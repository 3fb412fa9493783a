// Contacts of a deformable body's vertices with solids that give way (rigid bodies thrown at cloth or jelly).
// The path of each vertex over the step is tested against the path of the solid, so nothing is crossed by a
// solid that spans some vertices.
//
// Backward Euler holds them inside its solve: a solid of effective mass m that touches k vertices is cut into
// k pieces, each fastened to one vertex (along the normal where it slides, wholly where it
// sticks); the solve moves both, and the solid takes the sum of what its pieces felt. [Tonge12, mass
// splitting, there between rigid bodies] Unlike impulses after the step this passes elastic forces on to
// the solid, however light the vertices are; it conserves momentum and adds no energy. Other integrators
// exchange impulses after the step. Limits: a solid smaller than the spacing of the vertices slips through;
// edges are not tested; body and solid never bounce except by elasticity.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "selkie/core/function_ref.h"
#include "selkie/math/types.h"
#include "selkie/ports/surface.h"
#include "selkie/ports/time.h"

namespace selkie::ports {

// Inertia of other bodies that vertices carry with them inside an implicit solve: C = Σ of these blocks.
struct AttachedMass {
  std::uint32_t vertex = 0;
  Mat3 mass;      // kg; m I where the vertex sticks, m n nᵀ where it slides
  Vec3 velocity;  // m/s, of the attached piece before the step
};

// A vertex that would touch a movable solid within the step.
struct BodyContact {
  std::uint32_t vertex = 0;
  std::uint32_t body = 0;
  Vec3 normal;
  Vec3 velocity;              // m/s, of the solid there, less what the gap between them allows
  double effective_mass = 0;  // kg, of the solid along the normal
  double share = 0;           // of it that is fastened to this vertex
  Vec3 slip = Vec3::Zero();   // direction in which it already slides; zero: at rest on the surface
  bool open = false;          // pulls, or lost: no contact after all
  bool slides = false;
  Vec3 friction_impulse = Vec3::Zero();  // N·s on the vertex, of a sliding contact
};

struct BodyContacts {
  std::vector<BodyContact> contacts;
  std::vector<AttachedMass> attached;  // empty outside implicit solves with contacts
  std::vector<double> carried;         // N·s per contact
  std::vector<double> pressed;         // N·s per solid
  std::vector<int> count;              // contacts per solid
};
void poison(BodyContacts& contacts);

using MovableSolids = std::span<MovableSolid* const>;

// Where the vertices of a body go in a step.
struct VertexPaths {
  std::span<const Vec3> start, end;        // m
  std::span<const Vec3> start_velocities;  // m/s
  Interval interval;
  double thickness = 0;  // m, kept from solids
};

// Every vertex that the free motion brings into a solid, in the order of solids and vertices. Slip slower
// than `slowest_slip` (m/s) counts as rest.
void find_body_contacts(MovableSolids bodies, const VertexPaths& paths, double slowest_slip,
                        BodyContacts& found);

// Fills `attached` with the pieces of the contacts that are not open.
void attach_bodies(BodyContacts& contacts);

// Decides from the trial that ended with `velocities` which contacts stick, slide or open and how large each
// one's piece is. Friction of sliding ones is left in friction_impulse.
void sort_body_contacts(MovableSolids bodies, std::span<const Vec3> velocities, BodyContacts& contacts);

// Gives the solids what their pieces felt in the last solve.
void push_bodies(MovableSolids bodies, Interval interval, std::span<const Vec3> positions,
                 std::span<const Vec3> velocities, const BodyContacts& contacts);

// How easily a vertex moves, 1/kg; 0: held.
using InverseMass = FunctionRef<double(std::uint32_t vertex)>;

// Without an implicit solve: impulses one after the other, so that no approach is answered twice.
int bounce_off_bodies(MovableSolids bodies, const VertexPaths& paths, InverseMass inverse_mass,
                      std::span<Vec3> velocities);

// Parts vertices and solids that still overlap, without giving them velocity: each gives way by how easily it
// moves within a step, a vertex with the elasticity that holds it. Those that started inside leave by and by.
// `positions` are paths.end. Returns how many touched one.
int leave_bodies(MovableSolids bodies, const VertexPaths& paths, InverseMass inverse_mass,
                 std::span<Vec3> positions);

// Longest step (s) in which no solid that comes near moves by more than half its size relative to the
// vertices on its way, but at least 1 ms; infinity where none comes near.
double body_step_limit(MovableSolids bodies, double thickness, std::span<const Vec3> positions,
                       std::span<const Vec3> velocities);

}  // namespace selkie::ports
