// The viewer's page, embedded in the program: every file of the built page (web/), or, in a build without
// npm, one page that says so. The bytes live as long as the program.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace selkie::view {

struct EmbeddedFile {
  std::string_view path;          // as in a request: "/index.html", "/assets/index-1a2b3c.js"
  std::string_view content_type;  // "text/html; charset=utf-8"
  std::span<const std::byte> bytes;
};

std::span<const EmbeddedFile> page_files();

}  // namespace selkie::view
