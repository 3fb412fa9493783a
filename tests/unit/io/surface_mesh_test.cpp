// Meshes of level sets: closed whatever the field, volume and area of a ball of second order, flat pools flat
// to the walls, and the same for any number of threads.
#include "selkie/io/surface_mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "selkie/core/parallel.h"
#include "selkie/core/random.h"
#include "selkie/geometry/mesh_check.h"
#include "selkie/grid/loops.h"

namespace selkie::io {
namespace {

using grid::Place;
using grid::Shape;

template <class Value>
SurfaceMesh mesh_of(const Shape& shape, Place place, Value&& value, int smoothing = 0) {
  Buffer<float> phi;
  grid::fill(shape, place, phi, value);
  SurfaceMesh surface;
  SurfaceMeshWork work;
  make_surface_mesh(shape, place, grid::view(shape, std::as_const(phi)), {smoothing}, surface, work);
  return surface;
}

// Closed, consistent, no two triangles the same; slivers are allowed where the surface passes a sample.
void expect_closed(const SurfaceMesh& surface) {
  geometry::MeshRequirements want = geometry::kWatertight;
  want.non_degenerate = false;
  const auto report = geometry::check_mesh(surface.mesh, want);
  EXPECT_TRUE(report.clean()) << report.text();
}

Shape unit_box(int n) { return {3, {n, n, n}, 1.0 / n}; }
const Vec3 kCentre(0.512, 0.487, 0.494);

TEST(SurfaceMesh, OfABallIsClosedAndOfSecondOrder) {
  for (const Place place : {Place::cell, Place::node}) {
    double errors[2][3];
    for (const int level : {0, 1}) {
      const SurfaceMesh s = mesh_of(unit_box(16 << (2 * level)), place,
                                    [](const Vec3& x) { return (x - kCentre).norm() - 0.3; });
      expect_closed(s);
      EXPECT_EQ(geometry::euler_characteristic(s.mesh), 2);
      errors[level][0] = std::abs(geometry::volume(s.mesh) / (4 * std::numbers::pi / 3 * 0.027) - 1);
      errors[level][1] = std::abs(geometry::area(s.mesh) / (4 * std::numbers::pi * 0.09) - 1);
      errors[level][2] = 0;
      for (std::size_t v = 0; v < s.normals.size(); ++v)
        errors[level][2] =
            std::max(errors[level][2], (s.normals[v] - (s.mesh.positions[v] - kCentre).normalized()).norm());
    }
    for (const int what : {0, 1, 2})
      EXPECT_GT(std::log2(errors[0][what] / errors[1][what]) / 2, 1.8) << what << " " << errors[1][what];
    EXPECT_LT(errors[1][0], 4e-3);  // chords of 1/19 of the radius: measured 2.6e-3
  }
}

TEST(SurfaceMesh, OfNoiseIsClosed) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    const SurfaceMesh s = mesh_of(unit_box(20), Place::cell, [&](const Vec3& x) {
      const Vec3 c = 20 * x;
      return random_uniform(seed, std::uint64_t(c.x()) + 100 * std::uint64_t(c.y()), std::uint64_t(c.z())) -
             0.5;
    });
    EXPECT_GT(s.mesh.triangles.size(), 10000u);
    expect_closed(s);
  }
}

TEST(SurfaceMesh, OfAPoolIsFlatToTheWallsAndCappedThere) {
  const double height = 0.4137;
  for (const Place place : {Place::cell, Place::node}) {
    const SurfaceMesh s = mesh_of(unit_box(12), place, [&](const Vec3& x) { return x.y() - height; });
    expect_closed(s);
    EXPECT_NEAR(geometry::volume(s.mesh), height, 1e-6);  // φ in float
    EXPECT_NEAR(geometry::area(s.mesh), 2 + 4 * height, 1e-5);
    for (std::size_t v = 0; v < s.mesh.positions.size(); ++v) {
      const Vec3& x = s.mesh.positions[v];
      EXPECT_LE(x.y(), height + 1e-6);
      if (s.on_wall[v] == 0) {
        EXPECT_NEAR(x.y(), height, 1e-6);
        EXPECT_LT((s.normals[v] - Vec3::UnitY()).norm(), 1e-6);
      }
    }
  }
}

TEST(SurfaceMesh, OfATiltedPoolEndsAtTheLineOfContact) {
  const Vec3 n = Vec3(0.3, 1, -0.2).normalized();
  const SurfaceMesh s =
      mesh_of(unit_box(16), Place::cell, [&](const Vec3& x) { return n.dot(x - Vec3(0.5, 0.5, 0.5)); });
  expect_closed(s);
  EXPECT_NEAR(geometry::volume(s.mesh), 0.5, 1e-5);
  for (std::size_t v = 0; v < s.mesh.positions.size(); ++v)
    EXPECT_LE(n.dot(s.mesh.positions[v] - Vec3(0.5, 0.5, 0.5)), 1e-6);
}

TEST(SurfaceMesh, OfAFullGridIsItsBoxAndOfAnEmptyOneNothing) {
  const SurfaceMesh full = mesh_of(unit_box(5), Place::cell, [](const Vec3&) { return -1.0; });
  expect_closed(full);
  EXPECT_NEAR(geometry::volume(full.mesh), 1, 1e-12);
  EXPECT_NEAR(geometry::area(full.mesh), 6, 1e-12);
  const SurfaceMesh empty = mesh_of(unit_box(5), Place::cell, [](const Vec3&) { return 1.0; });
  EXPECT_TRUE(empty.mesh.positions.empty() && empty.mesh.triangles.empty());
}

TEST(SurfaceMesh, HasTheSameBitsForAnyNumberOfThreads) {
  auto run = [](int threads) {
    set_thread_count(threads);
    SurfaceMesh s = mesh_of(
        unit_box(33), Place::cell,
        [](const Vec3& x) {
          return std::sin(20 * x.x()) * std::cos(18 * x.y()) + 0.5 * std::sin(25 * x.z());
        },
        2);
    set_thread_count(0);
    return s;
  };
  const SurfaceMesh one = run(1);
  for (const int threads : {2, 5}) {
    const SurfaceMesh other = run(threads);
    EXPECT_EQ(one.mesh.positions, other.mesh.positions);
    EXPECT_EQ(one.mesh.triangles, other.mesh.triangles);
    EXPECT_EQ(one.normals, other.normals);
  }
}

TEST(SurfaceMesh, SmoothingTakesRipplesAndLeavesTheVolume) {
  auto rippled = [](const Vec3& x) {
    const Vec3 c = 32 * x;
    const double noise =
        random_uniform(5, std::uint64_t(c.x()) + 100 * std::uint64_t(c.y()), std::uint64_t(c.z())) - 0.5;
    return (x - kCentre).norm() - 0.3 + 0.5 / 32 * noise;
  };
  auto roughness = [](const SurfaceMesh& s) {
    double sum = 0, mean = 0;
    for (const Vec3& x : s.mesh.positions) mean += (x - kCentre).norm() / double(s.mesh.positions.size());
    for (const Vec3& x : s.mesh.positions) sum += std::pow((x - kCentre).norm() - mean, 2);
    return std::sqrt(sum / double(s.mesh.positions.size()));
  };
  const SurfaceMesh rough = mesh_of(unit_box(32), Place::cell, rippled),
                    smooth = mesh_of(unit_box(32), Place::cell, rippled, 10);
  expect_closed(smooth);
  // White noise has long waves, too, which stay.
  EXPECT_LT(roughness(smooth), 0.7 * roughness(rough));
  EXPECT_NEAR(geometry::volume(smooth.mesh) / geometry::volume(rough.mesh), 1, 5e-3);  // measured 2.9e-3
}

TEST(SurfaceMesh, CarriesTheVelocityAtItsVertices) {
  const Shape shape = unit_box(16);
  SurfaceMesh s = mesh_of(shape, Place::cell, [](const Vec3& x) { return (x - kCentre).norm() - 0.3; });
  grid::FaceField<float> velocity;
  velocity.assign(shape);
  for (int a = 0; a < 3; ++a)
    grid::fill(shape, grid::face_place(a), velocity.component[std::size_t(a)],
               [&](const Vec3& x) { return 2 * x[a] + x[(a + 1) % 3]; });
  sample_velocities(shape, grid::view(shape, std::as_const(velocity)), s);
  for (std::size_t v = 0; v < s.velocities.size(); ++v)
    for (int a = 0; a < 3; ++a)
      EXPECT_NEAR(s.velocities[v][a], 2 * s.mesh.positions[v][a] + s.mesh.positions[v][(a + 1) % 3], 1e-5);
}

}  // namespace
}  // namespace selkie::io
