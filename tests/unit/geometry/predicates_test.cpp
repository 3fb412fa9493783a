// Exact signs: known answers, agreement with integer arithmetic, and the cases that plain doubles get wrong.
#include "selkie/geometry/predicates.h"

#include <gtest/gtest.h>

#include <cmath>

#include "selkie/core/random.h"
#include "selkie/geometry/mesh.h"

namespace selkie::geometry {
namespace {

__extension__ typedef __int128 Wide;  // NOLINT: the keyword exempts only a typedef from -Wpedantic

int sign_of(Wide value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

struct IntegerPoint {
  Wide x, y, z;
  Vec3 vector() const { return {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)}; }
};
IntegerPoint operator-(const IntegerPoint& a, const IntegerPoint& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Wide triple(const IntegerPoint& a, const IntegerPoint& b, const IntegerPoint& c) {
  return (a.y * b.z - a.z * b.y) * c.x + (a.z * b.x - a.x * b.z) * c.y + (a.x * b.y - a.y * b.x) * c.z;
}
Wide squared(const IntegerPoint& a) { return a.x * a.x + a.y * a.y + a.z * a.z; }

IntegerPoint random_point(RandomStream& random, double size) {
  auto coordinate = [&] { return static_cast<Wide>(std::llround(random.uniform(-size, size))); };
  return {coordinate(), coordinate(), coordinate()};
}

TEST(Predicates, SignsFollowTheConventionOfTheMeshes) {
  const Vec3 o = Vec3::Zero(), x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  EXPECT_EQ(orient3d(o, x, y, z), 1);
  EXPECT_GT(signed_volume(o, x, y, z), 0);
  EXPECT_EQ(orient3d(o, y, x, z), -1);
  EXPECT_EQ(orient3d(o, x, y, Vec3(3, 4, 0)), 0);
  EXPECT_EQ(in_sphere(o, x, y, z, Vec3(0.5, 0.5, 0.5)), 1);
  EXPECT_EQ(in_sphere(o, x, y, z, Vec3(2, 2, 2)), -1);
  EXPECT_EQ(in_sphere(o, x, y, z, Vec3(1, 1, 1)), 0);
  EXPECT_EQ(in_sphere(o, y, x, z, Vec3(0.5, 0.5, 0.5)), -1);
  EXPECT_EQ(orient2d(Vec2(0, 0), Vec2(1, 0), Vec2(0, 1)), 1);
  EXPECT_EQ(orient2d(Vec2(0, 0), Vec2(1, 0), Vec2(5, 0)), 0);
}

// Integers of 2^20 keep the determinant of degree five within 128 bits; small ones make it vanish often.
TEST(Predicates, AgreeWithIntegerArithmetic) {
  RandomStream random(3, 1);
  int zeros = 0;
  for (int n = 0; n < 20000; ++n) {
    const double size = n % 2 ? 2 : 1 << 20;
    const IntegerPoint a = random_point(random, size), b = random_point(random, size),
                       c = random_point(random, size), d = random_point(random, size),
                       e = random_point(random, size);
    const int orient = sign_of(triple(b - a, c - a, d - a));
    zeros += orient == 0;
    ASSERT_EQ(orient3d(a.vector(), b.vector(), c.vector(), d.vector()), orient);
    const IntegerPoint ae = a - e, be = b - e, ce = c - e, de = d - e;
    const Wide det = squared(ae) * triple(be, ce, de) - squared(be) * triple(ae, ce, de) +
                     squared(ce) * triple(ae, be, de) - squared(de) * triple(ae, be, ce);
    zeros += det == 0;
    ASSERT_EQ(in_sphere(a.vector(), b.vector(), c.vector(), d.vector(), e.vector()), sign_of(det));
  }
  EXPECT_GT(zeros, 1000);  // the degenerate cases were met
}

// Points one unit in the last place off a plane and off a sphere, far from the origin: the filters cannot
// tell.
TEST(Predicates, TheLastBitDecides) {
  const Vec3 a(0.5, 0.5, 1e3), b(12, 12, 1e3), c(24, 3, 1e3);
  for (int i = 0; i < 64; ++i) {
    const Vec3 d(17.3 + i / 7.0, 5.1, 1e3);
    EXPECT_EQ(orient3d(a, b, c, d), 0);
    EXPECT_EQ(orient3d(a, b, c, Vec3(d.x(), d.y(), std::nextafter(1e3, 2e3))), -1);
    EXPECT_EQ(orient3d(a, b, c, Vec3(d.x(), d.y(), std::nextafter(1e3, 0.0))), 1);
  }
  const Vec3 o(1e3, 1e3, 1e3);
  const Vec3 p = o + Vec3(1, 0, 0), q = o + Vec3(0, 1, 0), r = o + Vec3(0, 0, 1), s = o + Vec3(-1, 0, 0);
  EXPECT_EQ(in_sphere(p, q, s, r, o + Vec3(0, -1, 0)), 0);
  const int positive = orient3d(p, q, s, r);
  EXPECT_EQ(in_sphere(p, q, s, r, Vec3(1e3, std::nextafter(999, 2e3), 1e3)), positive);
  EXPECT_EQ(in_sphere(p, q, s, r, Vec3(1e3, std::nextafter(999, 0.0), 1e3)), -positive);
}

// Swapping two arguments turns the sign, also where the true value is far below round-off.
TEST(Predicates, AreAntisymmetricNearZero) {
  RandomStream random(5, 2);
  for (int n = 0; n < 2000; ++n) {
    auto point = [&] {
      return Vec3(1 + 1e-15 * std::floor(random.uniform(0, 9)), 1 + 1e-15 * std::floor(random.uniform(0, 9)),
                  1 + 1e-15 * std::floor(random.uniform(0, 9)));
    };
    const Vec3 a = point(), b = point(), c = point(), d = point(), e = point();
    ASSERT_EQ(orient3d(a, b, c, d), -orient3d(b, a, c, d));
    ASSERT_EQ(orient3d(a, b, c, d), orient3d(b, c, a, d));
    ASSERT_EQ(in_sphere(a, b, c, d, e), -in_sphere(a, c, b, d, e));
  }
}

}  // namespace
}  // namespace selkie::geometry
