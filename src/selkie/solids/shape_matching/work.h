// Scratch of a step of shape-matched bodies: kept between steps so that a step allocates nothing; nothing in
// it influences a result.
#pragma once

#include <array>
#include <cstdint>

#include "selkie/core/buffer.h"
#include "selkie/math/types.h"
#include "selkie/solids/shape_matching/model.h"

namespace selkie::shape_matching {

// How a cluster fits its points: goal = centre + map q, or centre + quadratic q̃.
struct Fit {
  Vec3 centre = Vec3::Zero();           // m
  Mat3 rotation = Mat3::Identity();     // nearest to the fit
  Mat3 deformation = Mat3::Identity();  // best linear map from the plastic shape at rest
  Mat3 map = Mat3::Identity();          // from the shape at rest to goals
};

struct BodyBounds {
  Vec3 centre = Vec3::Zero();  // m, of mass
  double radius = 0;           // m, holds all vertices where the step begins and where it would end
};

// The vertices sorted by cell of a hashed lattice (RT-17).
struct SpatialHash {
  double cell = 0;  // m
  Buffer<std::uint32_t> bucket_begin;
  Buffer<std::uint32_t> bucket_of_vertex;
  Buffer<std::uint32_t> sorted;                     // vertices
  Buffer<std::array<std::int32_t, 3>> sorted_cell;  // of each sorted vertex
  Buffer<Vec3> sorted_position;                     // m
};

// Vertices of other bodies near each vertex, kVertexRoom or more slots each. The highest bit says that the
// two are on the wrong side of each other's surface.
struct Neighbours {
  std::size_t room = 32;
  Buffer<std::uint32_t> list;
  Buffer<std::uint32_t> counts;
};

struct Work {
  Buffer<Vec3> predicted;                // m, where the step would end
  Buffer<Fit> fits;                      // per cluster
  Buffer<Mat39> quadratic_maps;          // per cluster
  Buffer<BodyBounds> bounds;             // per body
  Buffer<std::uint32_t> near_colliders;  // per body: bit k: may touch collider k (31: any from there on)
  Buffer<Vec3> normals;                  // per vertex, outwards; zero inside
  SpatialHash hash;
  Neighbours neighbours;
  Buffer<std::uint32_t> touching;  // per vertex: neighbours that it touches now
  Buffer<Vec3> corrections;        // m, per vertex
  Buffer<std::uint8_t> kinematic;  // pinned or grabbed
  Buffer<std::uint32_t> kinematic_vertices;
  Buffer<Vec3> kinematic_targets;  // m, at the end of the step
};

// Fills every array with NaN or absurd integers: a step afterwards must give the same bits.
void poison(Work& work);

}  // namespace selkie::shape_matching
