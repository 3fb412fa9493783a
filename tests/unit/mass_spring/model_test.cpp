// Builders (RT-15, HY-26) and the scatter schedule.
#include "selkie/solids/mass_spring/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "selkie/core/error.h"
#include "selkie/solids/mass_spring/diagnostics.h"
#include "support/mass_spring_bodies.h"

namespace selkie::mass_spring {
namespace {

TEST(Model, ATetBlockHasItsMassAndEachEdgeOnce) {
  geometry::BoxShape shape;
  shape.divisions = {2, 3, 4};
  const geometry::TetMesh mesh = geometry::tet_box(shape);
  const Model m = from_tets(mesh, 700);
  EXPECT_NEAR(total_mass(m), 700 * geometry::volume(mesh), 1e-12 * 700);
  std::set<SpringEnds> once(m.springs.begin(), m.springs.end());
  EXPECT_EQ(once.size(), m.spring_count());
  EXPECT_EQ(m.spring_count(), geometry::unique_edges(mesh.tets).size());
  for (std::size_t s = 0; s < m.spring_count(); ++s) {
    EXPECT_LT(m.springs[s][0], m.springs[s][1]);
    EXPECT_DOUBLE_EQ(m.rest_lengths[s],
                     (mesh.positions[m.springs[s][1]] - mesh.positions[m.springs[s][0]]).norm());
  }
}

TEST(Model, EvenSpringsLeadFromEightVerticesEquallyFarRowAfterRow) {
  const Model m = testing::block(15).model;  // lines of 16 vertices, 15 of which have all their springs
  std::size_t even = 0;
  std::uint32_t after = 0;
  for (const EvenSprings& rows : m.even_springs) {
    ASSERT_LE(after, rows.begin);
    ASSERT_LT(rows.begin, rows.end);
    ASSERT_LE(rows.end, m.spring_count());
    ASSERT_EQ((rows.end - rows.begin) % kEvenVertices, 0u);
    const std::uint32_t first = m.springs[rows.begin][0];
    for (std::uint32_t s = rows.begin; s < rows.end; ++s) {
      const std::uint32_t k = (s - rows.begin) % kEvenVertices;
      ASSERT_EQ(m.springs[s][0], first + k);
      ASSERT_EQ(m.springs[s][1], m.springs[s - k][1] + k);
    }
    after = rows.end;
    even += rows.end - rows.begin;
  }
  // One group in every line of 16, with seven springs a vertex but in the last plane and the last lines.
  EXPECT_GE(even, 15u * 15 * 8 * 7);
  std::vector<std::uint32_t> source = m.source;
  std::sort(source.begin(), source.end());
  for (std::uint32_t s = 0; s < source.size(); ++s) ASSERT_EQ(source[s], s);
}

TEST(Model, BendingSpringsJoinTheUnsharedVerticesOfNeighbours) {
  geometry::TriangleMesh mesh;
  mesh.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  EXPECT_EQ(from_triangles(mesh, 2).spring_count(), 5u);
  const Model m = from_triangles(mesh, 2, 0.25);
  ASSERT_EQ(m.spring_count(), 6u);
  EXPECT_NEAR(total_mass(m), 2, 1e-15);
  const auto bending = std::find(m.springs.begin(), m.springs.end(), SpringEnds{1, 3});
  ASSERT_NE(bending, m.springs.end());
  const auto s = static_cast<std::size_t>(bending - m.springs.begin());
  EXPECT_DOUBLE_EQ(m.relative_stiffness[s], 0.25);
  EXPECT_DOUBLE_EQ(m.rest_lengths[s], std::sqrt(2.0));
}

TEST(Model, AxialBendingWithoutBendingSpringsAddsEntriesToTheMatrixButNoSprings) {
  geometry::TriangleMesh mesh;
  mesh.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  const Model m = from_triangles(mesh, 2, 0, {.altitude_factor = 1});
  EXPECT_EQ(m.spring_count(), 5u);
  EXPECT_EQ(m.pattern->slot_count(), 6u);
  // Folded flat: the opposite vertices meet, no spring has shortened.
  State state = make_state(m, mesh.positions);
  state.positions[3] = Vec3(1, 0, 0);
  EXPECT_NEAR(diagnose(m, {}, Vec3::Zero(), state).max_compression, 0, 1e-15);
  Work work;
  State to = state;
  Params params;
  params.integrator = Integrator::implicit_euler;
  EXPECT_TRUE(step(m, params, {}, testing::nth_step(0.01), state, to, work).ok);
}

TEST(Model, StiffnessPerLengthDividesByTheRestLength) {
  geometry::SegmentMesh mesh;
  mesh.positions = {Vec3::Zero(), Vec3(0.5, 0, 0), Vec3(2.5, 0, 0)};
  mesh.segments = {{0, 1}, {1, 2}};
  const Model m = from_segments(mesh, 2, {.stiffness_per_length = true});
  EXPECT_DOUBLE_EQ(m.relative_stiffness[0], 2);
  EXPECT_DOUBLE_EQ(m.relative_stiffness[1], 0.5);
  EXPECT_DOUBLE_EQ(m.masses[1], 0.5 * 2 * 0.5 + 0.5 * 2 * 2);
  // HY-26: b = 2ξ√((k/l0) m_h).
  const double m_h = m.masses[0] * m.masses[1] / (m.masses[0] + m.masses[1]);
  EXPECT_DOUBLE_EQ(m.fraction_damping[0], std::sqrt(2 * m_h));
}

TEST(Model, BadInputIsNamed) {
  const std::vector<Vec3> x = {Vec3::Zero(), Vec3::UnitX()};
  const std::vector<double> masses = {1, 1};
  auto build = [&](SpringEnds ends, std::vector<double> m) {
    return build_model(x, std::vector<SpringInput>{{.ends = ends}}, m);
  };
  EXPECT_THROW(build({0, 2}, masses), InputError);
  EXPECT_THROW(build({1, 1}, masses), InputError);
  EXPECT_THROW(build({0, 1}, {1, 0}), InputError);
  EXPECT_THROW(build({0, 1}, {1}), InputError);
}

TEST(Model, GivenRestLengthsAreUsedAsTheyAreEvenZero) {
  const std::vector<Vec3> x = {Vec3::Zero(), Vec3::UnitX()};
  const std::vector<SpringInput> springs = {
      {.ends = {0, 1}}, {.ends = {0, 1}, .rest_length = 0}, {.ends = {0, 1}, .rest_length = 2.5}};
  const Model m = build_model(x, springs, std::vector<double>{1, 1});
  for (std::size_t s = 0; s < 3; ++s) EXPECT_EQ(m.rest_lengths[s], (std::array{1.0, 0.0, 2.5})[m.source[s]]);
}

TEST(Model, RestLengthsAndFactorsThatAreNegativeOrNotFiniteAreRefusedByTheirSpring) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(),
                   kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<Vec3> x = {Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY()};
  auto problem_of = [&](const SpringInput& second) -> std::string {
    const std::vector<SpringInput> springs = {{.ends = {0, 1}}, second};
    try {
      (void)build_model(x, springs, std::vector<double>{1, 1, 1});
    } catch (const InputError& error) {
      return error.problem();
    }
    return "none";
  };
  EXPECT_EQ(problem_of({.ends = {1, 2}, .factor = 0, .rest_length = 0}), "none");
  for (const double wrong : {kNan, kInfinity, -kInfinity, -3.0}) {
    const std::string value = wrong == -3 ? "-3" : wrong != wrong ? "nan" : wrong > 0 ? "inf" : "-inf";
    EXPECT_EQ(problem_of({.ends = {1, 2}, .rest_length = wrong}),
              "spring 1 has the rest length " + value + " m");
    EXPECT_EQ(problem_of({.ends = {1, 2}, .factor = wrong}), "spring 1 has the stiffness factor " + value);
    geometry::TriangleMesh mesh;
    mesh.positions = x;
    mesh.triangles = {{0, 1, 2}};
    EXPECT_THROW((void)from_triangles(mesh, 1, wrong), InputError);
    EXPECT_THROW((void)from_triangles(mesh, 1, 0, {.altitude_factor = wrong}), InputError);
  }
}

TEST(Schedule, ChunksCoverEachSpringOnceAndWaitsOrderEveryConflict) {
  const testing::Body body = testing::block(12);
  const ScatterSchedule& schedule = body.model.schedule;
  EXPECT_EQ(schedule.chunk_begin.back(), body.model.spring_count());
  EXPECT_GT(schedule.chunk_count(), 8u);
  std::vector<std::size_t> place(schedule.chunk_count());
  for (std::size_t n = 0; n < schedule.order.size(); ++n) place[schedule.order[n]] = n;
  auto waits = [&](std::uint32_t a, std::uint32_t b) {
    const auto begin = schedule.wait_for.begin() + schedule.wait_begin[a];
    const auto end = schedule.wait_for.begin() + schedule.wait_begin[a + 1];
    return std::find(begin, end, b) != end;
  };
  auto vertices = [&](std::uint32_t c) {
    std::set<std::uint32_t> set;
    for (std::size_t s = schedule.chunk_begin[c]; s < schedule.chunk_begin[c + 1]; ++s)
      set.insert(body.model.springs[s].begin(), body.model.springs[s].end());
    return set;
  };
  for (std::uint32_t a = 0; a < schedule.chunk_count(); ++a) {
    for (std::size_t w = schedule.wait_begin[a]; w < schedule.wait_begin[a + 1]; ++w)
      EXPECT_LT(place[schedule.wait_for[w]], place[a]);
    const auto va = vertices(a);
    for (std::uint32_t b = 0; b < a; ++b) {
      const auto vb = vertices(b);
      const bool share = std::any_of(va.begin(), va.end(), [&](auto v) { return vb.count(v) != 0; });
      EXPECT_EQ(share, waits(a, b) || waits(b, a));
    }
  }
}

TEST(Schedule, EachVertexIsOpenedOnceByTheFirstChunkThatTouchesIt) {
  const testing::Body body = testing::block(12);
  const std::size_t vertex_count = body.model.vertex_count + 3;  // the last three have no spring
  const ScatterSchedule schedule = make_schedule(vertex_count, body.model.springs);
  std::vector<int> opened(vertex_count, 0);
  for (const std::uint32_t c : schedule.order) {
    for (std::size_t r = schedule.open_begin[c]; r < schedule.open_begin[c + 1]; ++r)
      for (std::uint32_t v = schedule.opens[r].begin; v < schedule.opens[r].end; ++v) ++opened[v];
    for (std::size_t s = schedule.chunk_begin[c]; s < schedule.chunk_begin[c + 1]; ++s)
      for (const std::uint32_t v : body.model.springs[s]) ASSERT_EQ(opened[v], 1);
  }
  EXPECT_EQ(std::count(opened.begin(), opened.end(), 1), std::ptrdiff_t(vertex_count));
}

}  // namespace
}  // namespace selkie::mass_spring
