// Archives: named arrays, texts and integers in groups ("/systems/cloth/positions"), for checkpoints. The
// container is HDF5 behind a 512-byte text header (HDF5's user block, so that h5dump opens the file as it
// is) with magic, format version, kind, content version, length and a 128-bit checksum over every other byte
// of the file. The header is verified before HDF5 sees the file: a damaged, truncated, foreign or newer file
// is an InputError, never a crash. Equal content gives equal bytes; the round trip is bit-exact. Limit: a
// writer holds its content in memory until commit().
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "selkie/core/function_ref.h"
#include "selkie/core/state_arrays.h"

namespace selkie::io {

inline constexpr int kArchiveFormatVersion = 1;

// What an archive holds, said in its header: "checkpoint" of version 3.
struct ArchiveKind {
  std::string name;
  int version = 1;
};

struct ArchiveArray {
  Scalar scalar = Scalar::f64;
  int components = 1;
  std::size_t count = 0;
};

class ArchiveWriter {
 public:
  // Nothing appears at `path` before commit().
  ArchiveWriter(std::filesystem::path path, const ArchiveKind& kind);
  ~ArchiveWriter();  // without commit() the old archive stays
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  // Names are absolute paths; missing groups are made; a name is written once.
  void put_array(std::string_view name, const ArchiveArray& shape, std::span<const std::byte> bytes,
                 std::string_view unit = {});
  void put_text(std::string_view name, std::string_view text);
  void put_integer(std::string_view name, std::int64_t value);
  // Each array as "<group>/<array.name>".
  void put_arrays(std::string_view group, std::span<const ArrayRef> arrays);

  // Writes, syncs and atomically replaces the file at `path`; OutputError when it cannot. Then the writer is
  // spent.
  void commit();

 private:
  struct File;
  std::unique_ptr<File> file_;
};

class ArchiveReader {
 public:
  // Verifies the whole file. InputError unless it is an intact archive of this kind, no newer than this.
  ArchiveReader(std::filesystem::path path, const ArchiveKind& newest);
  ~ArchiveReader();
  ArchiveReader(const ArchiveReader&) = delete;
  ArchiveReader& operator=(const ArchiveReader&) = delete;

  int content_version() const;
  bool contains(std::string_view name) const;
  // Names of what lies directly in a group, sorted; empty when there is no such group.
  std::vector<std::string> names_in(std::string_view group) const;

  // InputError when the name is absent or holds something else.
  ArchiveArray array_shape(std::string_view name) const;
  std::vector<std::byte> array_bytes(std::string_view name) const;
  std::string text(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  // Fills each array from "<group>/<array.name>", resizing it where needed. `arrays` is asked twice: before
  // the resizing and, since that may move the data, after it. InputError, with nothing changed, when a type,
  // the components or the count of an array that cannot be resized differ.
  void read_arrays(std::string_view group, FunctionRef<std::vector<ArrayRef>()> arrays) const;

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace selkie::io
