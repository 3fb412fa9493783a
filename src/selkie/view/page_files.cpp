// See page_files.h. Stands in for the page in a build that has none.
#include "selkie/view/page_files.h"

#include <array>

namespace selkie::view {
namespace {

constexpr std::string_view kPage =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Selkie</title>"
    "<p>This build of Selkie holds no viewer page: it was made without npm.</p></html>\n";

}  // namespace

std::span<const EmbeddedFile> page_files() {
  static const std::array<EmbeddedFile, 1> files{
      EmbeddedFile{"/index.html", "text/html; charset=utf-8", std::as_bytes(std::span(kPage))}};
  return files;
}

}  // namespace selkie::view
