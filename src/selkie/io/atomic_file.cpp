// See atomic_file.h. Plain POSIX calls: only they tell why a write failed and only they can sync a folder.
#include "selkie/io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "selkie/core/error.h"

namespace selkie::io {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kPartialSuffix = ".selkie.part";

// An open file descriptor that closes itself on the way out of an error.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags, const fs::path& target)
      : target_(target), value_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (value_ < 0) throw_output_error(target, errno);
  }
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int value() const { return value_; }
  void sync() {
    if (::fsync(value_) != 0) throw_output_error(target_, errno);
  }
  // Some file systems (NFS) report a full disk or a spent quota only here.
  void close() {
    const int result = ::close(value_);
    value_ = -1;
    if (result != 0 && errno != EINTR) throw_output_error(target_, errno);
  }

 private:
  const fs::path& target_;
  int value_;
};

fs::path folder_of(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

// Makes the rename durable. File systems that cannot sync a folder say EINVAL or ENOTSUP; nothing is lost.
void sync_folder(const fs::path& target) {
  Descriptor folder(folder_of(target), O_RDONLY | O_DIRECTORY, target);
  if (::fsync(folder.value()) != 0 && errno != EINVAL && errno != ENOTSUP) throw_output_error(target, errno);
}

void rename_into_place(const fs::path& partial, const fs::path& target) {
  if (::rename(partial.c_str(), target.c_str()) != 0) throw_output_error(target, errno);
  sync_folder(target);
}

const char* remedy_for(int error_number) {
  switch (error_number) {
    case ENOSPC:
      return "Free some space or choose another output folder; files written so far are complete.";
    case EDQUOT:
      return "Your disk quota is used up: delete files or choose another output folder.";
    case EFBIG:
      return "The file is larger than the limit of this process or file system (see ulimit -f).";
    case EACCES:
    case EPERM:
      return "Check the permissions of the folder, or choose another output folder.";
    case EROFS:
      return "The file system is read-only: choose another output folder.";
    case ENOENT:
      return "The folder does not exist: create it or choose another output folder.";
    case ENOTDIR:
      return "A part of the path is a file, not a folder: choose another output folder.";
    case EISDIR:
      return "A folder has this name: remove it or choose another output folder.";
    case EMFILE:
    case ENFILE:
      return "Too many open files: close other programs or raise the limit (see ulimit -n).";
    case ENAMETOOLONG:
      return "Choose a shorter name.";
    default:
      return "Check the disk and its connection, or choose another output folder.";
  }
}

}  // namespace

void throw_output_error(const fs::path& target, int error_number) {
  throw OutputError(target.string(), "cannot be written: " + std::generic_category().message(error_number),
                    remedy_for(error_number));
}

fs::path partial_name(const fs::path& target) {
  fs::path name = target;
  name += kPartialSuffix;
  return name;
}

void FileSink::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    // Linux moves at most 2 GiB per call; a short count is normal, a zero count would never end.
    const ssize_t written = ::write(descriptor_, bytes.data(), std::min(bytes.size(), std::size_t{1} << 30));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw_output_error(target_, written == 0 ? EIO : errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void FileSink::write(std::string_view text) { write(std::as_bytes(std::span<const char>(text))); }

void write_named_file_atomically(const fs::path& target, FunctionRef<void(const fs::path&)> fill) {
  const fs::path partial = partial_name(target);
  try {
    fill(partial);
    Descriptor file(partial, O_RDWR, target);
    file.sync();
    file.close();
    rename_into_place(partial, target);
  } catch (...) {
    ::unlink(partial.c_str());
    throw;
  }
}

void write_file_atomically(const fs::path& target, FunctionRef<void(FileSink&)> fill) {
  write_named_file_atomically(target, [&](const fs::path& partial) {
    Descriptor file(partial, O_WRONLY | O_CREAT | O_TRUNC, target);
    FileSink sink(file.value(), target);
    fill(sink);
    file.close();
  });
}

void write_file_atomically(const fs::path& target, std::span<const std::byte> bytes) {
  write_file_atomically(target, [&](FileSink& sink) { sink.write(bytes); });
}

void write_file_atomically(const fs::path& target, std::string_view text) {
  write_file_atomically(target, [&](FileSink& sink) { sink.write(text); });
}

std::size_t remove_partial_files(const fs::path& folder) {
  std::error_code error;
  std::size_t removed = 0;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!std::string_view(name).ends_with(kPartialSuffix) || !it->is_regular_file(error)) continue;
    std::error_code failure;
    if (fs::remove(it->path(), failure)) ++removed;
    if (failure) throw_output_error(it->path(), failure.value());
  }
  if (error && error != std::errc::no_such_file_or_directory) throw_output_error(folder, error.value());
  return removed;
}

void make_output_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error && !fs::is_directory(folder, error) && !error)
    error = std::make_error_code(std::errc::not_a_directory);
  if (error) throw_output_error(folder, error.value());
}

}  // namespace selkie::io
