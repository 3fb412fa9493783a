// The spoon of tetrahedra.
#include "selkie/geometry/tet_spoon.h"

#include <gtest/gtest.h>

#include "selkie/geometry/mesh_check.h"

namespace selkie::geometry {
namespace {

TEST(TetSpoon, IsASoundMeshAtAnyResolution) {
  for (const int scale : {1, 2, 4}) {
    TetSpoonShape shape;
    shape.divisions = {10 * scale, 1, 2 * scale};
    const MeshReport report = check_mesh(tet_spoon(shape));
    EXPECT_TRUE(report.clean()) << scale << ": " << report.text();
  }
}

TEST(TetSpoon, HasItsMeasures) {
  const TetSpoonShape shape;
  const BoundingBox box = bounding_box(tet_spoon(shape).positions);
  EXPECT_NEAR(box.sizes().x(), shape.length, 1e-12);
  EXPECT_NEAR(box.sizes().z(), shape.bowl_width, 0.01 * shape.bowl_width);
  EXPECT_NEAR(box.min().y(), -shape.bowl_depth - shape.thickness / 2, 0.02 * shape.bowl_depth);
}

TEST(TetSpoon, NeedsRoomForAHandle) {
  TetSpoonShape shape;
  shape.bowl_length = shape.length;
  EXPECT_EQ(validate(shape).size(), 1u);
}

}  // namespace
}  // namespace selkie::geometry
