// See skin.h.
#include "selkie/solids/modal/skin.h"

#include "selkie/core/check.h"
#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"

namespace selkie::modal {
namespace {

using Lanes = Eigen::Array<double, kLanes, 1>;
using LaneMap = Eigen::Map<const Lanes, Eigen::Aligned64>;
constexpr std::size_t kBlockBodies = 8;

}  // namespace

void skin(const Model& model, const Vec3& position, const Mat3& rotation, double rest_factor,
          std::span<const double> weights, Vec3* surface) {
  for (std::size_t block = 0; block < model.block_count(); ++block) {
    const double* rest = model.rest.data() + block * 3 * kLanes;
    const double* phi = model.modes.data() + block * model.mode_count * 3 * kLanes;
    Lanes x = rest_factor * LaneMap(rest), y = rest_factor * LaneMap(rest + kLanes),
          z = rest_factor * LaneMap(rest + 2 * kLanes);
    for (std::size_t k = 0; k < model.mode_count; ++k, phi += 3 * kLanes) {
      const double q = weights[k];
      x += q * LaneMap(phi);
      y += q * LaneMap(phi + kLanes);
      z += q * LaneMap(phi + 2 * kLanes);
    }
    Eigen::Array<double, 3, kLanes> world;
    for (int c = 0; c < 3; ++c)
      world.row(c) = (position[c] + rotation(c, 0) * x + rotation(c, 1) * y + rotation(c, 2) * z).transpose();
    const std::size_t first = block * kLanes, count = std::min(kLanes, model.vertex_count - first);
    for (std::size_t l = 0; l < count; ++l) surface[first + l] = world.col(static_cast<Eigen::Index>(l));
  }
}

void skin_all(const Model& model, const State& state, double exaggeration, std::span<Vec3> positions) {
  const ProfileZone zone("modal.skin");
  SELKIE_CHECK(positions.size() == state.count() * model.vertex_count, "room for all surfaces");
  parallel_blocks(state.count(), kBlockBodies, [&](std::size_t begin, std::size_t end) {
    std::vector<double> scaled(model.mode_count);
    for (std::size_t b = begin; b < end; ++b) {
      const std::span<const double> q = displacements(model, state, b);
      for (std::size_t k = 0; k < q.size(); ++k) scaled[k] = exaggeration * q[k];
      skin(model, state.positions[b], orientation(state, b).toRotationMatrix(), 1, scaled,
           positions.data() + b * model.vertex_count);
    }
  });
}

void skin_velocities(const Model& model, const State& state, std::span<const Vec3> positions,
                     std::span<Vec3> velocities) {
  SELKIE_CHECK(velocities.size() == state.count() * model.vertex_count, "room for all surfaces");
  parallel_blocks(state.count(), kBlockBodies, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      const std::size_t first = b * model.vertex_count;
      skin(model, state.velocities[b], orientation(state, b).toRotationMatrix(), 0, rates(model, state, b),
           velocities.data() + first);
      for (std::size_t i = first; i < first + model.vertex_count; ++i)
        velocities[i] += state.angular_velocities[b].cross(positions[i] - state.positions[b]);
    }
  });
}

}  // namespace selkie::modal
