// See vortices.h.
#include "selkie/fluids/vortex_method/vortices.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "selkie/core/text.h"
#include "selkie/fluids/vortex_method/particles.h"
#include "selkie/grid/loops.h"

namespace selkie::vortex_method {
namespace {

struct Sample {
  Vec3 vorticity = Vec3::Zero();  // 1/s
  double smoke = 0;
};

Sample ring_at(const Ring& ring, const Vec3& point) {
  const Vec3 axis = ring.axis.normalized(), from = point - ring.center;
  const double along = from.dot(axis);
  const Vec3 outwards = from - along * axis;
  const double r = outwards.norm(), out = r - ring.radius;
  const double fall = std::exp(-(out * out + along * along) / (ring.core * ring.core));
  Sample sample{Vec3::Zero(), ring.smoke * fall};
  if (r > 0)
    sample.vorticity =
        ring.circulation / (std::numbers::pi * ring.core * ring.core) * fall * axis.cross(outwards / r);
  return sample;
}

// Share of a cube of a grid that a ball holds, from 4³ points.
double share_inside(const Vec3& middle, double size, const Vec3& center, double radius) {
  if ((middle - center).norm() > radius + size) return 0;
  constexpr int kPoints = 4;
  int inside = 0;
  for (int k = 0; k < kPoints; ++k)
    for (int j = 0; j < kPoints; ++j)
      for (int i = 0; i < kPoints; ++i) {
        const Vec3 point =
            middle + size * ((Vec3(i, j, k) + Vec3::Constant(0.5)) / kPoints - Vec3::Constant(0.5));
        inside += (point - center).squaredNorm() < radius * radius;
      }
  return inside / double(kPoints * kPoints * kPoints);
}

Sample sample_at(const Vortices& vortices, const Vec3& point, double cell_size) {
  Sample sum;
  auto add = [&](const Vec3& vorticity, double smoke) {
    sum.vorticity += vorticity;
    sum.smoke = std::max(sum.smoke, smoke);
  };
  for (const Ring& ring : vortices.ring) {
    const Sample one = ring_at(ring, point);
    add(one.vorticity, one.smoke);
  }
  for (const HillVortex& hill : vortices.hill) {
    const double share = share_inside(point, cell_size, hill.center, hill.radius);
    const double rate = 7.5 * hill.speed / (hill.radius * hill.radius);
    add(share * rate * hill.axis.normalized().cross(point - hill.center), share * hill.smoke);
  }
  for (const Patch& patch : vortices.patch) {
    const double share = share_inside(point, cell_size, patch.center, patch.radius);
    add(share * patch.vorticity, share * patch.smoke);
  }
  return sum;
}

struct Checker {
  const grid::Shape& shape;
  std::vector<Problem> problems = {};

  void axis(const std::string& path, const Vec3& value) {
    if (!(value.norm() > 0))
      problems.push_back({path + ".axis", "has no length", "for example axis = [0, 1, 0]"});
  }
  void width(const std::string& member, double length, double cells) {
    if (length < cells * shape.cell_size())
      problems.push_back({member,
                          "is " + number_text(length) + " m, less than " + number_text(cells) + " cells of " +
                              number_text(shape.cell_size()) + " m",
                          "raise it, or domain.cells"});
  }
  void inside(const std::string& path, const Vec3& center, const Vec3& reach) {
    const Vec3 low = shape.origin(), high = shape.origin() + shape.extent();
    if (((center - reach).array() < low.array()).any() || ((center + reach).array() > high.array()).any())
      problems.push_back({path, "reaches out of the box", "move it inwards, or enlarge the domain"});
  }
};

}  // namespace

std::vector<Problem> check(const grid::Shape& shape, const Vortices& vortices) {
  Checker checker{shape};
  for (std::size_t i = 0; i < vortices.ring.size(); ++i) {
    const Ring& ring = vortices.ring[i];
    const std::string path = "ring." + std::to_string(i);
    checker.axis(path, ring.axis);
    checker.width(path + ".core", ring.core, 0.5);
    const Vec3 axis = ring.axis.normalized();
    const Vec3 across = (Vec3::Ones() - axis.cwiseProduct(axis)).cwiseMax(0.0).cwiseSqrt();
    checker.inside(path, ring.center, ring.radius * across + Vec3::Constant(ring.core));
  }
  for (std::size_t i = 0; i < vortices.hill.size(); ++i) {
    const HillVortex& hill = vortices.hill[i];
    const std::string path = "hill." + std::to_string(i);
    checker.axis(path, hill.axis);
    checker.width(path + ".radius", hill.radius, 2);
    checker.inside(path, hill.center, Vec3::Constant(hill.radius));
  }
  for (std::size_t i = 0; i < vortices.patch.size(); ++i) {
    const Patch& patch = vortices.patch[i];
    const std::string path = "patch." + std::to_string(i);
    checker.width(path + ".radius", patch.radius, 1);
    checker.inside(path, patch.center, Vec3::Constant(patch.radius));
  }
  return checker.problems;
}

template <class Real>
void seed(const Model& model, const Vortices& vortices, double cutoff, State<Real>& state) {
  const grid::Shape& shape = model.shape;
  Buffer<Vec3> strength(shape.cell_count(), Vec3::Zero());
  const auto density = grid::view(shape, state.density);
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    for (int i = 0; i < shape.cells()[0]; ++i) {
      const Sample sample =
          sample_at(vortices, shape.position(grid::Place::cell, i, j, k), shape.cell_size());
      strength[cell_number(shape, i, j, k)] = model.particle_volume() * sample.vorticity;
      density(i, j, k) = std::max(density(i, j, k), Real(sample.smoke));
    }
  });
  particles_from_cells(model, cutoff, strength, state);
}

template void seed<float>(const Model&, const Vortices&, double, State<float>&);
template void seed<double>(const Model&, const Vortices&, double, State<double>&);

}  // namespace selkie::vortex_method
