// Modal bodies against one another: momentum, tunnelling, rest, bits.
#include "selkie/solids/modal/encounters.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modal_bodies.h"
#include "selkie/core/parallel.h"
#include "selkie/core/state_arrays.h"

namespace selkie::modal {
namespace {

using test::Arena;
using test::at;
using test::elements;
using test::modes_of;
using test::plate;

// Plates of 0.4 m × 0.05 m × 0.32 m in the given places.
Arena plates(std::vector<Eigen::Isometry3d> poses, double young = 1e6) {
  Arena arena(modes_of(elements(plate()), 12, {.young = young}), std::move(poses));
  arena.params.stiffness_damping = 5e-3 * 1e6 / young;
  return arena;
}

Vec3 momentum(const Arena& arena) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& v : arena.state.velocities) sum += arena.model.mass * v;
  return sum;
}

Vec3 angular_momentum(const Arena& arena) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t b = 0; b < arena.state.count(); ++b) {
    const Quat q = orientation(arena.state, b);
    const Vec3 spin = q.conjugate() * arena.state.angular_velocities[b];
    sum += arena.model.mass * arena.state.positions[b].cross(arena.state.velocities[b]) +
           q * Vec3(arena.model.inertia.cwiseProduct(spin));
  }
  return sum;
}

// Deepest vertex of any body inside another one's rest shape, m.
double deepest(const Arena& arena) {
  double worst = 0;
  for (std::size_t a = 0; a < arena.state.count(); ++a)
    for (std::size_t b = 0; b < arena.state.count(); ++b)
      for (std::size_t i = 0; a != b && i < arena.model.vertex_count; ++i) {
        const Vec3 x = orientation(arena.state, b).conjugate() *
                       (position_of(arena.model, arena.state, a, i) - arena.state.positions[b]);
        worst = std::max(worst, -arena.model.shape->exact(x).distance);
      }
  return worst;
}

TEST(ModalEncounters, CollidingBodiesKeepMomentumAndAngularMomentumAndGainNoEnergy) {
  Arena arena = plates({at(Vec3(0, 0, 0), Vec3(0.3, 0, 0.2)), at(Vec3(0.1, 0.4, 0.05), Vec3(0, 0.5, 0.4))});
  arena.with_floor = false;
  arena.gravity = Vec3::Zero();
  arena.state.velocities[1] = Vec3(0, -2, 0.3);
  arena.state.angular_velocities[0] = Vec3(0.5, 1, 0);
  const Vec3 before = momentum(arena), turning = angular_momentum(arena);
  double energy = arena.energy();
  bool met = false;
  for (int n = 0; n < 120; ++n) {
    ASSERT_TRUE(arena.step());
    met = met || arena.report.contacts > 0;
    EXPECT_LE(arena.energy(), energy * (1 + 1e-6)) << "step " << n;  // what turning freely may gain
    energy = arena.energy();
  }
  EXPECT_TRUE(met);
  EXPECT_GT((arena.state.velocities[1] - Vec3(0, -2, 0.3)).norm(), 0.5);
  EXPECT_LT((momentum(arena) - before).norm(), 1e-13 * before.norm());
  // Impulses act at one point and keep it; what came in during the step (up to 16 mm) is moved out, which
  // shifts the centres while they move past each other. Measured: 5e-3.
  EXPECT_LT((angular_momentum(arena) - turning).norm(), 1e-2 * turning.norm());
}

TEST(ModalEncounters, FastBodiesDoNotPassThroughEachOther) {
  // 4 m/s are 33 mm a step, more than half a plate's thickness; 12 m/s twice the thickness.
  for (const double speed : {4.0, 12.0}) {
    Arena arena = plates({at(Vec3(0, 0, 0)), at(Vec3(0.02, 0.3, 0.01), Vec3(0.1, 0, 0.05))});
    arena.with_floor = false;
    arena.gravity = Vec3::Zero();
    arena.state.velocities[1] = Vec3(0, -speed, 0);
    for (int n = 0; n < 60; ++n) {
      ASSERT_TRUE(arena.step());
      EXPECT_LT(deepest(arena), 5e-3) << speed << " " << n;
    }
    // One that had passed would go on as before, and the other stay: two equal plates share the momentum.
    EXPECT_GT(arena.state.velocities[1].y(), -0.7 * speed);
    EXPECT_LT(arena.state.velocities[0].y(), -0.3 * speed);
  }
}

TEST(ModalEncounters, AStackComesToRestOnTheFloor) {
  Arena arena = plates({at(Vec3(0, 0.03, 0)), at(Vec3(0.03, 0.09, 0.02)), at(Vec3(-0.02, 0.15, 0))}, 1e7);
  ASSERT_TRUE(arena.run(4));
  for (std::size_t b = 0; b < 3; ++b) {
    EXPECT_LT(arena.state.velocities[b].norm(), 0.02) << b;
    EXPECT_LT(arena.state.angular_velocities[b].norm(), 0.1) << b;
    EXPECT_NEAR(arena.state.positions[b].y(), 0.025 + 0.05 * static_cast<double>(b), 2e-3) << b;
  }
  EXPECT_LT(deepest(arena), 2e-3);
  const Vec3 top = arena.state.positions[2];
  ASSERT_TRUE(arena.run(1));
  EXPECT_LT((arena.state.positions[2] - top).norm(), 2e-3);
}

TEST(ModalEncounters, BodiesThatAreToldNotToMeetPass) {
  Arena arena = plates({at(Vec3(0, 0, 0)), at(Vec3(0, 0.2, 0))});
  arena.with_floor = false;
  arena.gravity = Vec3::Zero();
  arena.params.meet = false;
  arena.state.velocities[1] = Vec3(0, -2, 0);
  ASSERT_TRUE(arena.run(0.5));
  EXPECT_NEAR(arena.state.positions[1].y(), -0.8, 1e-9);
}

TEST(ModalEncounters, TheBitsAreThoseOfOneThreadAndOfPoisonedScratch) {
  auto run = [](int threads, bool poisoned) {
    set_thread_count(threads);
    Arena arena =
        plates({at(Vec3(0, 0.1, 0)), at(Vec3(0.1, 0.2, 0)), at(Vec3(-0.1, 0.3, 0), Vec3(0.4, 0, 0))});
    for (int n = 0; n < 60; ++n) {
      if (poisoned) poison(arena.work);
      EXPECT_TRUE(arena.step());
    }
    set_thread_count(0);
    Hasher hasher;
    add_to_hash(hasher, arrays_of(arena.state));
    return hasher.value();
  };
  const Hash128 one = run(1, false);
  EXPECT_EQ(one, run(2, false));
  EXPECT_EQ(one, run(1, true));
}

}  // namespace
}  // namespace selkie::modal
