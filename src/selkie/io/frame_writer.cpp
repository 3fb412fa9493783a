// See frame_writer.h. One mutex guards queue, byte count, error and list of files; the thread writes without
// holding it.
#include "selkie/io/frame_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <deque>
#include <exception>
#include <iterator>
#include <mutex>
#include <thread>

#include "selkie/core/error.h"
#include "selkie/core/log.h"
#include "selkie/io/atomic_file.h"
#include "selkie/io/owned_drawable.h"
#include "selkie/io/vtk_series.h"
#include "selkie/io/write_ply.h"
#include "selkie/io/write_vdb.h"
#include "selkie/io/write_vtk.h"

namespace selkie::io {
namespace {

struct QueuedFrame {
  std::int64_t frame = 0;
  double time = 0;
  std::size_t bytes = 0;
  std::vector<OwnedDrawable> drawables = {};
};

void check_name(const std::string& name) {
  if (name.empty() || name == "." || name == ".." ||
      name.find_first_of(std::string_view("/\0", 2)) != std::string::npos)
    throw InputError(fmt::format("'{}' cannot be the name of a file", name),
                     "Name the system with letters, digits, '-' and '_'.");
}

// Of the file that a drawable fills; empty when the format has no form for it.
std::string extension_of(const ports::Drawable& drawable, FrameFormat format) {
  switch (format) {
    case FrameFormat::ply:
      return has_ply_form(drawable) ? ".ply" : "";
    case FrameFormat::vdb:
      return std::holds_alternative<ports::Volume>(drawable.shape) ? ".vdb" : "";
    case FrameFormat::vtk:
      return vtk_extension(drawable);
  }
  return {};
}

std::string interior_name(const ports::Drawable& drawable) { return drawable.name + "-interior"; }

}  // namespace

std::string frame_file_name(std::string_view name, std::int64_t frame, std::string_view extension) {
  return fmt::format("{}.{:04}{}", name, frame, extension);
}

std::optional<FrameFileName> parse_frame_file_name(std::string_view file) {
  const std::size_t last = file.rfind('.');
  if (last == std::string_view::npos || last == 0) return {};
  const std::size_t first = file.rfind('.', last - 1);
  if (first == std::string_view::npos || first == 0) return {};
  FrameFileName parts{std::string(file.substr(0, first)), 0, std::string(file.substr(last))};
  static constexpr std::string_view kExtensions[] = {".ply", ".vdb", ".vtp", ".vti", ".vtu"};
  if (std::find(std::begin(kExtensions), std::end(kExtensions), parts.extension) == std::end(kExtensions))
    return {};
  const std::string_view digits = file.substr(first + 1, last - first - 1);
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), parts.frame);
  if (parsed.ec != std::errc{} || frame_file_name(parts.name, parts.frame, parts.extension) != file)
    return {};
  return parts;
}

std::vector<std::string> frame_stems_of(const ports::Drawable& drawable,
                                        std::span<const FrameFormat> formats) {
  std::vector<std::string> stems;
  if (std::any_of(formats.begin(), formats.end(),
                  [&](FrameFormat format) { return !extension_of(drawable, format).empty(); }))
    stems.push_back(drawable.name);
  const bool inside = std::find(formats.begin(), formats.end(), FrameFormat::vtk) != formats.end();
  if (inside && !drawable.interior.tets.empty()) stems.push_back(interior_name(drawable));
  return stems;
}

struct FrameWriter::Worker {
  Worker(std::filesystem::path output_folder, FrameWriterOptions writer_options)
      : folder(std::move(output_folder)),
        options(std::move(writer_options)),
        series(options.resume_time ? VtkSeries::resume(folder / "series.pvd", *options.resume_time)
                                   : VtkSeries(folder / "series.pvd")) {}

  // The thread's life: take a frame, write it, tell whoever waits.
  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return stopping || !queue.empty(); });
      if (queue.empty()) return;
      QueuedFrame next = std::move(queue.front());
      queue.pop_front();
      lock.unlock();
      std::exception_ptr failure;
      std::vector<std::filesystem::path> written;
      try {
        write(next, written);
      } catch (...) {
        failure = std::current_exception();
      }
      next.drawables.clear();
      lock.lock();
      bytes_in_flight -= next.bytes;
      --frames_in_flight;
      files.insert(files.end(), written.begin(), written.end());
      if (failure) abandon(failure);
      changed.notify_all();
    }
  }

  // After an error the queue is dropped: a series with a hole would look complete.
  void abandon(std::exception_ptr failure) {
    error = failure;
    for (const QueuedFrame& frame : queue) bytes_in_flight -= frame.bytes;
    frames_in_flight -= queue.size();
    queue.clear();
  }

  void write(const QueuedFrame& frame, std::vector<std::filesystem::path>& written) {
    bool has_series = false;
    for (const OwnedDrawable& owned : frame.drawables) {
      const ports::Drawable& drawable = owned.get();
      for (const FrameFormat format : options.formats) {
        const std::string extension = write_one(drawable, format, frame);
        if (extension.empty()) continue;
        const std::string name = frame_file_name(drawable.name, frame.frame, extension);
        written.push_back(folder / name);
        if (format != FrameFormat::vtk) continue;
        series.add(frame.time, drawable.name, name);
        has_series = true;
        if (!drawable.interior.tets.empty()) write_interior(drawable, frame, written);
      }
    }
    if (has_series) series.save();
  }

  void write_interior(const ports::Drawable& drawable, const QueuedFrame& frame,
                      std::vector<std::filesystem::path>& written) {
    const std::string part = interior_name(drawable), name = frame_file_name(part, frame.frame, ".vtu");
    const ports::Interior& inside = drawable.interior;
    write_vtk(folder / name, TetArrays{inside.positions, inside.tets, inside.attributes, {}},
              {.double_values = options.double_positions, .time = frame.time});
    written.push_back(folder / name);
    series.add(frame.time, part, name);
  }

  // The extension of the file written; empty when the format has no form for this drawable.
  std::string write_one(const ports::Drawable& drawable, FrameFormat format, const QueuedFrame& frame) {
    const std::string extension = extension_of(drawable, format);
    if (extension.empty()) return {};
    const std::filesystem::path path = folder / frame_file_name(drawable.name, frame.frame, extension);
    switch (format) {
      case FrameFormat::ply:
        write_ply(path, drawable, {.double_positions = options.double_positions});
        break;
      case FrameFormat::vdb:
        write_vdb(path, drawable);
        break;
      case FrameFormat::vtk:
        write_vtk(path, drawable, {.double_values = options.double_positions, .time = frame.time});
        break;
    }
    return extension;
  }

  // Called with the mutex held.
  void rethrow() {
    if (!error) return;
    error_was_told = true;
    std::rethrow_exception(error);
  }

  std::filesystem::path folder;
  FrameWriterOptions options;
  VtkSeries series;  // the thread's own

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<QueuedFrame> queue;
  std::size_t bytes_in_flight = 0;
  std::size_t frames_in_flight = 0;
  std::exception_ptr error;
  bool error_was_told = false;
  std::vector<std::filesystem::path> files;
  bool stopping = false;
  std::thread thread;
};

FrameWriter::FrameWriter(std::filesystem::path folder, FrameWriterOptions options) {
  make_output_folder(folder);
  remove_partial_files(folder);
  worker_ = std::make_unique<Worker>(std::move(folder), std::move(options));
  worker_->thread = std::thread([worker = worker_.get()] { worker->run(); });
}

FrameWriter::~FrameWriter() {
  {
    const std::lock_guard lock(worker_->mutex);
    worker_->stopping = true;
  }
  worker_->changed.notify_all();
  worker_->thread.join();
  if (!worker_->error || worker_->error_was_told) return;
  try {
    std::rethrow_exception(worker_->error);
  } catch (const std::exception& failure) {
    log_error(failure.what());
  } catch (...) {
    log_error("writing frames failed for an unknown reason");
  }
}

void FrameWriter::submit(std::int64_t frame, double time, std::span<const ports::Drawable> given) {
  QueuedFrame next{.frame = frame, .time = time};
  std::vector<ports::Drawable> drawables(given.begin(), given.end());
  const auto& formats = worker_->options.formats;
  const bool inside = std::find(formats.begin(), formats.end(), FrameFormat::vtk) != formats.end();
  for (ports::Drawable& drawable : drawables) {
    check_name(drawable.name);
    if (!inside) drawable.interior = {};  // no other format holds it
    next.bytes += data_bytes(drawable);
  }
  {
    // Reserve the bytes before copying, so that the copy itself stays within the bound.
    std::unique_lock lock(worker_->mutex);
    const auto has_room = [&] {
      return worker_->error || worker_->bytes_in_flight == 0 ||
             worker_->bytes_in_flight + next.bytes <= worker_->options.max_bytes_in_flight;
    };
    worker_->changed.wait(lock, has_room);
    worker_->rethrow();
    worker_->bytes_in_flight += next.bytes;
  }
  const std::size_t reserved = next.bytes;
  try {
    next.drawables.reserve(drawables.size());
    for (const ports::Drawable& drawable : drawables) next.drawables.emplace_back(drawable);
    const std::lock_guard lock(worker_->mutex);
    worker_->rethrow();
    worker_->queue.push_back(std::move(next));
    ++worker_->frames_in_flight;
  } catch (...) {
    const std::lock_guard lock(worker_->mutex);
    worker_->bytes_in_flight -= reserved;
    throw;
  }
  worker_->changed.notify_all();
}

void FrameWriter::check() {
  const std::lock_guard lock(worker_->mutex);
  worker_->rethrow();
}

std::vector<std::filesystem::path> FrameWriter::finish() {
  std::unique_lock lock(worker_->mutex);
  worker_->changed.wait(lock, [&] { return worker_->error || worker_->frames_in_flight == 0; });
  worker_->rethrow();
  return worker_->files;
}

std::size_t FrameWriter::bytes_in_flight() const {
  const std::lock_guard lock(worker_->mutex);
  return worker_->bytes_in_flight;
}

}  // namespace selkie::io
