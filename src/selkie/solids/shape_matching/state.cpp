// State and scratch: the small functions beside the data.
#include "selkie/solids/shape_matching/state.h"

#include <algorithm>
#include <limits>

#include "selkie/solids/shape_matching/work.h"

namespace selkie::shape_matching {

State make_state(const Model& model) {
  State state;
  state.positions.copy_from(model.rest_positions.data(), model.rest_positions.size());
  state.velocities.assign(model.vertex_count, Vec3::Zero());
  state.pinned.assign(model.vertex_count, 0);
  state.rotations.assign(model.cluster_count(), Mat3::Identity());
  state.plastic.assign(model.cluster_count(), Mat3::Identity());
  return state;
}

void pin(State& state, std::uint32_t vertex) {
  state.pinned[vertex] = 1;
  state.velocities[vertex] = Vec3::Zero();
}

void poison(Work& work) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr std::uint32_t kAbsurd = 0xABABABAB;
  auto fill = [](auto& buffer, const auto& value) { std::fill(buffer.begin(), buffer.end(), value); };
  const Vec3 nowhere = Vec3::Constant(kNan);
  const Mat3 nothing = Mat3::Constant(kNan);
  for (Buffer<Vec3>* buffer : {&work.predicted, &work.normals, &work.corrections, &work.kinematic_targets,
                               &work.hash.sorted_position})
    fill(*buffer, nowhere);
  for (Buffer<std::uint32_t>* buffer :
       {&work.near_colliders, &work.touching, &work.kinematic_vertices, &work.neighbours.list,
        &work.neighbours.counts, &work.hash.bucket_begin, &work.hash.bucket_of_vertex, &work.hash.sorted})
    fill(*buffer, kAbsurd);
  fill(work.fits, Fit{nowhere, nothing, nothing, nothing});
  fill(work.quadratic_maps, Mat39::Constant(kNan).eval());
  fill(work.bounds, BodyBounds{nowhere, kNan});
  fill(work.kinematic, std::uint8_t{0xAB});
  fill(work.hash.sorted_cell, std::array<std::int32_t, 3>{-1, -1, -1});
  work.hash.cell = kNan;
}

}  // namespace selkie::shape_matching
