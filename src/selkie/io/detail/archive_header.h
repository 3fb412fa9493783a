// The 512-byte text header of an archive: lines of "key value", filled up with line breaks.
//   selkie-archive / format 1 / kind checkpoint / version 3 / length 123456 / checksum <32 hex digits>
// The checksum covers the lines before it and every byte after the header.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "selkie/io/archive.h"

namespace selkie::io::detail {

inline constexpr std::size_t kArchiveHeaderSize =
    512;  // the smallest offset at which HDF5 looks for its signature

// The header that goes in front of `body`.
std::string archive_header(const ArchiveKind& kind, std::span<const std::byte> body);

// The content version. InputError with a remedy when the file is missing, foreign, newer, truncated, damaged
// or of another kind.
int verify_archive(const std::filesystem::path& path, const ArchiveKind& newest);

}  // namespace selkie::io::detail
