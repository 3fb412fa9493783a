// `selkie info`: version, build, CPU features, threads, optional parts and the licences of what is linked.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "commands.h"
#include "selkie/core/parallel.h"
#include "selkie/core/value.h"
#include "selkie/scene/scene.h"

namespace selkie::cli {
namespace {

struct Part {
  const char* name;
  const char* licence;
  const char* purpose;
};

constexpr Part kParts[] = {
    {"Eigen", "MPL-2.0", "algebra"},
    {"METIS", "Apache-2.0", "fill-reducing ordering"},
    {"oneTBB", "Apache-2.0", "threads"},
    {"OpenVDB", "MPL-2.0", "sparse volumes, VDB files"},
    {"HDF5", "BSD-3-Clause", "checkpoints"},
    {"Embree", "Apache-2.0", "rays, for pictures"},
    {"Spectra", "MPL-2.0", "lowest modes of bodies"},
    {"libpng", "Libpng", "PNG files"},
    {"Assimp", "BSD-3-Clause", "glTF import"},
    {"toml++", "MIT", "scene files"},
    {"CLI11", "BSD-3-Clause", "command line"},
    {"spdlog", "MIT", "log"},
    {"fmt", "MIT", "text"},
    {"Boost", "BSL-1.0", "Beast and Asio: server of selkie view"},
    {"nlohmann-json", "MIT", "messages of selkie view"},
#ifdef SELKIE_VIEWER_PAGE
    {"three.js", "MIT", "drawing in the page of selkie view"},
#endif
    {"muParser", "BSD-2-Clause", "formulas in scenes"},
#ifdef SELKIE_CHOLMOD
    {"CHOLMOD", "LGPL-2.1 and GPL-2.0", "optional direct solver (this build is covered by the GPL)"},
#endif
};

std::vector<std::string> cpu_features() {
  std::vector<std::string> features;
#if defined(__x86_64__) || defined(__i386__)
  if (__builtin_cpu_supports("sse4.2")) features.emplace_back("sse4.2");
  if (__builtin_cpu_supports("avx")) features.emplace_back("avx");
  if (__builtin_cpu_supports("avx2")) features.emplace_back("avx2");
  if (__builtin_cpu_supports("fma")) features.emplace_back("fma");
  if (__builtin_cpu_supports("avx512f")) features.emplace_back("avx512f");
#endif
  return features;
}

}  // namespace

int info(const CommonOptions& common, const InfoOptions& options) {
  if (options.scene_format) {
    fmt::print("{}", scene::format_markdown());
    return kDone;
  }
  if (options.json_schema) {
    fmt::print("{}\n", to_json(scene::format_json_schema()));
    return kDone;
  }
  if (common.json) {
    Value out;
    out["version"].data = std::string(SELKIE_VERSION);
    out["compiler"].data = std::string(SELKIE_COMPILER);
    out["build"].data = std::string(SELKIE_BUILD);
    out["threads"].data = std::int64_t{thread_count()};
    ValueArray features, parts;
    for (const std::string& feature : cpu_features()) features.push_back(Value{feature});
    for (const Part& part : kParts) {
      Value entry;
      entry["name"].data = std::string(part.name);
      entry["licence"].data = std::string(part.licence);
      parts.push_back(std::move(entry));
    }
    out["cpu_features"].data = std::move(features);
    out["linked"].data = std::move(parts);
    fmt::print("{}\n", to_json(out));
    return kDone;
  }
  fmt::print("Selkie {} (Apache-2.0)\n", SELKIE_VERSION);
  fmt::print("build      {}, {}\n", SELKIE_COMPILER, SELKIE_BUILD);
  fmt::print("cpu        {}\n", fmt::join(cpu_features(), " "));
  fmt::print("threads    {}\n", thread_count());
#ifdef SELKIE_CHOLMOD
  fmt::print("optional   CHOLMOD on\n");
#else
  fmt::print("optional   CHOLMOD off (partly GPL)\n");
#endif
  fmt::print("linked\n");
  for (const Part& part : kParts) fmt::print("  {:<13} {:<16} {}\n", part.name, part.licence, part.purpose);
  return kDone;
}

}  // namespace selkie::cli
