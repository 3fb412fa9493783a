// Paths, interpolation and transport (SW-16 … SW-22).
#include "selkie/fluids/surface_water/advect.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "selkie/fluids/surface_water/transport.h"
#include "unit/surface_water/meshes.h"

namespace selkie::surface_water {
namespace {

constexpr double kMiddle[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3};

Vec3 place(const Model& model, std::size_t f, const double (&beta)[3]) {
  Vec3 p = Vec3::Zero();
  for (std::size_t c = 0; c < 3; ++c) p += beta[c] * model.rest[model.complex.vertex[c][f]];
  return p;
}

std::vector<FaceRates> rates_from(const Pool& run) {
  std::vector<FaceRates> rates(run.model.complex.face_count);
  interpolate_to_corners(run.model.complex, run.model.metric, run.state.rate_1, run.state.rate_2, rates);
  return rates;
}

TEST(SurfaceTrace, IsAStraightLineOnAFlatIrregularSheet) {
  Pool run{flat_model(16, 0.5)};
  const Vec3 v(0.31, 0, -0.17);
  run.set_velocity([&](const Vec3&) { return v; });
  const std::vector<FaceRates> rates = rates_from(run);
  int crossings = 0;
  for (std::uint32_t f = 0; f < run.model.complex.face_count; ++f) {
    const Vec3 start = place(run.model, f, kMiddle);
    const Vec3 end = start - 0.9 * v;
    if (std::max(std::abs(end.x()), std::abs(end.z())) > 0.99)
      continue;  // goes over the rim to the other side
    const TraceEnd at = trace(run.model.complex, run.model.metric, rates, f, kMiddle, 0.9);
    EXPECT_NEAR((place(run.model, at.face, at.beta) - end).norm(), 0, 1e-12);
    EXPECT_NEAR(at.left, 0, 1e-15);
    crossings += at.crossings;
    const TraceEnd same =
        trace_straight(run.model.complex, run.model.metric, f, kMiddle,
                       frame_of(run.model.complex, run.model.metric, run.model.rest, f).to_plane(v), 0.9);
    EXPECT_NEAR((place(run.model, same.face, same.beta) - end).norm(), 0, 1e-12);
  }
  EXPECT_GT(crossings, 1000);
}

TEST(SurfaceTrace, TurnsVectorsAsTheQuaternionsOfTheHinges) {
  const Model model = sphere_model(6);
  const Complex& c = model.complex;
  for (std::uint32_t f = 0; f < c.face_count; f += 3) {
    const Vec2 v(random_uniform(1, f, 0, -1, 1), random_uniform(1, f, 1, -1, 1));
    const TraceEnd at = trace_straight(c, model.metric, f, kMiddle, v, 0.8);
    if (at.crossings == 0) continue;
    // The same crossings once more, gathering quaternions.
    Quat back = Quat::Identity();
    std::uint32_t face = f;
    double time = 0;
    for (int k = 0; k < at.crossings; ++k) {
      double low = time, high = 0.8;
      for (int i = 0; i < 60; ++i) {  // the time of the next crossing, by bisection
        const double mid = 0.5 * (low + high);
        (trace_straight(c, model.metric, f, kMiddle, v, mid).crossings > k ? high : low) = mid;
      }
      time = high;
      const std::uint32_t next = trace_straight(c, model.metric, f, kMiddle, v, high).face;
      for (std::uint32_t e = 0; e < 3; ++e)
        if (c.across[e][face] != Corner::kNone && Corner::face(c.across[e][face]) == next)
          back = back * hinge_rotation(c, model.metric, model.rest, face, e);
      face = next;
    }
    ASSERT_EQ(face, at.face);
    const Vec2 there(0.3, 0.7);
    const Vec2 here(at.cos * there[0] - at.sin * there[1], at.sin * there[0] + at.cos * there[1]);
    const Vec3 turned = back * frame_of(c, model.metric, model.rest, at.face).to_space(there);
    EXPECT_NEAR((turned - frame_of(c, model.metric, model.rest, f).to_space(here)).norm(), 0, 1e-13);
  }
}

TEST(SurfaceTrace, StopsWhereVelocitiesOpposeEachOther) {
  Pool run{sphere_model(8)};
  for (std::size_t f = 0; f < run.model.complex.face_count; ++f)
    run.state.rate_1[f] = random_uniform(5, f, 0, -3, 3),
    run.state.rate_2[f] = random_uniform(5, f, 1, -3, 3);
  const std::vector<FaceRates> rates = rates_from(run);
  int stopped = 0;
  for (std::uint32_t f = 0; f < run.model.complex.face_count; ++f) {
    const TraceEnd at = trace(run.model.complex, run.model.metric, rates, f, kMiddle, 1);
    EXPECT_LE(at.crossings, kMostCrossings);
    EXPECT_NEAR(at.beta[0] + at.beta[1] + at.beta[2], 1, 1e-14);
    EXPECT_GE(std::min({at.beta[0], at.beta[1], at.beta[2]}), 0);
    EXPECT_NEAR(at.cos * at.cos + at.sin * at.sin, 1, 1e-13);
    stopped += at.left > 0;
  }
  EXPECT_GT(stopped, 100);
}

TEST(SurfaceTransport, AroundAVertexIsTheAngleDeficit) {
  const Model model = crumpled_model();
  for (std::size_t v = 0; v < model.complex.vertex_count; ++v) {
    double sum = 0;
    for (std::uint32_t e = model.complex.fan_begin[v]; e < model.complex.fan_begin[v + 1]; ++e)
      sum += model.metric.angle[Corner::corner(model.complex.fan[e])][Corner::face(model.complex.fan[e])];
    EXPECT_NEAR(
        std::remainder(holonomy(model.complex, model.metric, model.rest, v) - (2 * std::numbers::pi - sum),
                       2 * std::numbers::pi),
        0, 1e-13);
  }
}

TEST(SurfaceInterpolation, ReproducesAConstantFieldOnAFlatIrregularSheet) {
  Pool run{flat_model(10, 0.6)};
  const Vec3 v(0.2, 0, 0.3);
  run.set_velocity([&](const Vec3&) { return v; });
  const std::vector<FaceRates> rates = rates_from(run);
  for (std::size_t f = 0; f < run.model.complex.face_count; ++f) {
    const Frame frame = frame_of(run.model.complex, run.model.metric, run.model.rest, f);
    for (std::size_t c = 0; c < 3; ++c) {
      const Vec3& x = run.model.rest[run.model.complex.vertex[c][f]];
      if (std::max(std::abs(x.x()), std::abs(x.z())) > 0.999) continue;  // on the fold of the doubled sheet
      const Vec2 corner = vector_of(run.model.metric, f, Vec2(rates[f].corner[c][0], rates[f].corner[c][1]));
      EXPECT_NEAR((frame.to_space(corner) - v).norm(), 0, 3e-15);
    }
  }
}

// T_i = [û_{i+1} û_i n̂] diag(|u_{i+1}|, |u_i|, 1) [u_{i+1} u_i n_i]⁻¹, averaged with the angles' shares.
TEST(SurfaceInterpolation, EqualsTheUnoptimisedFormOfTheSource) {
  const Model model = crumpled_model();
  Pool run{model};
  run.set_velocity([](const Vec3& x) { return Vec3(x.y(), -x.x() + 0.3, x.z() * x.x()); });
  const Complex& c = model.complex;
  for (std::size_t v = 0; v < c.vertex_count; ++v) {
    Vec3 sum = Vec3::Zero();
    double total = 0;
    for (std::uint32_t e = c.fan_begin[v]; e < c.fan_begin[v + 1]; ++e)
      total += model.metric.angle[Corner::corner(c.fan[e])][Corner::face(c.fan[e])];
    double alpha = 0;
    for (std::uint32_t e = c.fan_begin[v]; e < c.fan_begin[v + 1]; ++e) {
      const std::uint32_t f = Corner::face(c.fan[e]), k = Corner::corner(c.fan[e]);
      const double theta = 2 * std::numbers::pi * model.metric.angle[k][f] / total, next = alpha + theta;
      const Vec3 u0 = model.rest[c.vertex[next_corner(k)][f]] - model.rest[v],
                 u1 = model.rest[c.vertex[last_corner(k)][f]] - model.rest[v];
      Mat3 flat, space;
      flat << u0.norm() * std::cos(alpha), u1.norm() * std::cos(next), 0, u0.norm() * std::sin(alpha),
          u1.norm() * std::sin(next), 0, 0, 0, 1;
      space << u0, u1, model.metric.normal[f];
      const Vec3 velocity =
          frame_of(c, model.metric, model.rest, f)
              .to_space(vector_of(model.metric, f, Vec2(run.state.rate_1[f], run.state.rate_2[f])));
      sum += theta / (2 * std::numbers::pi) * (flat * space.inverse() * velocity);
      alpha = next;
    }
    const Vec2 got = vertex_velocity(c, model.metric, run.state.rate_1, run.state.rate_2, v);
    EXPECT_NEAR((got - sum.head<2>()).norm(), 0, 1e-13);
  }
}

TEST(SurfaceAdvection, OverNoTimeChangesNothing) {
  Pool run{crumpled_model()};
  run.set_velocity([](const Vec3& x) { return Vec3(x.y(), -x.x() + 0.3, x.z() * x.x()); });
  const std::vector<FaceRates> rates = rates_from(run);
  const std::size_t count = run.model.complex.face_count;
  std::vector<double> x(count), y(count);
  advect_velocity(run.model.complex, run.model.metric, rates, 0, x, y);
  for (std::size_t f = 0; f < count; ++f) {
    const Vec2 v = vector_of(run.model.metric, f, Vec2(run.state.rate_1[f], run.state.rate_2[f]));
    EXPECT_NEAR((Vec2(x[f], y[f]) - v).norm(), 0, 1e-15 * 4);
  }
}

TEST(SurfaceAdvection, OfAScalarKeepsItsBounds) {
  Pool run{sphere_model(8)};
  run.set_velocity([](const Vec3& x) { return Vec3(-x.y(), x.x(), 0.5 * x.x()); });
  const std::vector<FaceRates> rates = rates_from(run);
  std::vector<double> from, to(run.model.complex.vertex_count);
  for (const Vec3& p : run.model.rest) from.push_back(p.x() > 0.3 ? 1.0 : 0.0);
  advect_scalar(run.model.complex, run.model.metric, rates, 0.4, from, to);
  double change = 0;
  for (std::size_t v = 0; v < to.size(); ++v) {
    EXPECT_GE(to[v], 0);
    EXPECT_LE(to[v], 1 + 1e-14);
    change = std::max(change, std::abs(to[v] - from[v]));
  }
  EXPECT_GT(change, 0.5);
}

}  // namespace
}  // namespace selkie::surface_water
