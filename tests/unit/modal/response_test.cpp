// The answer of a modal body to impulses on its surface, and the way back from velocities to a motion.
#include "selkie/solids/modal/response.h"

#include <gtest/gtest.h>

#include "modal_bodies.h"
#include "selkie/core/random.h"
#include "selkie/math/random_vector.h"
#include "selkie/solids/modal/skin.h"

namespace selkie::modal {
namespace {

using test::Arena;
using test::at;
using test::elements;
using test::modes_of;
using test::plate;

constexpr double kStep = 1.0 / 60;  // s

struct Plate {
  Arena arena{modes_of(elements(plate()), 12), {at(Vec3(1, 2, 3), Vec3(0.4, -0.2, 0.7))}};
  std::vector<Vec3> surface = std::vector<Vec3>(arena.model.vertex_count);
  Plate() {
    for (std::size_t k = 0; k < 12; ++k) arena.state.displacements[k] = 1e-3 * (1.0 + static_cast<double>(k));
    skin_all(arena.model, arena.state, 1, surface);
  }
  BodyAnswer answer(std::vector<ports::HeldVertex> held = {}) const {
    return make_answer(arena.model, arena.params, kStep, arena.state, 0, surface, held);
  }
  std::vector<Vec3> at_random(std::uint64_t seed) const {
    RandomStream random(seed, 3);
    std::vector<Vec3> vectors(surface.size());
    for (Vec3& v : vectors) v = random_vector(random, -1, 1);
    return vectors;
  }
  std::vector<Vec3> respond(const BodyAnswer& answer, std::span<const Vec3> impulses) const {
    std::vector<Vec3> changes(surface.size());
    velocities_of(arena.model, answer, motion_by(arena.model, answer, impulses), changes);
    return changes;
  }
};

double dot(std::span<const Vec3> a, std::span<const Vec3> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i].dot(b[i]);
  return sum;
}

TEST(ModalResponse, IsSymmetricAndPositiveAndTakesUpTheImpulse) {
  const Plate body;
  const BodyAnswer answer = body.answer();
  const std::vector<Vec3> p = body.at_random(1), q = body.at_random(2), by_p = body.respond(answer, p),
                          by_q = body.respond(answer, q);
  EXPECT_NEAR(dot(q, by_p), dot(p, by_q), 1e-13 * dot(p, by_p));
  EXPECT_GT(dot(p, by_p), 0);
  Vec3 sum = Vec3::Zero();
  for (const Vec3& impulse : p) sum += impulse;
  const Motion motion = motion_by(body.arena.model, answer, p);
  EXPECT_LT((body.arena.model.mass * motion.head<3>() - sum).norm(), 1e-14 * sum.norm());
}

// An impulse on the state, with modes too slow for the step to turn them, is what apply_impulse() does.
TEST(ModalResponse, OfSlowModesIsThatOfAKick) {
  Plate body;
  body.arena.params.stiffness_factor = 1e-9;
  body.arena.params.stiffness_damping = 0;
  std::vector<Vec3> p(body.surface.size(), Vec3::Zero());
  p[5] = Vec3(0.3, -1, 0.2);
  const std::vector<Vec3> changes = body.respond(body.answer(), p);
  State kicked = body.arena.state;
  apply_impulse(body.arena.model, kicked, 0, 5, p[5]);
  for (std::size_t i = 0; i < changes.size(); ++i)
    EXPECT_LT((changes[i] - velocity_of(body.arena.model, kicked, 0, i)).norm(), 1e-5 * changes[5].norm());
}

TEST(ModalResponse, MotionsAreFoundAgainFromWhatTheSurfaceSees) {
  const Plate body;
  const BodyAnswer answer = body.answer();
  Motion motion(18);
  for (Eigen::Index k = 0; k < 18; ++k) motion[k] = std::sin(1.7 * static_cast<double>(k + 1));
  std::vector<Vec3> velocities(body.surface.size());
  velocities_of(body.arena.model, answer, motion, velocities);
  EXPECT_LT((fitted_motion(body.arena.model, answer, velocities) - motion).norm(), 1e-12 * motion.norm());
}

TEST(ModalResponse, VerticesOnCollidersStayAndAHandHoldsItsPoint) {
  Plate body;
  const std::vector<ports::HeldVertex> held{
      {3, Vec3::UnitY(), false}, {7, Vec3(1, 1, 0).normalized(), false}, {11, Vec3::UnitZ(), true}};
  const std::vector<Vec3> p = body.at_random(4), changes = body.respond(body.answer(held), p);
  double fastest = 0;
  for (const Vec3& v : changes) fastest = std::max(fastest, v.norm());
  EXPECT_LT(std::abs(changes[3].y()), 1e-9 * fastest);
  EXPECT_GT(std::abs(changes[3].x()) + std::abs(changes[3].z()), 1e-3 * fastest) << "it may slide";
  EXPECT_LT(std::abs(changes[7].dot(held[1].normal)), 1e-9 * fastest);
  EXPECT_LT(changes[11].norm(), 1e-9 * fastest);

  body.arena.state.grabbed_body = 0;
  body.arena.state.grabbed_triangle = 4;
  body.arena.state.grabbed_vertex = body.arena.model.triangles[4][0];
  body.arena.state.grab_weights = Vec3(0.5, 0.3, 0.2);
  const std::vector<Vec3> in_hand = body.respond(body.answer(), p);
  Vec3 point = Vec3::Zero();
  for (std::size_t c = 0; c < 3; ++c)
    point += body.arena.state.grab_weights[static_cast<Eigen::Index>(c)] *
             in_hand[body.arena.model.triangles[4][c]];
  EXPECT_LT(point.norm(), 1e-9 * fastest);
}

}  // namespace
}  // namespace selkie::modal
