// libFuzzer target: whatever the bytes, a scene parses or is refused with an InputError. The first line, when
// it begins with "--set ", is a setting. What parses must survive its own resolved copy.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "selkie/core/error.h"
#include "selkie/scene/scene.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace selkie;
  std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> settings;
  if (text.starts_with("--set ")) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    settings.push_back(text.substr(6, end - 6));
    text.erase(0, std::min(end + 1, text.size()));
  }
  scene::Scene first;
  try {
    first = scene::parse(text, "input", ".", settings);
  } catch (const InputError&) {
    return 0;
  }
  // No exception is allowed here.
  const std::string resolved = scene::resolved(first);
  if (scene::resolved(scene::parse(resolved, "resolved", ".")) != resolved) std::abort();
  try {
    if (scene::identity(first).empty()) std::abort();
  } catch (const InputError&) {  // a file that the scene names cannot be read
  }
  return 0;
}
