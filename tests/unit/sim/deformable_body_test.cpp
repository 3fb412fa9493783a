// What the hand takes hold of.
#include "selkie/sim/systems/deformable_body.h"

#include <gtest/gtest.h>

#include <vector>

namespace selkie::sim {
namespace {

TEST(DeformableBody, TheNearestVertexIsFoundAndTheLowestOfEqualsTaken) {
  const std::vector<Vec3> row{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(2, 0, 0), Vec3(3, 0, 0)};
  EXPECT_EQ(nearest_vertex(row, Vec3(3.2, 1, 0)), 3u);
  EXPECT_EQ(nearest_vertex(row, Vec3(1.5, 1, 0)), 1u);
}

}  // namespace
}  // namespace selkie::sim
