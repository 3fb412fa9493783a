// Shared by the readers' tests: seed files of the fuzz corpus, and the message that a bad file earns.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "selkie/core/error.h"

namespace selkie::test {

inline std::filesystem::path seed_path(const std::string& name) {
  return std::filesystem::path(SELKIE_SOURCE_DIR) / "tests/fuzz/corpus" / name;
}

inline std::string seed(const std::string& name) {
  std::ifstream file(seed_path(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The InputError that `parse(bytes, "mesh")` throws; an empty one when it throws none.
template <class Parse>
InputError error_of(Parse&& parse, const std::string& bytes) {
  try {
    parse(bytes, "mesh");
  } catch (const InputError& error) {
    return error;
  }
  return InputError("");
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace selkie::test
