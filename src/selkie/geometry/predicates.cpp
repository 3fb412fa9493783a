// See predicates.h. The bounds are those of [Shewchuk97 §4.3-4.5] for the same order of operations, rounded
// up.
#include "selkie/geometry/predicates.h"

#include <cmath>

#include "selkie/geometry/detail/expansion.h"

namespace selkie::geometry {
namespace {

using detail::Expansion;

constexpr double kRounding = 0x1p-53;
constexpr double kOrient2dBound = 4 * kRounding;   // (3 + 16ε)ε
constexpr double kOrient3dBound = 8 * kRounding;   // (7 + 56ε)ε
constexpr double kInSphereBound = 17 * kRounding;  // (16 + 224ε)ε

int sign_of(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

struct ExactVector {
  Expansion x, y, z;
  ExactVector(const Vec3& from, const Vec3& to)
      : x(Expansion::difference(to.x(), from.x())),
        y(Expansion::difference(to.y(), from.y())),
        z(Expansion::difference(to.z(), from.z())) {}
  Expansion squared() const { return x * x + y * y + z * z; }
};

Expansion triple(const ExactVector& u, const ExactVector& v, const ExactVector& w) {
  return (u.y * v.z - u.z * v.y) * w.x + (u.z * v.x - u.x * v.z) * w.y + (u.x * v.y - u.y * v.x) * w.z;
}

int exact_orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return triple(ExactVector(a, b), ExactVector(a, c), ExactVector(a, d)).sign();
}

// Laplace expansion of the lifted determinant along its last column.
int exact_in_sphere(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, const Vec3& e) {
  const ExactVector ae(e, a), be(e, b), ce(e, c), de(e, d);
  const Expansion det = ae.squared() * triple(be, ce, de) - be.squared() * triple(ae, ce, de) +
                        ce.squared() * triple(ae, be, de) - de.squared() * triple(ae, be, ce);
  return det.sign();
}

}  // namespace

int orient2d(const Vec2& a, const Vec2& b, const Vec2& c) {
  const double left = (a.x() - c.x()) * (b.y() - c.y()), right = (a.y() - c.y()) * (b.x() - c.x());
  const double det = left - right;
  if (std::abs(det) > kOrient2dBound * (std::abs(left) + std::abs(right))) return sign_of(det);
  const Expansion exact = Expansion::difference(a.x(), c.x()) * Expansion::difference(b.y(), c.y()) -
                          Expansion::difference(a.y(), c.y()) * Expansion::difference(b.x(), c.x());
  return exact.sign();
}

int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const double ux = b.x() - a.x(), uy = b.y() - a.y(), uz = b.z() - a.z();
  const double vx = c.x() - a.x(), vy = c.y() - a.y(), vz = c.z() - a.z();
  const double wx = d.x() - a.x(), wy = d.y() - a.y(), wz = d.z() - a.z();
  const double uyvz = uy * vz, uzvy = uz * vy, uzvx = uz * vx, uxvz = ux * vz, uxvy = ux * vy, uyvx = uy * vx;
  const double det = wx * (uyvz - uzvy) + wy * (uzvx - uxvz) + wz * (uxvy - uyvx);
  const double size = std::abs(wx) * (std::abs(uyvz) + std::abs(uzvy)) +
                      std::abs(wy) * (std::abs(uzvx) + std::abs(uxvz)) +
                      std::abs(wz) * (std::abs(uxvy) + std::abs(uyvx));
  if (std::abs(det) > kOrient3dBound * size) return sign_of(det);
  return exact_orient3d(a, b, c, d);
}

int in_sphere(const Vec3& pa, const Vec3& pb, const Vec3& pc, const Vec3& pd, const Vec3& pe) {
  const double ax = pa.x() - pe.x(), ay = pa.y() - pe.y(), az = pa.z() - pe.z();
  const double bx = pb.x() - pe.x(), by = pb.y() - pe.y(), bz = pb.z() - pe.z();
  const double cx = pc.x() - pe.x(), cy = pc.y() - pe.y(), cz = pc.z() - pe.z();
  const double dx = pd.x() - pe.x(), dy = pd.y() - pe.y(), dz = pd.z() - pe.z();
  // Minors of the x and y columns, then of x, y and z; the lifted column last.
  const double ab = ax * by - bx * ay, bc = bx * cy - cx * by, cd = cx * dy - dx * cy;
  const double da = dx * ay - ax * dy, ac = ax * cy - cx * ay, bd = bx * dy - dx * by;
  const double abc = az * bc - bz * ac + cz * ab, bcd = bz * cd - cz * bd + dz * bc;
  const double cda = cz * da + dz * ac + az * cd, dab = dz * ab + az * bd + bz * da;
  const double a2 = ax * ax + ay * ay + az * az, b2 = bx * bx + by * by + bz * bz;
  const double c2 = cx * cx + cy * cy + cz * cz, d2 = dx * dx + dy * dy + dz * dz;
  const double det = (a2 * bcd - b2 * cda) + (c2 * dab - d2 * abc);

  auto both = [](double p, double q, double r, double s) { return std::abs(p * q) + std::abs(r * s); };
  const double pab = both(ax, by, bx, ay), pbc = both(bx, cy, cx, by), pcd = both(cx, dy, dx, cy);
  const double pda = both(dx, ay, ax, dy), pac = both(ax, cy, cx, ay), pbd = both(bx, dy, dx, by);
  const double za = std::abs(az), zb = std::abs(bz), zc = std::abs(cz), zd = std::abs(dz);
  const double size = a2 * (zb * pcd + zc * pbd + zd * pbc) + b2 * (zc * pda + zd * pac + za * pcd) +
                      c2 * (zd * pab + za * pbd + zb * pda) + d2 * (za * pbc + zb * pac + zc * pab);
  if (std::abs(det) > kInSphereBound * size) return sign_of(det);
  return exact_in_sphere(pa, pb, pc, pd, pe);
}

}  // namespace selkie::geometry
