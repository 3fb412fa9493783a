// Contact of deformable bodies with each other and with themselves: vertices inside tetrahedra (RT-18), or
// inside triangles in the plane, their ways out (RT-19), and two answers. `impulse`: all contacts of a sync
// step at once, by impulses that neither pull nor exceed Coulomb's friction, with each body answering through
// its own elasticity, so that a light vertex carries the body behind it; what was inside before is let out
// slowly and without gaining speed (RT-02). `penalty`: springs from each vertex to the surface it should be
// on [Müller08 §3.8]. Given is what is taken, to round-off. Limits: edges that cross without a vertex inside
// are not seen, nor is a body that passes another one within a sync step.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "selkie/core/describe.h"
#include "selkie/core/function_ref.h"
#include "selkie/coupling/contact_shape.h"
#include "selkie/geometry/triangle_tree.h"
#include "selkie/geometry/vertex_in_tet.h"
#include "selkie/ports/deformable_solid.h"

namespace selkie::coupling {

enum class ContactResponse { impulse, penalty };
constexpr auto describe(ContactResponse*) { return std::array<std::string_view, 2>{"impulse", "penalty"}; }

struct ContactParams {
  ContactResponse response = ContactResponse::impulse;
  double friction = 0.5;
  double restitution = 0;
  double thickness = 0;
  double stiffness = 1e4;
  int iterations = 30;
};
constexpr auto describe(ContactParams*) {
  using P = ContactParams;
  return Members{
      member("response", &P::response, "",
             "impulse: what stops the bodies, solved for; penalty: springs that push them apart"),
      member("friction", &P::friction, "", "Coulomb coefficient between the bodies").at_least(0),
      member("restitution", &P::restitution, "",
             "share of the normal speed given back, above 0.5 m/s; elasticity bounces by itself")
          .between(0, 1),
      member("thickness", &P::thickness, "m", "distance that vertices of bodies of tetrahedra keep")
          .at_least(0),
      member("stiffness", &P::stiffness, "N/m",
             "of penalty springs; stable only while step² · stiffness stays below the mass of a vertex")
          .above(0),
      member("iterations", &P::iterations, "", "cap of the iterations for impulses, per pass")
          .between(1, 1e4),
  };
}
static_assert(complete<ContactParams>());

// A vertex of body a inside body b (perhaps the same), and the point of b's surface it should leave by.
struct Contact {
  std::uint32_t a = 0, vertex = 0, b = 0;
  geometry::Triangle corners{};  // of the face of b; of a segment in the plane, one end twice
  Vec3 weights = Vec3::Zero();   // of the corners at that point
  Vec3 way_out = Vec3::Zero();   // m, from the vertex (with its thickness) to the surface point
  Vec3 normal = Vec3::UnitY();   // out of b
  double depth = 0;              // m, below the surface at the end of the step
  double start_depth = 0;        // m, at its start, if b had carried it along; negative: outside
  bool tangled = false;          // so deep that only the bodies' common way apart leads out
};

// What contacts of a set of bodies keep between steps: only scratch and what follows from their meshes.
struct ContactWork {
  struct Body {
    ContactShape shape;
    geometry::TriangleTree tree;    // of the shape's faces
    std::vector<Vec3> normals;      // outwards, per vertex
    std::vector<Vec3> test_points;  // vertices moved outwards by the thickness
    std::vector<Vec3> impulses, changes, kept_changes, answer, displacements;
    std::span<const double> inverse_masses;  // 1/kg, where the body touches
    bool touches = false;
  };
  std::vector<Body> bodies;
  geometry::TetDetector detector;
  std::vector<geometry::TouchingBody> views;
  std::vector<Contact> contacts;
  std::vector<geometry::VertexInTet> found;  // what each contact came from
  std::vector<std::uint8_t> untangled;
  std::vector<Vec3> impulse, step, given, wanted, answer;  // per contact
  std::vector<double> limit, scale;
};

using Bodies = std::span<ports::DeformableSolid* const>;

// Whether both live in space, or in the same plane: others never meet.
bool share_space(const ports::DeformableSolid& a, const ports::DeformableSolid& b);

// Contacts at the end of the step into work.contacts, in the order of (a, vertex, b).
void find_contacts(Bodies bodies, const ContactParams& params,
                   FunctionRef<bool(std::size_t a, std::size_t b)> may_touch, ContactWork& work);

// Penalty forces (N) of `contact`: k·way_out on the vertex, and its opposite shared by the corners, so that
// ΣF = 0 and, since the force points along way_out, Στ = 0 (RT-19).
struct PenaltyForces {
  Vec3 on_vertex;
  std::array<Vec3, 3> on_corners;
};
PenaltyForces penalty_forces(const Contact& contact, double stiffness);

// Answers the contacts in `work` over a step of `dt` seconds and moves the bodies.
StepReport answer_contacts(Bodies bodies, const ContactParams& params, double dt, ContactWork& work);

// Both. Not ok where a body's own solve fails. `contacts` of the report counts them.
StepReport exchange_contacts(Bodies bodies, const ContactParams& params, double dt,
                             FunctionRef<bool(std::size_t a, std::size_t b)> may_touch, ContactWork& work);

}  // namespace selkie::coupling
