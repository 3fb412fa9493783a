// The index box of a grid, its loops, and interpolation.
#include <gtest/gtest.h>

#include <set>

#include "selkie/grid/field.h"
#include "selkie/grid/loops.h"
#include "selkie/grid/sample.h"

namespace {

using namespace selkie;
using namespace selkie::grid;

TEST(GridShape, EveryCellFaceGhostAndNodeHasItsOwnElement) {
  for (const Shape& shape : {Shape(3, {5, 4, 3}, 0.1), Shape(2, {14, 3, 1}, 0.1), Shape(3, {1, 1, 1}, 1),
                             Shape(3, {6, 7, 2}, 1)}) {
    std::set<std::ptrdiff_t> seen;
    const Index n = shape.cells();
    const bool solid = shape.dims() == 3;
    for (int k = solid ? -1 : 0; k <= (solid ? n[2] : 0); ++k)
      for (int j = -1; j <= n[1]; ++j)
        for (int i = -1; i <= n[0]; ++i) {
          const std::ptrdiff_t at = shape.at(i, j, k);
          ASSERT_GE(at, 0);
          ASSERT_LT(static_cast<std::size_t>(at), shape.size());
          ASSERT_TRUE(seen.insert(at).second);
        }
    EXPECT_EQ(shape.at(0, 1, 0) % 8, 0);  // rows start where vector loads like them
  }
}

TEST(GridShape, FacesAreSharedAndNodesAreCorners) {
  const Shape shape(3, {4, 4, 4}, 0.5, {1, 2, 3});
  EXPECT_EQ(shape.position(Place::cell, 0, 0, 0), Vec3(1.25, 2.25, 3.25));
  EXPECT_EQ(shape.position(Place::face_y, 1, 2, 0), Vec3(1.75, 3, 3.25));
  EXPECT_EQ(shape.position(Place::node, 4, 4, 4), Vec3(3, 4, 5));
  EXPECT_EQ(shape.samples(Place::face_x), (Index{5, 4, 4}));
  EXPECT_EQ(Shape(2, {4, 3, 9}, 1).samples(Place::node), (Index{5, 4, 1}));
}

TEST(GridSample, LinearFieldsAreReproducedOnEveryPlaceInTwoAndThreeDimensions) {
  for (const int dims : {2, 3})
    for (const Place place : {Place::cell, Place::face_x, Place::face_y, Place::node}) {
      const Shape shape(dims, {7, 5, 6}, 0.2, {-0.3, 0.1, 0});
      auto linear = [&](const Vec3& x) { return 1 + 2 * x.x() - 3 * x.y() + (dims == 3 ? 0.5 * x.z() : 0); };
      Buffer<double> field;
      fill(shape, place, field, linear);
      const Lattice lattice(shape, place);
      for (const Vec3& x : {Vec3(0.31, 0.52, 0.4), Vec3(0.8, 0.9, 0.9), Vec3(0.111, 0.777, 0.333)})
        // A dozen operations on numbers below 5.
        EXPECT_NEAR(interpolate<double>(view(shape, std::as_const(field)), lattice, x), linear(x), 2e-15 * 5);
    }
}

TEST(GridSample, QueriesOutsideAreClampedToTheLattice) {
  const Shape shape(3, {4, 4, 4}, 1);
  Buffer<float> field;
  fill(shape, Place::cell, field, [](const Vec3& x) { return x.x(); });
  const Lattice lattice(shape, Place::cell);
  EXPECT_EQ(interpolate<float>(view(shape, std::as_const(field)), lattice, {-9, 2, 2}), 0.5);
  EXPECT_EQ(interpolate<float>(view(shape, std::as_const(field)), lattice, {99, 2, 99}), 3.5);
}

TEST(GridLoops, SumsAreTheSameForAnyNumberOfThreads) {
  const Shape shape(3, {40, 41, 42}, 0.1);
  Buffer<float> field;
  fill(shape, Place::cell, field,
       [](const Vec3& x) { return std::sin(100 * x.x() + 37 * x.y() - 11 * x.z()); });
  const auto cells = view(shape, std::as_const(field));
  auto sum = [&] {
    return sum_rows(sample_box(shape, Place::cell), [&](int j, int k) {
      double s = 0;
      for (int i = 0; i < 40; ++i) s += cells(i, j, k);
      return s;
    });
  };
  set_thread_count(1);
  const double one = sum();
  set_thread_count(2);
  const double two = sum();
  set_thread_count(0);
  EXPECT_EQ(one, two);
}

}  // namespace
