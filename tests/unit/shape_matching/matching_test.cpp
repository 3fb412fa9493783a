// Goals of one cluster and of overlapping ones: the oracles of RT-34, RT-35 and RT-36, and plastic flow.
#include "selkie/solids/shape_matching/matching.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "selkie/core/error.h"
#include "support/shape_matching_bodies.h"

namespace selkie::shape_matching {
namespace {

using testing::block;
using testing::points;
using testing::shaken;
using testing::single;

constexpr std::array kAllModes{Mode::rigid, Mode::linear, Mode::quadratic};

Params params_of(Mode mode, double beta) {
  Params params;
  params.mode = mode;
  params.beta = beta;
  return params;
}

// The mean goals of all vertices.
std::vector<Vec3> goals_of(const Model& model, const Params& params, std::span<const Vec3> p,
                           const Mat3& plastic = Mat3::Identity()) {
  std::vector<Vec3> goals(p.size(), Vec3::Zero());
  for (std::size_t c = 0; c < model.cluster_count(); ++c) {
    Mat39 quadratic = Mat39::Zero();
    const Fit fit = fit_cluster(model, params, c, p, Mat3::Identity(), plastic, quadratic);
    for (const std::uint32_t v : model.vertices_of(c))
      goals[v] += cluster_goal(model, params, c, v, fit, quadratic);
  }
  for (std::size_t v = 0; v < goals.size(); ++v) goals[v] /= static_cast<double>(model.clusters_of(v).size());
  return goals;
}

template <class Map>
std::vector<Vec3> mapped(const Model& model, Map&& map) {
  std::vector<Vec3> p;
  for (const Vec3& x : model.rest_positions) p.push_back(map(x));
  return p;
}

double farthest(std::span<const Vec3> a, std::span<const Vec3> b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, (a[i] - b[i]).norm());
  return worst;
}

const Mat3 kTurn = rotation_from_vector(Vec3(0.7, -1.9, 0.4));

// Positions are of order 1, so goals are right to some units of the last place.
constexpr double kRoundOff = 1e-14;

TEST(ShapeMatching, AMovedAndTurnedShapeIsItsOwnGoal) {
  for (const int vertices : {0, 12})
    for (const Mode mode : kAllModes) {
      const Model model = single(block(3), {.vertices = vertices});
      const auto p = mapped(model, [](const Vec3& x) { return Vec3(kTurn * x + Vec3(3, -1, 2)); });
      EXPECT_LT(farthest(goals_of(model, params_of(mode, 0.7), p), p), 20 * kRoundOff);
    }
}

TEST(ShapeMatching, GoalsKeepMomentumAndAngularMomentum) {
  for (const int vertices : {0, 12})
    for (const Mode mode : kAllModes) {
      const Model model = single(block(3), {.vertices = vertices});
      const auto p = shaken(model, 0.3);
      const auto g = goals_of(model, params_of(mode, 0.7), p);
      Vec3 push = Vec3::Zero(), twist = Vec3::Zero();
      double size = 0;
      for (std::size_t i = 0; i < p.size(); ++i) {
        push += model.masses[i] * (g[i] - p[i]);
        twist += model.masses[i] * p[i].cross(g[i] - p[i]);
        size += model.masses[i] * (g[i] - p[i]).norm();
      }
      EXPECT_GT(size, 50);
      EXPECT_LT(push.norm(), 1e-13 * size);
      EXPECT_LT(twist.norm(), 1e-13 * size);
    }
}

TEST(ShapeMatching, AShearOfUnitDeterminantIsReproducedByTheLinearMode) {
  const Model model = single(block(2));
  Mat3 shear = Mat3::Identity();
  shear(0, 1) = 0.8, shear(2, 0) = -0.4;
  const auto p = mapped(model, [&](const Vec3& x) { return Vec3(kTurn * shear * x); });
  EXPECT_LT(farthest(goals_of(model, params_of(Mode::linear, 1), p), p), 20 * kRoundOff);
  EXPECT_GT(farthest(goals_of(model, params_of(Mode::rigid, 1), p), p), 0.05);
}

TEST(ShapeMatching, GoalsOfAScaledShapeHaveTheOriginalSize) {
  const Model model = single(block(2));
  for (const double scale : {2.0, 0.6}) {
    const Vec3 centre = model.clusters[0].centre;
    const auto p = mapped(model, [&](const Vec3& x) { return Vec3(centre + scale * (x - centre)); });
    for (const Mode mode : {Mode::rigid, Mode::linear})
      EXPECT_LT(farthest(goals_of(model, params_of(mode, 1), p), model.rest_positions), 20 * kRoundOff);
  }
}

TEST(ShapeMatching, AQuadraticMapIsReproducedByTheQuadraticMode) {
  const Model model = single(block(3));
  const auto p = mapped(model, [](const Vec3& x) {
    return Vec3(kTurn * Vec3(x.x() + 0.2 * x.y() * x.y(), 1.1 * x.y() - 0.3 * x.x() * x.z() + 0.1 * x.x(),
                             x.z() + 0.15 * x.z() * x.z() + 0.2 * x.y() * x.z()));
  });
  EXPECT_LT(farthest(goals_of(model, params_of(Mode::quadratic, 1), p), p), 100 * kRoundOff);
  EXPECT_GT(farthest(goals_of(model, params_of(Mode::linear, 1), p), p), 0.02);
}

TEST(ShapeMatching, EachOfThe27ModesIsReproduced) {
  const Model model = single(block(3));
  const ClusterRest& rest = model.clusters[0];
  for (int row = 0; row < 3; ++row)
    for (int term = 0; term < 9; ++term) {
      const auto p = mapped(model, [&](const Vec3& x) {
        const Vec9 q = quadratic_terms(x - rest.centre, rest.size, rest.square_means);
        return Vec3(x + 0.1 * q[term] * Vec3::Unit(row));
      });
      EXPECT_LT(farthest(goals_of(model, params_of(Mode::quadratic, 1), p), p), 100 * kRoundOff)
          << row << " " << term;
    }
}

// The squares of cube corners are constant, so the 9×9 matrix is singular; what the corners do show is
// still reproduced.
TEST(ShapeMatching, CubeCornersAreFittedByThePseudoInverse) {
  const Model model = single(block(1));
  const auto p = mapped(model, [](const Vec3& x) { return Vec3(x.x() + 0.3 * x.y() * x.z(), x.y(), x.z()); });
  EXPECT_LT(farthest(goals_of(model, params_of(Mode::quadratic, 1), p), p), 100 * kRoundOff);
}

TEST(ShapeMatching, FlatAndStraightPointSetsAreFittedInAllModes) {
  const BodyInput sheet = points({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.4, 0.3, 0}});
  const BodyInput line = points({{0, 0, 0}, {0.3, 0, 0}, {1, 0, 0}, {1.4, 0, 0}});
  const BodyInput point = points({{1, 2, 3}});
  for (const BodyInput& body : {sheet, line, point})
    for (const Mode mode : kAllModes) {
      const Model model = single(body);
      const auto p = mapped(model, [](const Vec3& x) { return Vec3(kTurn * x + Vec3(0, 1, 0)); });
      EXPECT_LT(farthest(goals_of(model, params_of(mode, 0.6), p), p), 20 * kRoundOff);
    }
  // In the plane the area is kept, on a line the length.
  const Model flat = single(sheet);
  const auto sheared = mapped(flat, [](const Vec3& x) { return Vec3(x.x() + x.y(), x.y(), 0); });
  EXPECT_LT(farthest(goals_of(flat, params_of(Mode::linear, 1), sheared), sheared), 20 * kRoundOff);
  const Model straight = single(line);
  const auto stretched = mapped(straight, [](const Vec3& x) { return Vec3(2 * x); });
  const auto g = goals_of(straight, params_of(Mode::linear, 1), stretched);
  EXPECT_NEAR((g[3] - g[0]).norm(), 1.4, 1e-13);
}

TEST(ShapeMatching, GoalsOfFlattenedAndInvertedShapesAreBoundedAndRigid) {
  const Model model = single(block(2));
  for (const double height : {1e-3, 0.0, -0.5, -1.0})
    for (const Mode mode : kAllModes) {
      const auto p = mapped(model, [&](const Vec3& x) { return Vec3(x.x(), height * x.y(), x.z()); });
      const auto g = goals_of(model, params_of(mode, 0.9), p);
      for (const Vec3& x : g) EXPECT_LT(x.norm(), 5);
      if (height > 0) continue;
      EXPECT_LT(farthest(goals_of(model, params_of(Mode::rigid, 0), p), g), 1e-12)
          << "goals of flat and inverted shapes are the rigid ones";
    }
}

TEST(ShapeMatching, StiffnessIsTheSameForAnyNumberOfRounds) {
  for (const double stiffness : {0.0, 0.3, 0.9, 1.0})
    for (const int rounds : {1, 2, 7, 100}) {
      Params params;
      params.stiffness = stiffness;
      params.iterations = rounds;
      EXPECT_NEAR(std::pow(1 - share_per_round(params, 0.01), rounds), 1 - stiffness, 1e-14);
    }
}

TEST(ShapeMatching, StrainBelowTheYieldStrainLeavesNoTrace) {
  Params params;
  params.yield = 0.2;
  Fit fit;
  fit.deformation = Vec3(1.15, 1, 0.9).asDiagonal();
  EXPECT_EQ(flow(params, 0.01, fit, Mat3::Identity()), Mat3(Mat3::Identity()));
}

TEST(ShapeMatching, PlasticFlowFollowsTheStretchAtConstantVolumeUpToItsLimit) {
  Params params;
  params.mode = Mode::rigid;
  params.yield = 0.1;
  params.creep = 5;
  params.max_plastic = 0.5;
  const Model model = single(block(2));
  auto stretched = [&](double s) {
    return mapped(model, [&](const Vec3& x) {
      return Vec3(kTurn * Vec3(s * x.x(), x.y() / std::sqrt(s), x.z() / std::sqrt(s)));
    });
  };
  auto held = [&](double s) {
    Mat3 plastic = Mat3::Identity();
    for (int n = 0; n < 400; ++n) {
      Mat39 none;
      const Fit fit = fit_cluster(model, params, 0, stretched(s), Mat3::Identity(), plastic, none);
      plastic = flow(params, 0.01, fit, plastic);
      EXPECT_NEAR(plastic.determinant(), 1, 1e-12);
    }
    return plastic;
  };
  // It creeps until the rest of the strain is the yield strain: 1.3/s_p = 1.1.
  const Mat3 some = held(1.3);
  EXPECT_NEAR(some(0, 0), 1.3 / 1.1, 0.01);
  EXPECT_NEAR(some(0, 1), 0, 1e-12);
  // Beyond the limit it stops; a percent is what keeping the volume costs.
  EXPECT_NEAR(held(2.5)(0, 0), 1.5, 0.02);
  // The goal of what has crept is the crept shape.
  const auto g = goals_of(model, params, stretched(1.3), some);
  EXPECT_NEAR((g[2] - g[0]).norm(), some(0, 0), 1e-12);
}

TEST(ShapeMatching, ClustersCoverTheBodyOverlapAndKeepItsMass) {
  const Model model = single(block(4), {.vertices = 20, .overlap = 1});
  EXPECT_GT(model.cluster_count(), 5u);
  double mass = 0;
  std::size_t shared = 0;
  for (const ClusterRest& rest : model.clusters) mass += rest.mass;
  for (std::size_t v = 0; v < model.vertex_count; ++v) {
    EXPECT_GE(model.clusters_of(v).size(), 1u);
    shared += model.clusters_of(v).size() > 1 ? 1 : 0;
  }
  EXPECT_NEAR(mass, total_mass(model), 1e-10);
  EXPECT_GT(shared, model.vertex_count / 2);
}

TEST(ShapeMatching, BodiesWithoutVerticesOrWithImpossibleMassesAreRefused) {
  EXPECT_THROW(build_model({}), InputError);
  EXPECT_THROW(single({}), InputError);
  BodyInput body = points({{0, 0, 0}, {1, 0, 0}});
  body.masses[1] = 0;
  EXPECT_THROW(single(body), InputError);
  body.masses[1] = 1;
  body.surface = {{0, 1, 2}};
  EXPECT_THROW(single(body), InputError);
  body.surface.clear();
  body.positions[0].x() = std::nan("");
  EXPECT_THROW(single(body), InputError);
}

TEST(ShapeMatching, TwoVerticesAtOnePlaceAreRefusedByNumber) {
  const BodyInput body = points({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 0}});
  try {
    single(body);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(error.problem().find("vertex 3 of body 0 stands where vertex 1 does"), std::string::npos)
        << error.problem();
  }
}

}  // namespace
}  // namespace selkie::shape_matching
