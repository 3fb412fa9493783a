// See read_frame.h.
#include "selkie/io/read_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "selkie/core/error.h"
#include "selkie/io/detail/read_bytes.h"
#include "selkie/io/detail/read_frame_parts.h"
#include "selkie/io/detail/scanner.h"
#include "selkie/io/frame_writer.h"

namespace selkie::io {
namespace {

namespace fs = std::filesystem;

bool is_readable(const FrameFileName& name) { return name.extension == ".ply" || name.extension == ".vdb"; }

// All files of the folder that are named like frames, sorted by name.
std::vector<std::pair<FrameFileName, fs::path>> frame_files(const fs::path& folder) {
  std::vector<std::pair<FrameFileName, fs::path>> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (auto name = parse_frame_file_name(it->path().filename().string()))
      files.emplace_back(std::move(*name), it->path());
  if (error)
    throw InputError(SourceLocation{folder.string()}, "the folder cannot be read: " + error.message(),
                     "check the path and its permissions");
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return files;
}

// "0 to 120", or with gaps "0 to 120 (61 of them)".
std::string range_text(const std::vector<std::int64_t>& frames) {
  if (frames.size() == 1) return std::to_string(frames[0]);
  const bool gapless = frames.back() - frames.front() + 1 == static_cast<std::int64_t>(frames.size());
  return fmt::format("{} to {}", frames.front(), frames.back()) +
         (gapless ? "" : fmt::format(" ({} of them)", frames.size()));
}

}  // namespace

std::vector<std::int64_t> frame_numbers(const fs::path& folder) {
  std::set<std::int64_t> numbers;
  bool others = false;
  for (const auto& [name, path] : frame_files(folder)) {
    others = others || !is_readable(name);
    if (is_readable(name)) numbers.insert(name.frame);
  }
  if (numbers.empty() && others)
    throw InputError(
        SourceLocation{folder.string()}, "the frames in this folder are VTK files, which are not read back",
        "run the scene with output.formats = [\"ply\", \"vdb\", \"vtk\"], or give the scene file instead");
  if (numbers.empty())
    throw InputError(SourceLocation{folder.string()}, "the folder holds no frames",
                     "name a folder that `selkie run` wrote, or a scene file");
  return {numbers.begin(), numbers.end()};
}

std::vector<OwnedDrawable> read_frame(const fs::path& folder, std::int64_t frame) {
  std::vector<OwnedDrawable> drawables;
  for (const auto& [name, path] : frame_files(folder))
    if (name.frame == frame && is_readable(name)) drawables.push_back(read_frame_file(path));
  if (drawables.empty())
    throw InputError(SourceLocation{folder.string()}, fmt::format("there is no frame {}", frame),
                     "the folder holds frames " + range_text(frame_numbers(folder)));
  return drawables;
}

OwnedDrawable read_frame_file(const fs::path& file) {
  return parse_frame_file(detail::read_bytes(file), file);
}

OwnedDrawable parse_frame_file(std::string_view bytes, const fs::path& file) {
  const auto name = parse_frame_file_name(file.filename().string());
  if (!name || !is_readable(*name))
    throw InputError(SourceLocation{file.string()}, "this is not named like a frame",
                     "frames are called <name>.<number>.ply or .vdb");
  try {
    return name->extension == ".ply" ? detail::drawable_from_ply(bytes, file.string(), name->name)
                                     : detail::drawable_from_vdb(bytes, file.string(), name->name);
  } catch (const InputError& error) {
    // The readers below speak of meshes that somebody exported.
    if (error.remedy() != detail::Scanner::kDamaged) throw;
    throw InputError(error.where(), error.problem(),
                     "the frame file seems damaged or cut short: run the scene again, or remove the file to "
                     "leave it out");
  }
}

}  // namespace selkie::io
