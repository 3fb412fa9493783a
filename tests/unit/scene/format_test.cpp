// The documentation of the scene format is what the program says it is.
#include <gtest/gtest.h>

#include "selkie/scene/scene.h"
#include "support/temporary_folder.h"

namespace selkie::scene {
namespace {

TEST(SceneFormat, DocumentationIsUpToDate) {
  EXPECT_EQ(selkie::test::file_text(std::string(SELKIE_SOURCE_DIR) + "/docs/scene-format.md"),
            format_markdown())
      << "run: selkie info --scene-format > docs/scene-format.md";
}

TEST(SceneFormat, DocumentsEveryTableOnce) {
  const std::string page = format_markdown();
  for (const char* title : {"## `[scene]`", "## `[output]`", "## `[[collider]]`", "## `[[mass_spring]]`",
                            "## `[[mass_spring]].mesh`", "## `[[mass_spring]].pin`", "## `[[coupling]]`",
                            "## `[[elastic]]`", "## `[[modal]]`", "## `[[modal]].copies`", "## `[[smoke]]`",
                            "## `[[smoke]].emit`", "## `[[lattice_boltzmann]]`", "## `[[vortex_method]]`",
                            "## `[[shallow_water]]`", "## `[[position_based]]`"}) {
    const std::size_t at = page.find(std::string(title) + "\n");
    EXPECT_NE(at, std::string::npos) << title;
    EXPECT_EQ(page.find(std::string(title) + "\n", at + 1), std::string::npos) << title;
  }
}

TEST(SceneFormat, SchemaRefusesUnknownKeys) {
  const Value schema = format_json_schema();
  const Value* more = schema.find("additionalProperties");
  ASSERT_NE(more, nullptr);
  EXPECT_FALSE(std::get<bool>(more->data));
}

}  // namespace
}  // namespace selkie::scene
