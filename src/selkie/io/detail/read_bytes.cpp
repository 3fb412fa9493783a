// See read_bytes.h.
#include "selkie/io/detail/read_bytes.h"

#include <fstream>

#include "selkie/core/error.h"

namespace selkie::io::detail {

std::string read_bytes(const std::filesystem::path& path) {
  const SourceLocation where{path.string()};
  std::error_code trouble;
  const std::filesystem::file_status status = std::filesystem::status(path, trouble);
  if (!std::filesystem::exists(status))
    throw InputError(where, "the file does not exist", "check the path; it starts at the working directory");
  if (std::filesystem::is_directory(status))
    throw InputError(where, "this is a folder, not a file", "name a file inside it");
  // Pipes and devices have no size to check counts against, and may never end.
  if (!std::filesystem::is_regular_file(status))
    throw InputError(where, "this is not a regular file", "copy its content into a file first");
  const std::uintmax_t size = std::filesystem::file_size(path, trouble);
  std::ifstream file(path, std::ios::binary);
  if (trouble || !file) throw InputError(where, "the file cannot be opened", "check its permissions");
  if (size == 0) throw InputError(where, "the file is empty", "export the mesh again");
  std::string bytes(size, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  if (static_cast<std::uintmax_t>(file.gcount()) != size)
    throw InputError(where, "the file could not be read to its end", "check the disk and try again");
  return bytes;
}

}  // namespace selkie::io::detail
