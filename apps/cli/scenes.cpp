// `selkie scenes`: the shipped scenes, one line each.
#include <fmt/format.h>

#include "commands.h"
#include "selkie/core/value.h"
#include "shipped_scenes.h"

namespace selkie::cli {

int scenes(const CommonOptions& common) {
  ValueArray list;
  for (const ShippedScene& scene : shipped_scenes()) {
    if (!common.json) {
      if (!common.quiet) fmt::print("{:<24} {}\n", scene.name, scene.about);
      continue;
    }
    Value entry;
    entry["name"].data = scene.name;
    entry["about"].data = scene.about;
    entry["file"].data = scene.file.string();
    list.push_back(std::move(entry));
  }
  if (common.json) fmt::print("{}\n", to_json(Value{std::move(list)}));
  return kDone;
}

}  // namespace selkie::cli
