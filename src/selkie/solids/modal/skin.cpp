// See skin.h.
#include "selkie/solids/modal/skin.h"

#include <algorithm>
#include <array>

#include "selkie/core/check.h"
#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/math/lanes.h"

namespace selkie::modal {
namespace {

using lanes::all;
using lanes::Lanes;
using lanes::load;
using lanes::madd;
constexpr std::size_t kBlockBodies = 8, kMostTogether = 4;

void write_block(const SkinTask& task, const std::array<Lanes, 3>& local, std::size_t first,
                 std::size_t count) {
  std::array<Lanes, 3> world;
  for (int c = 0; c < 3; ++c)
    world[static_cast<std::size_t>(c)] =
        madd(all(task.rotation(c, 0)), local[0],
             madd(all(task.rotation(c, 1)), local[1],
                  madd(all(task.rotation(c, 2)), local[2], all(task.position[c]))));
  for (std::size_t l = 0; l < count; ++l) {
    double* out = task.surface[first + l].data();
    const int lane = static_cast<int>(l);
    out[0] = world[0][lane], out[1] = world[1][lane], out[2] = world[2][lane];
  }
}

template <std::size_t N>
void skin_together(const Model& model, const SkinTask* tasks) {
  for (std::size_t block = 0; block < model.block_count(); ++block) {
    const double* rest = model.rest.data() + block * 3 * kLanes;
    const double* phi = model.modes.data() + block * model.mode_count * 3 * kLanes;
    std::array<std::array<Lanes, 3>, N> x;
    for (std::size_t n = 0; n < N; ++n)
      for (std::size_t c = 0; c < 3; ++c) x[n][c] = all(tasks[n].rest_factor) * load(rest + c * kLanes);
    for (std::size_t k = 0; k < model.mode_count; ++k, phi += 3 * kLanes) {
      const Lanes mode[3] = {load(phi), load(phi + kLanes), load(phi + 2 * kLanes)};
      for (std::size_t n = 0; n < N; ++n) {
        const Lanes q = all(tasks[n].weights[k]);
        for (std::size_t c = 0; c < 3; ++c) x[n][c] = madd(q, mode[c], x[n][c]);
      }
    }
    const std::size_t first = block * kLanes, count = std::min(kLanes, model.vertex_count - first);
    for (std::size_t n = 0; n < N; ++n) write_block(tasks[n], x[n], first, count);
  }
}

}  // namespace

void skin(const Model& model, std::span<const SkinTask> tasks) {
  static_assert(kMostTogether == 4);
  std::size_t n = 0;
  for (; n + 4 <= tasks.size(); n += 4) skin_together<4>(model, tasks.data() + n);
  switch (tasks.size() - n) {
    case 3:
      return skin_together<3>(model, tasks.data() + n);
    case 2:
      return skin_together<2>(model, tasks.data() + n);
    case 1:
      return skin_together<1>(model, tasks.data() + n);
  }
}

void skin_all(const Model& model, const State& state, double exaggeration, std::span<Vec3> positions) {
  const ProfileZone zone("modal.skin");
  SELKIE_CHECK(positions.size() == state.count() * model.vertex_count, "room for all surfaces");
  parallel_blocks(state.count(), kBlockBodies, [&](std::size_t begin, std::size_t end) {
    std::vector<double> scaled((end - begin) * model.mode_count);
    std::array<SkinTask, kBlockBodies> tasks;
    for (std::size_t b = begin; b < end; ++b) {
      double* weights = scaled.data() + (b - begin) * model.mode_count;
      const std::span<const double> q = displacements(model, state, b);
      for (std::size_t k = 0; k < q.size(); ++k) weights[k] = exaggeration * q[k];
      tasks[b - begin] = {state.positions[b], orientation(state, b).toRotationMatrix(), 1, weights,
                          positions.data() + b * model.vertex_count};
    }
    skin(model, std::span(tasks).first(end - begin));
  });
}

void skin_velocities(const Model& model, const State& state, std::span<const Vec3> positions,
                     std::span<Vec3> velocities) {
  SELKIE_CHECK(velocities.size() == state.count() * model.vertex_count, "room for all surfaces");
  parallel_blocks(state.count(), kBlockBodies, [&](std::size_t begin, std::size_t end) {
    std::array<SkinTask, kBlockBodies> tasks;
    for (std::size_t b = begin; b < end; ++b)
      tasks[b - begin] = {state.velocities[b], orientation(state, b).toRotationMatrix(), 0,
                          rates(model, state, b).data(), velocities.data() + b * model.vertex_count};
    skin(model, std::span(tasks).first(end - begin));
    for (std::size_t b = begin; b < end; ++b)
      for (std::size_t i = b * model.vertex_count; i < (b + 1) * model.vertex_count; ++i)
        velocities[i] += state.angular_velocities[b].cross(positions[i] - state.positions[b]);
  });
}

}  // namespace selkie::modal
