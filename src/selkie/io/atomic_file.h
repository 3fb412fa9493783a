// Files that are complete or absent. Bytes go to "<target>.selkie.part" beside the target, are synced to the
// disk and renamed over it; the folder is synced too, so that the rename survives a power cut. A process
// killed in between leaves only the ".part" file, which remove_partial_files clears away. Every failure (full
// disk, quota, missing permission, read-only or missing folder) throws OutputError with path, reason and
// remedy. Limit: two writers of one target at the same time are not supported.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "selkie/core/function_ref.h"

namespace selkie::io {

// Where a callback of write_file_atomically puts its bytes. Unbuffered: give it large pieces.
class FileSink {
 public:
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);

  FileSink(int descriptor, const std::filesystem::path& target) : descriptor_(descriptor), target_(target) {}
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

 private:
  int descriptor_;
  const std::filesystem::path& target_;
};

void write_file_atomically(const std::filesystem::path& target, std::span<const std::byte> bytes);
void write_file_atomically(const std::filesystem::path& target, std::string_view text);
// Whatever `fill` throws leaves the target as it was and removes the partial file.
void write_file_atomically(const std::filesystem::path& target, FunctionRef<void(FileSink&)> fill);

// For libraries that open files themselves (HDF5, OpenVDB): `fill` creates and closes the file it is told.
void write_named_file_atomically(const std::filesystem::path& target,
                                 FunctionRef<void(const std::filesystem::path& partial)> fill);

// "<target>.selkie.part".
std::filesystem::path partial_name(const std::filesystem::path& target);

// Removes what killed runs left in `folder` (not below it); returns how many files. A missing folder holds
// none.
std::size_t remove_partial_files(const std::filesystem::path& folder);

// Creates the folder and its parents; an existing one is fine.
void make_output_folder(const std::filesystem::path& folder);

// OutputError for a system error code: the reason in words and what a person can do about it.
[[noreturn]] void throw_output_error(const std::filesystem::path& target, int error_number);

}  // namespace selkie::io
