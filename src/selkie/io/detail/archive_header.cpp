// See archive_header.h. The file is mapped rather than read: no second copy of a large state in memory.
#include "selkie/io/detail/archive_header.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <map>
#include <string_view>
#include <system_error>

#include "selkie/core/error.h"
#include "selkie/core/hash.h"

namespace selkie::io::detail {
namespace {

constexpr std::string_view kMagic = "selkie-archive\n";
constexpr const char* kUseOther = "Use another checkpoint, or start the run again without resuming.";

// A file mapped into memory, read-only. `error` tells why it could not be.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (descriptor < 0 || ::fstat(descriptor, &status) != 0) {
      error_ = errno;
    } else if (!S_ISREG(status.st_mode)) {
      error_ = EISDIR;
    } else if (status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
      if (data_ == MAP_FAILED) error_ = errno;
    }
    if (descriptor >= 0) ::close(descriptor);
  }
  ~MappedFile() {
    if (size_ > 0 && error_ == 0) ::munmap(data_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  int error() const { return error_; }
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
  int error_ = 0;
};

std::string checksum(std::string_view lines, std::span<const std::byte> body) {
  Hasher hasher;
  hasher.add(lines);
  hasher.add(body);
  return hasher.value().hex();
}

// The lines before the checksum's.
std::string header_lines(int format, const ArchiveKind& kind, std::size_t length) {
  return fmt::format("{}format {}\nkind {}\nversion {}\nlength {}\n", kMagic, format, kind.name, kind.version,
                     length);
}

struct Header {
  int format = 0;
  ArchiveKind kind = {};
  std::size_t length = 0;
  std::string checksum = {};
};

template <class Number>
bool parse(std::string_view text, Number& value) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && stop == text.data() + text.size();
}

// Reads the lines after the magic; false when they are not as header_lines writes them.
bool parse_header(std::string_view text, Header& header) {
  std::map<std::string_view, std::string_view> values;
  for (text.remove_prefix(kMagic.size()); !text.empty();) {
    const std::size_t end = text.find('\n'), space = text.find(' ');
    if (end == std::string_view::npos) return false;
    if (end > 0 && space < end) values[text.substr(0, space)] = text.substr(space + 1, end - space - 1);
    text.remove_prefix(end + 1);
  }
  header.kind.name = values["kind"];
  header.checksum = values["checksum"];
  return parse(values["format"], header.format) && parse(values["version"], header.kind.version) &&
         parse(values["length"], header.length);
}

// The whole header block as it must stand in the file.
std::string full_header(const std::string& lines, const std::string& sum) {
  std::string text = lines + "checksum " + sum + '\n';
  text.resize(kArchiveHeaderSize, '\n');
  return text;
}

}  // namespace

std::string archive_header(const ArchiveKind& kind, std::span<const std::byte> body) {
  const std::string lines = header_lines(kArchiveFormatVersion, kind, kArchiveHeaderSize + body.size());
  return full_header(lines, checksum(lines, body));
}

int verify_archive(const std::filesystem::path& path, const ArchiveKind& newest) {
  const auto refuse = [&](const std::string& problem, const std::string& remedy) {
    throw InputError({.file = path.string()}, problem, remedy);
  };
  const MappedFile file(path);
  if (file.error() != 0)
    refuse("cannot be read: " + std::generic_category().message(file.error()),
           "Check the name and the permissions.");
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  if (!text.starts_with(kMagic))
    refuse(fmt::format("this is not a Selkie {}", newest.name),
           fmt::format("Give a {} written by Selkie.", newest.name));
  Header header;
  if (text.size() < kArchiveHeaderSize || !parse_header(text.substr(0, kArchiveHeaderSize), header))
    refuse("the header is damaged or cut short", kUseOther);
  if (header.format > kArchiveFormatVersion)
    refuse(fmt::format("archive format {} is newer than this program's ({})", header.format,
                       kArchiveFormatVersion),
           "Use the version of Selkie that wrote it, or a newer one.");
  if (header.length != text.size())
    refuse(fmt::format("the file has {} bytes where its header says {}: it is cut short or damaged",
                       text.size(), header.length),
           kUseOther);
  const std::string lines = header_lines(header.format, header.kind, header.length);
  const std::string sum = checksum(lines, file.bytes().subspan(kArchiveHeaderSize));
  if (text.substr(0, kArchiveHeaderSize) != full_header(lines, sum))
    refuse("the checksum does not match: the file is damaged", kUseOther);
  if (header.kind.name != newest.name)
    refuse(fmt::format("this archive holds a {}, not a {}", header.kind.name, newest.name),
           fmt::format("Give a {} written by Selkie.", newest.name));
  if (header.kind.version > newest.version)
    refuse(fmt::format("{} version {} is newer than this program's ({})", newest.name, header.kind.version,
                       newest.version),
           "Use the version of Selkie that wrote it, or a newer one.");
  return header.kind.version;
}

}  // namespace selkie::io::detail
