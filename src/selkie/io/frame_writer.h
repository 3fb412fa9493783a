// Writes frames in the background: submit() copies the drawables and returns; one thread writes
// "<name>.<frame>.<ext>" (frame with at least four digits) and the ParaView collection "series.pvd".
// Memory is bounded: submit() waits while more than `max_bytes_in_flight` are queued (a single frame beyond
// the bound is written alone). After the first error nothing more is written, and every call reports it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "selkie/ports/drawable.h"

namespace selkie::io {

// ply: all but volumes; vdb: volumes only; vtk: everything, tetrahedra inside of bodies in files of their own
// ("<name>-interior"), plus the collection.
enum class FrameFormat { ply, vdb, vtk };

struct FrameWriterOptions {
  std::vector<FrameFormat> formats = {FrameFormat::ply, FrameFormat::vdb};
  std::size_t max_bytes_in_flight = std::size_t{512} << 20;
  bool double_positions = false;
  // s; continue the collection of an earlier run up to and including this time. Unset: start a new one.
  std::optional<double> resume_time = {};
};

class FrameWriter {
 public:
  // Creates `folder` and clears away partial files of killed runs; OutputError when it cannot.
  explicit FrameWriter(std::filesystem::path folder, FrameWriterOptions options = {});
  FrameWriter(std::filesystem::path folder, std::vector<FrameFormat> formats, std::size_t max_bytes_in_flight)
      : FrameWriter(std::move(folder), FrameWriterOptions{.formats = std::move(formats),
                                                          .max_bytes_in_flight = max_bytes_in_flight}) {}
  // Writes what is queued; an error at this point goes to the log. Call finish() to see it.
  ~FrameWriter();
  FrameWriter(const FrameWriter&) = delete;
  FrameWriter& operator=(const FrameWriter&) = delete;

  // The drawables' data may change as soon as this returns. Rethrows an earlier error. InputError when a name
  // cannot be a file name.
  void submit(std::int64_t frame, double time, std::span<const ports::Drawable> drawables);
  // Rethrows the first error of the background thread, if there is one.
  void check();
  // Waits until everything is written; the paths of all frame files, in the order written. Rethrows the first
  // error.
  std::vector<std::filesystem::path> finish();

  std::size_t bytes_in_flight() const;

 private:
  struct Worker;
  std::unique_ptr<Worker> worker_;
};

// "water.0042.ply".
std::string frame_file_name(std::string_view name, std::int64_t frame, std::string_view extension);

struct FrameFileName {
  std::string name;
  std::int64_t frame = 0;
  std::string extension;  // ".ply"
};
// The parts of a name that frame_file_name could have made; nothing for other files.
std::optional<FrameFileName> parse_frame_file_name(std::string_view file);
// What the names of the files begin with that a drawable fills in every frame: "jelly" and "jelly-interior".
std::vector<std::string> frame_stems_of(const ports::Drawable& drawable,
                                        std::span<const FrameFormat> formats);

}  // namespace selkie::io
