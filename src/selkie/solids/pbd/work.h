// Scratch of a step of a position-based body: kept between steps so that a step allocates nothing; nothing in
// it influences a result.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "selkie/core/buffer.h"
#include "selkie/math/types.h"

namespace selkie::pbd {

// A vertex held out of a collider by a plane, for one sub-step (RT-38).
struct Contact {
  std::uint32_t vertex = 0;
  Vec3 normal;        // out of the solid
  double offset = 0;  // m: n·p is kept at least this
  Vec3 carried;       // m, way of the solid's surface during the sub-step
  double friction = 0, restitution = 0;
  double approach = 0;  // m/s, towards the surface before the sub-step
  bool was_inside = false;
  double pressed = 0;  // m, sum of the corrections along n
  Vec3 rubbed;         // m, sum of those along the surface
};

// The same against a solid that gives way, for a vertex or a point of a triangle. What one side gains in
// momentum the other loses.
struct BodyContact {
  Contact plane;
  std::array<std::uint32_t, 3> vertices;
  Vec3 weights;  // of the vertices in the point that touches
  std::uint32_t body = 0;
  double inverse_mass = 0;  // 1/kg, of the solid at this point along n
  double way_in = 0;        // m, along −n relative to the solid, by the free motion
  bool overlaps = false;    // the solid has been put where the body was
};

// A vertex kept on its side of a triangle of the same body (RT-32).
struct SelfContact {
  std::array<std::uint32_t, 4> corners;  // vertex, triangle
  double side = 1;
  bool crossed = false;  // found on the way, not by nearness: where, and with which normal
  Vec3 weights, normal;
  double pressed = 0;  // kg·m
  Vec3 rubbed;         // kg·m
};

// Triangles by the cells of a hashed lattice they sweep through.
struct TriangleHash {
  double cell = 1;                         // m
  std::vector<std::uint32_t> begins;       // per bucket
  std::vector<std::uint32_t> entries;      // triangles
  std::vector<std::uint32_t> large;        // triangles in too many cells
  std::vector<std::array<Vec3, 2>> boxes;  // swept bounds of each triangle
};

struct Work {
  Buffer<Vec4> points;  // predicted and projected position, inverse mass; 0: given motion, or an idle lane
  Buffer<double> stretch_multipliers, bend_link_multipliers, hinge_multipliers, volume_multipliers;
  double closed_multiplier = 0;
  Buffer<Vec3> gradients;  // of the enclosed volume
  Buffer<std::uint32_t> chunk_done;
  bool driven = false;           // a vertex of given motion moves: it may give any energy
  Buffer<Vec4> start_points;     // as points, at the start of the sub-step
  Buffer<Vec3> free_velocities;  // m/s, before constraints and contacts

  std::vector<std::vector<Contact>> found;  // per block of vertices
  std::vector<Contact> contacts;            // sorted by vertex
  std::vector<std::uint32_t> contact_runs;  // first contact of each vertex, and the end
  std::vector<BodyContact> body_contacts;
  std::vector<Vec3> body_shifts;  // m, that the solids gave way by

  TriangleHash hash;
  std::vector<std::vector<SelfContact>> self_found;    // per block of vertices
  std::vector<std::vector<std::uint32_t>> candidates;  // triangles to test, per block of vertices
  std::vector<SelfContact> self_contacts;
};

// For tests: fills every number with NaN and every index with rubbish.
void poison(Work& work);

}  // namespace selkie::pbd
