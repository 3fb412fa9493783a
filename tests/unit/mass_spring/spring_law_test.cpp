// One spring: tension, slope, energy, and the forces of RT-03 and HY-26.
#include "selkie/solids/mass_spring/spring_law.h"

#include <gtest/gtest.h>

namespace selkie::mass_spring {
namespace {

Params biphasic() {
  Params p;
  p.tension_knee = 0.1;
  p.tension_slope = 5;
  p.compression_factor = 0.5;
  p.compression_knee = 0.2;
  p.compression_slope = 3;
  return p;
}

TEST(SpringLaw, HookeTensionIsProportionalToElongation) {
  const Params p;
  EXPECT_DOUBLE_EQ(tension(p, 100, 2, 2.5), 50);
  EXPECT_DOUBLE_EQ(tension(p, 100, 2, 1.5), -50);
}

TEST(SpringLaw, BiphasicTensionChangesSlopeAtItsKnees) {
  const Params p = biphasic();
  EXPECT_NEAR(tension(p, 100, 1, 1.1), 10, 1e-12);
  EXPECT_NEAR(tension(p, 100, 1, 1.2), 10 + 5 * 10, 1e-12);
  EXPECT_NEAR(tension(p, 100, 1, 0.8), -0.5 * 20, 1e-12);
  EXPECT_NEAR(tension(p, 100, 1, 0.7), -0.5 * (20 + 3 * 10), 1e-12);
}

TEST(SpringLaw, SlopeIsTheDerivativeOfTensionAndTensionThatOfEnergy) {
  const Params p = biphasic();
  const double h = 1e-6;
  for (const double l : {0.01, 0.03, 0.07, 0.6, 0.75, 0.85, 0.95, 1.05, 1.15, 1.3}) {
    // Central differences of piecewise polynomials away from the knees: exact up to round-off / h.
    EXPECT_NEAR((tension(p, 100, 1, l + h) - tension(p, 100, 1, l - h)) / (2 * h),
                tension_slope(p, 100, 1, l), 1e-6);
    EXPECT_NEAR((elastic_energy(p, 100, 1, l + h) - elastic_energy(p, 100, 1, l - h)) / (2 * h),
                tension(p, 100, 1, l), 1e-6);
  }
}

TEST(SpringLaw, DirectionalDampingActsAlongTheSpringOnly) {
  const Params p;
  const Vec3 along = spring_force(p, 0, 3, 1, Vec3::Zero(), Vec3::UnitX(), Vec3::Zero(), Vec3(2, 7, -4));
  EXPECT_EQ(along, Vec3(6, 0, 0));
  Params full;
  full.directional_damping = false;
  const Vec3 everywhere =
      spring_force(full, 0, 3, 1, Vec3::Zero(), Vec3::UnitX(), Vec3::Zero(), Vec3(2, 7, -4));
  EXPECT_EQ(everywhere, Vec3(6, 21, -12));
}

TEST(SpringLaw, ASpringOfNoLengthExertsNoForce) {
  const Vec3 x(1, 2, 3);
  EXPECT_EQ(spring_force(Params{}, 1e6, 10, 1, x, x, Vec3::Zero(), Vec3(1, 1, 1)), Vec3::Zero());
}

}  // namespace
}  // namespace selkie::mass_spring
