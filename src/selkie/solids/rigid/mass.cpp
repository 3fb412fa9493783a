// See mass.h.
#include "selkie/solids/rigid/mass.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

namespace selkie::rigid {
namespace {

constexpr double kPi = std::numbers::pi;

Mat3 steiner(double mass, const Vec3& d) { return mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose()); }

// Cylinder and two half balls, axis y.
MassProperties capsule(double r, double half_length, double density) {
  const double length = 2 * half_length, cylinder = density * kPi * r * r * length;
  const double balls = density * 4.0 / 3 * kPi * r * r * r;
  const double along = 0.5 * cylinder * r * r + 0.4 * balls * r * r;
  // A half ball's centre lies 3r/8 from its flat side; 0.4 m r² about the middle of the flat side.
  const double across = cylinder * (r * r / 4 + length * length / 12) +
                        balls * (0.4 * r * r + half_length * half_length + 0.75 * r * half_length);
  return {cylinder + balls, Vec3::Zero(), Vec3(across, along, across).asDiagonal()};
}

}  // namespace

MassProperties mass_properties(const contact::Shape& shape, double density) {
  const Vec3& s = shape.size;
  const Vec3 squares = s.cwiseAbs2();
  switch (shape.kind) {
    case contact::Kind::ball: {
      const double m = density * 4.0 / 3 * kPi * s.x() * s.x() * s.x();
      return {m, Vec3::Zero(), 0.4 * m * squares.x() * Mat3::Identity()};
    }
    case contact::Kind::box: {
      const double m = density * 8 * s.prod();
      return {m, Vec3::Zero(), Vec3(m / 3 * (Vec3::Constant(squares.sum()) - squares)).asDiagonal()};
    }
    case contact::Kind::capsule: return capsule(s.x(), s.y() - s.x(), density);
    case contact::Kind::cylinder: {
      const double m = density * kPi * squares.x() * 2 * s.y(), across = m * (squares.x() / 4 + squares.y() / 3);
      return {m, Vec3::Zero(), Vec3(across, 0.5 * m * squares.x(), across).asDiagonal()};
    }
    case contact::Kind::compound: {
      std::vector<MassProperties> parts;
      for (const contact::Child& child : shape.form->children) {
        MassProperties part = mass_properties(child.shape, density);
        part.center = child.pose * part.center;
        part.inertia = child.pose.linear() * part.inertia * child.pose.linear().transpose();
        parts.push_back(part);
      }
      return together(parts);
    }
    case contact::Kind::mesh:
    case contact::Kind::plane: return {};
    default: return mass_properties(shape.form->mesh, density);
  }
}

// Each triangle spans a tetrahedron with the origin; their second moments add up with sign. [Mirtich96b]
MassProperties mass_properties(const geometry::TriangleMesh& mesh, double density) {
  double volume = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();  // ∫ x xᵀ
  for (const geometry::Triangle& t : mesh.triangles) {
    const Vec3 &a = mesh.positions[t[0]], &b = mesh.positions[t[1]], &c = mesh.positions[t[2]];
    const double v = a.dot(b.cross(c)) / 6;
    const Vec3 sum = a + b + c;
    volume += v;
    first += v / 4 * sum;
    second += v / 20 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
  }
  MassProperties p;
  p.mass = density * volume;
  if (!(std::abs(volume) > 0)) return p;
  p.center = first / volume;
  second *= density;
  const Mat3 about_origin = second.trace() * Mat3::Identity() - second;
  p.inertia = about_origin - steiner(p.mass, p.center);
  return p;
}

MassProperties together(std::span<const MassProperties> parts) {
  MassProperties all;
  for (const MassProperties& p : parts) all.mass += p.mass, all.center += p.mass * p.center;
  if (all.mass > 0) all.center /= all.mass;
  for (const MassProperties& p : parts) all.inertia += p.inertia + steiner(p.mass, p.center - all.center);
  return all;
}

PrincipalAxes principal_axes(const Mat3& inertia) {
  PrincipalAxes result;
  const double size = inertia.cwiseAbs().maxCoeff();
  const Mat3 off = inertia - Mat3(inertia.diagonal().asDiagonal());
  if (off.cwiseAbs().maxCoeff() <= 1e-12 * size) {  // keep the axes a user gave
    result.moments = inertia.diagonal();
    return result;
  }
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(0.5 * (inertia + inertia.transpose()));
  result.axes = solver.eigenvectors();
  if (result.axes.determinant() < 0) result.axes.col(2) = -result.axes.col(2);
  result.moments = solver.eigenvalues();
  return result;
}

}  // namespace selkie::rigid
