// Projections: exact figures of RT-28 … RT-33, momentum, residuals for any number of iterations, batches.
#include "selkie/solids/pbd/project.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "selkie/core/error.h"
#include "selkie/solids/pbd/constraints.h"
#include "selkie/solids/pbd/newton.h"
#include "support/pbd_bodies.h"

namespace selkie::pbd {
namespace {

using testing::load_points;

Params plain(int iterations = 1) {
  Params params;
  params.method = Method::pbd;
  params.iterations = iterations;
  params.bend_stiffness = 1;
  return params;
}

// Sweeps over a body in a given pose; positions afterwards.
struct Pose {
  Model model;
  Work work;
  explicit Pose(Model made, const std::vector<Vec3>& positions) : model(std::move(made)) {
    State state = make_state(model);
    state.positions.copy_from(positions.data(), positions.size());
    load_points(model, state, work);
  }
  void sweep_once(const Params& params) { sweep(model, params, sweep_rule(params, 1), work); }
  Vec3 at(std::size_t i) const { return work.points[i].head<3>(); }
};

TEST(Project, TheFiguresOfTheDistanceConstraint) {
  Pose pose(from_links({Vec3(0, 0, 0), Vec3(2, 0, 0)}, {1, 1.0 / 3}, {{0, 1}}, {1}),
            {Vec3(0, 0, 0), Vec3(2, 0, 0)});
  pose.sweep_once(plain());
  EXPECT_LT((pose.at(0) - Vec3(0.25, 0, 0)).norm(), 1e-15);
  EXPECT_LT((pose.at(1) - Vec3(1.25, 0, 0)).norm(), 1e-15);
}

TEST(Project, CoincidentAndImmovablePointsAreLeftAlone) {
  Pose pose(from_links({Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(3, 0, 0)}, {1, 1, 1}, {{0, 1}, {1, 2}}, {1, 1}),
            {Vec3(1, 0, 0), Vec3(1, 0, 0), Vec3(3, 0, 0)});
  pose.work.points[1].w() = pose.work.points[2].w() = 0;
  pose.sweep_once(plain());
  EXPECT_EQ(pose.at(0), Vec3(1, 0, 0));
  EXPECT_EQ(pose.at(2), Vec3(3, 0, 0));
}

TEST(Project, StiffnessPerIterationIsThatOfTheNotes) {
  EXPECT_NEAR(stiffness_per_iteration(0.5, 10), 0.066967, 5e-7);
  EXPECT_EQ(stiffness_per_iteration(1, 7), 1);
  EXPECT_EQ(stiffness_per_iteration(0, 7), 0);
}

TEST(Project, TheResidualIsOneMinusStiffnessForEveryIterationCount) {
  for (int n = 1; n <= 50; ++n)
    for (const double k : {0.1, 0.5, 0.9, 0.999}) {
      Params params = plain(n);
      params.stretch_stiffness = k;
      Pose pose(from_links({Vec3(0, 0, 0), Vec3(1, 0, 0)}, {1, 2}, {{0, 1}}),
                {Vec3(0, 0, 0), Vec3(1.2, 0.9, 0)});
      for (int i = 0; i < n; ++i) pose.sweep_once(params);
      EXPECT_NEAR((pose.at(0) - pose.at(1)).norm() - 1, (1 - k) * 0.5, 1e-14) << n << " " << k;
    }
}

TEST(Project, AHingeReachesItsAngleQuadratically) {
  const std::vector<Vec3> bent{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0.5, 0.5, 1), Vec3(0.5, 0.1, -1)};
  for (const Bending kind : {Bending::dihedral, Bending::dihedral_cosine}) {
    const geometry::TriangleMesh mesh{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0.5, 0.05, 1), Vec3(0.5, 0.02, -1)},
                                      {{0, 1, 2}, {1, 0, 3}}};
    Pose pose(from_triangles(mesh, 1, {kind, false}), bent);
    Params params = plain();
    params.stretch_stiffness = 0;
    double error = 0;
    for (int n = 0; n < 4; ++n) {
      pose.sweep_once(params);
      Corners<double, 4> g;
      const Corners<double, 4> p{vector3(pose.at(0)), vector3(pose.at(1)), vector3(pose.at(2)),
                                 vector3(pose.at(3))};
      double sine = 0;
      error = kind == Bending::dihedral ? signed_dihedral_constraint(p, pose.model.hinges.rest[0], g)
                                        : dihedral_constraint(p, pose.model.hinges.rest[0], g, sine);
    }
    EXPECT_LT(std::abs(error), 1e-9);
  }
}

TEST(Project, SquashedAndInvertedTetrahedraGetTheirVolumeBack) {
  const std::vector<Vec3> rest{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
  for (const auto& [height, sweeps] : {std::pair{0.5, 4}, std::pair{-0.5, 6}}) {
    std::vector<Vec3> pose_positions = rest;
    pose_positions[3] = Vec3(0, 0, height);
    Pose pose(from_tets({rest, {{0, 1, 2, 3}}}, 6), pose_positions);
    Params params = plain();
    params.stretch_stiffness = 0;
    for (int n = 0; n < sweeps; ++n) pose.sweep_once(params);
    const double volume = geometry::signed_volume(pose.at(0), pose.at(1), pose.at(2), pose.at(3));
    EXPECT_LT(std::abs(6 * volume - 1), 1e-11) << height;
  }
}

TEST(Project, AClosedSurfaceReachesItsVolume) {
  const Model model = testing::balloon(4);
  Pose pose(model, model.rest_positions);
  Params params = plain();
  params.stretch_stiffness = params.bend_stiffness = 0;
  params.inflation = 1.3;
  for (int n = 0; n < 6; ++n) pose.sweep_once(params);
  std::vector<Vec3> x;
  for (std::size_t i = 0; i < model.vertex_count; ++i) x.push_back(pose.at(i));
  EXPECT_NEAR(enclosed_volume(model, x) / model.closed.rest_volume, 1.3, 1e-12);
}

// Every kind of constraint on shaken bodies of unequal masses: Σ m Δp = 0.
TEST(Project, SweepsKeepMomentum) {
  std::vector<Model> bodies;
  for (const Bending bending :
       {Bending::links, Bending::dihedral, Bending::dihedral_cosine, Bending::isometric})
    bodies.push_back(testing::cloth(6, bending));
  bodies.push_back(testing::block(2));
  bodies.push_back(testing::balloon(3));
  for (Model& model : bodies) {
    RandomStream random(2, 2);
    for (std::size_t i = 0; i < model.vertex_count; ++i) {
      model.masses[i] *= random.uniform(0.5, 2);
      model.inverse_masses[i] = 1 / model.masses[i];
    }
    for (const Method method : {Method::pbd, Method::xpbd}) {
      State state = make_state(model);
      testing::shake(state, 0.03);
      Work work;
      load_points(model, state, work);
      Params params = plain();
      params.method = method;
      params.stretch_compliance = params.bend_compliance = params.volume_compliance = 1e-4;
      const SweepRule rule = sweep_rule(params, 0.01);
      reset_multipliers(model, rule, work);
      sweep(model, params, rule, work);
      Vec3 moved = Vec3::Zero();
      double size = 0;
      for (std::size_t i = 0; i < model.vertex_count; ++i) {
        const Vec3 change = work.points[i].head<3>() - state.positions[i];
        moved += model.masses[i] * change;
        size += model.masses[i] * change.norm();
      }
      EXPECT_LT(moved.norm(), 1e-13 * size) << name_of(method);
    }
  }
}

TEST(Project, ASingleProjectionKeepsAngularMomentum) {
  // Σ m p × Δp with the gradients of one constraint, whose torque is zero.
  Pose pose(from_tets({{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}, {{0, 1, 2, 3}}}, 6),
            {Vec3(0, 0, 0), Vec3(1.1, 0, 0.1), Vec3(0, 0.8, 0), Vec3(0.2, 0, 0.6)});
  Params params = plain();
  params.stretch_stiffness = 0;
  std::vector<Vec3> before;
  for (std::size_t i = 0; i < 4; ++i) before.push_back(pose.at(i));
  pose.sweep_once(params);
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < 4; ++i) sum += pose.model.masses[i] * before[i].cross(pose.at(i) - before[i]);
  EXPECT_LT(sum.norm(), 1e-16);
}

TEST(Project, BatchesHoldEveryConstraintOnceAndGroupsShareNoVertex) {
  const Model model = testing::cloth(40);
  for (const Batch* batch : {&model.stretch.batch, &model.hinges.batch}) {
    std::vector<int> seen(batch->count, 0);
    for (const std::uint32_t c : batch->source)
      if (c != kNoConstraint) ++seen[c];
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(batch->count));
    for (std::size_t group = 0; group < batch->group_count(); ++group) {
      std::set<std::uint32_t> vertices;
      std::size_t used = 0;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        if (batch->source[group * kLanes + lane] == kNoConstraint) continue;
        for (std::size_t c = 0; c < batch->corner_count; ++c, ++used)
          vertices.insert(batch->corners[(group * batch->corner_count + c) * kLanes + lane]);
      }
      EXPECT_EQ(vertices.size(), used);
    }
  }
}

TEST(Project, TheGlobalSolverReachesTheSameLimitAsManySweeps) {
  // A zigzag chain whose links are 2 % too long or too short.
  std::vector<Vec3> x;
  std::vector<geometry::Segment> links;
  std::vector<double> rest;
  for (std::uint32_t i = 0; i < 8; ++i) x.push_back(Vec3(i, i % 2, 0.3 * (i % 3)));
  for (std::uint32_t i = 0; i + 1 < x.size(); ++i) {
    links.push_back({i, i + 1});
    rest.push_back((x[i] - x[i + 1]).norm() * (i % 2 == 0 ? 1.02 : 0.98));
  }
  const Model model = from_links(x, {1, 2, 1, 3, 1, 1, 2, 1}, links, rest);
  std::vector<Vec3> newton = x;
  const NewtonReport report = solve_constraints(model, {}, model.inverse_masses, newton);
  ASSERT_TRUE(report.converged);
  // Quadratic: |C| of the next iteration is of the order of its square over an edge.
  for (std::size_t n = 1; n < report.residuals.size(); ++n)
    EXPECT_LT(report.residuals[n], 10 * std::pow(report.residuals[n - 1], 2) + 1e-14);

  Pose pose(model, x);
  for (int n = 0; n < 2000; ++n) pose.sweep_once(plain());
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, (pose.at(i) - newton[i]).norm());
  for (std::size_t k = 0; k < links.size(); ++k)
    EXPECT_NEAR((pose.at(links[k][0]) - pose.at(links[k][1])).norm(), rest[k], 1e-8);
  // Both end on the constraints, at points that differ by their curvature, O(C₀²) over an edge.
  EXPECT_LT(largest, 5 * report.residuals[0] * report.residuals[0]);
}

TEST(Project, BodiesWithoutMassOrInsideAreRefused) {
  EXPECT_THROW(from_links({Vec3::Zero(), Vec3::UnitX()}, {1, 0}, {{0, 1}}), InputError);
  EXPECT_THROW(from_triangles(geometry::sheet({}), -1), InputError);
  EXPECT_THROW(from_triangles(geometry::sheet({}), 1, {Bending::none, true}), InputError);
}

}  // namespace
}  // namespace selkie::pbd
