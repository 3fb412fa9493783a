// Tetrahedra written and read back.
#include "selkie/io/write_msh.h"

#include <gtest/gtest.h>

#include "selkie/geometry/generators.h"
#include "selkie/io/read_mesh.h"

namespace selkie::io {
namespace {

TEST(WriteMsh, ReadsBackToTheSameBits) {
  const geometry::TetMesh mesh = geometry::tet_ball({.center = Vec3(0.1, 1e-7, 1e5), .divisions = 3});
  const MshContent content = parse_msh(msh_text(mesh), "memory");
  EXPECT_EQ(content.positions, mesh.positions);
  EXPECT_EQ(content.tets, mesh.tets);
  EXPECT_TRUE(content.triangles.empty());
}

}  // namespace
}  // namespace selkie::io
