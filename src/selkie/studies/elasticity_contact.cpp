// Contact between elastic bodies: momentum of a collision, Coulomb's law on a slope.
#include <cmath>
#include <numbers>

#include "selkie/scene/scene.h"
#include "selkie/studies/elasticity_cases.h"

namespace selkie::studies::elasticity_cases {
namespace {

const std::string kMaterial = "density = 300\nyoung = 1e6\nstiffness_damping = 0.005\n";

struct Center {
  Vec3 position = Vec3::Zero(), momentum = Vec3::Zero();
};
Center center_of(sim::World& world, const char* name) {
  const ports::DeformableSolid& body = *world.find(name)->deformable_solid();
  const std::size_t count = body.positions().size();
  Center sum;
  for (std::size_t i = 0; i < count; ++i) {
    sum.position += body.positions()[i] / static_cast<double>(count);
    sum.momentum += body.velocities()[i] / body.inverse_masses()[i];
  }
  return sum;
}

bool advance(sim::World& world, int steps) {
  for (int n = 0; n < steps; ++n)
    if (!world.sync_step().ok) return false;
  return true;
}

Row collision_row() {
  sim::World world =
      scene::build(scene::parse("[scene]\nfps = 120\ngravity = [0, 0, 0]\n"
                                "[[elastic]]\nname = \"a\"\nvelocity = [2, 0, 0]\n" +
                                    kMaterial +
                                    "mesh = { tet_box = { min = [-0.41, -0.1, -0.1], max = [-0.11, 0.2, "
                                    "0.2], divisions = [3, 3, 3] } }\n"
                                    "[[elastic]]\nname = \"b\"\n" +
                                    kMaterial +
                                    "mesh = { tet_box = { min = [-0.1, -0.15, -0.12], max = [0.2, 0.15, "
                                    "0.18], divisions = [2, 2, 2] } }\n",
                                "collision", ".", {}));
  const Vec3 before = center_of(world, "a").momentum;
  const bool ok = advance(world, 60);
  const Vec3 given = center_of(world, "b").momentum, kept = center_of(world, "a").momentum;
  const double error = (given + kept - before).norm() / before.norm();
  return {{"two blocks collide: lost momentum", number(error, 2), "0"},
          ok && error < 1e-10 && given.x() > 0.3 * before.x()};
}

// A block on another one whose every vertex is held; gravity is that of a slope.
Row slope_row(double degrees, double friction) {
  const double slope = degrees * std::numbers::pi / 180, g = 9.81;
  sim::World world = scene::build(scene::parse(
      "[scene]\nfps = 120\ngravity = [" + number(g * std::sin(slope), 12) + ", " +
          number(-g * std::cos(slope), 12) + ", 0]\n[[contact]]\nfriction = " + number(friction) +
          "\n[[elastic]]\nname = \"slope\"\npin = [{ box = { min = [-9, -9, -9], max = [9, 9, 9] } }]\n"
          "mesh = { tet_box = { min = [-0.5, -0.2, -0.5], max = [1.5, 0, 0.5], divisions = [8, 1, 4] } }\n"
          "[[elastic]]\nname = \"block\"\n" +
          kMaterial +
          "mesh = { tet_box = { min = [-0.2, 0, -0.2], max = [0.2, 0.1, 0.2], divisions = [4, 1, 4] } }\n",
      "slope", ".", {}));
  bool ok = advance(world, 30);  // until the block has settled on its elasticity
  const double mass = 300 * 0.4 * 0.1 * 0.4, speed = center_of(world, "block").momentum.x() / mass;
  ok = advance(world, 60) && ok;
  const double rate = (center_of(world, "block").momentum.x() / mass - speed) / 0.5;
  const double theory = std::max(0.0, g * (std::sin(slope) - friction * std::cos(slope)));
  return {{"slope of " + number(degrees) + "°, friction " + number(friction) + ": acceleration, m/s²",
           number(rate, 3), number(theory, 3)},
          ok && std::abs(rate - theory) < 0.02 * std::max(theory, 1.0)};
}

}  // namespace

Table contact_table() {
  return {"Contact between elastic bodies (RT-18, RT-19, RT-44)",
          {"case", "measured", "exact"},
          {collision_row(), slope_row(20, 0.3), slope_row(20, 0.4), slope_row(20, 0)},
          "Acceleration within 0.02 m/s²; momentum to round-off of 60 steps."};
}

}  // namespace selkie::studies::elasticity_cases
