// The format of PLY files, ascii and binary of either byte order: the header, and values in the order they
// stand. Shared by the mesh reader and the frame reader, which give the elements their meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "selkie/io/detail/scanner.h"

namespace selkie::io::detail {

enum class PlyScalar { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

struct PlyProperty {
  std::string name;
  PlyScalar type;
  std::optional<PlyScalar> list_count;  // set for lists
};

struct PlyElement {
  std::string name;
  std::uint64_t count;
  std::vector<PlyProperty> properties;
};

struct PlyComment {
  std::string text;  // after "comment "
  int line = 0;
};

class PlySource {
 public:
  // Reads the header; InputError with line when it is not one.
  PlySource(std::string_view bytes, const std::string& source);

  const std::vector<PlyElement>& elements() const { return elements_; }
  const std::vector<PlyComment>& comments() const { return comments_; }
  bool at_end() const { return in_.at_end(); }
  std::size_t value_start() const { return in_.value_start(); }
  void seek(std::size_t position) { in_.seek(position); }

  // Call before the rows of each element: a count that the bytes left cannot hold is refused.
  void begin(const PlyElement& element);
  double scalar(PlyScalar type);
  std::uint32_t whole(PlyScalar type, std::string_view what);
  std::uint32_t list_count(const PlyProperty& property);
  void skip(const PlyProperty& property);
  void skip_rows(const PlyElement& element);

  [[noreturn]] void fail(const std::string& problem, const std::string& remedy = Scanner::kDamaged) const {
    in_.fail(problem, remedy);
  }
  [[noreturn]] void fail_here(const std::string& problem,
                              const std::string& remedy = Scanner::kDamaged) const {
    in_.fail_here(problem, remedy);
  }

 private:
  void read_header();
  bool read_format(std::string_view name);
  void read_element(Scanner& words);
  void read_property(Scanner& words);
  std::uint64_t smallest_row(const PlyElement& element) const;

  Scanner in_;
  std::string source_;
  bool binary_ = false;
  std::vector<PlyElement> elements_;
  std::vector<PlyComment> comments_;
};

}  // namespace selkie::io::detail
