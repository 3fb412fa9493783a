// See gltf_container.h. [glTF 2.0 specification §3.6.1, §4]
#include "selkie/io/detail/gltf_container.h"

#include <array>

#include "selkie/core/error.h"
#include "selkie/io/detail/json.h"
#include "selkie/io/detail/read_bytes.h"
#include "selkie/io/detail/scanner.h"

namespace selkie::io::detail {
namespace {

constexpr std::uint32_t kGlbMagic = 0x46546c67, kJsonChunk = 0x4e4f534a, kBinaryChunk = 0x004e4942;
constexpr std::uint64_t kAnyLength = std::uint64_t{1} << 40;

[[noreturn]] void fail(const std::string& source, const std::string& problem,
                       const std::string& remedy = Scanner::kDamaged) {
  throw InputError(SourceLocation{source}, problem, remedy);
}

struct Chunks {
  std::string_view json;
  std::optional<std::string_view> binary;
};

Chunks split_chunks(std::string_view bytes, const std::string& source) {
  if (bytes.substr(0, 4) != "glTF") return {bytes, {}};
  Scanner in(bytes, source);
  in.set_binary(true);
  in.skip(4);
  if (in.raw<std::uint32_t>() != 2) in.fail("only version 2 of GLB is supported", "export as glTF 2.0");
  if (in.raw<std::uint32_t>() > bytes.size()) in.fail("the file is shorter than its header says");
  auto chunk = [&](std::uint32_t wanted) {
    const auto length = in.raw<std::uint32_t>();
    const auto type = in.raw<std::uint32_t>();
    if (type != wanted) in.fail("the chunks of the GLB file are out of order");
    in.need_records(length, 1, "bytes");
    const std::string_view content = in.rest().substr(0, length);
    in.skip(length);
    return content;
  };
  Chunks chunks{chunk(kJsonChunk), {}};
  if (in.remaining() >= 8) chunks.binary = chunk(kBinaryChunk);
  return chunks;
}

std::string decode_base64(std::string_view text, const std::string& source) {
  std::array<int, 256> value;
  value.fill(-1);
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < alphabet.size(); ++i)
    value[static_cast<unsigned char>(alphabet[i])] = static_cast<int>(i);
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  int bit_count = 0;
  for (const char c : text) {
    const int six = value[static_cast<unsigned char>(c)];
    if (six < 0) fail(source, "an embedded buffer is not valid base64");
    bits = (bits << 6 | static_cast<std::uint32_t>(six)) & 0xffffff;
    if ((bit_count += 6) >= 8) bytes += static_cast<char>(bits >> (bit_count -= 8) & 0xff);
  }
  return bytes;
}

// "my%20mesh.bin" is the file "my mesh.bin": exporters escape what may not stand in a URI. RFC 3986 §2.1
std::string unescaped(std::string_view uri, const std::string& source) {
  auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  };
  std::string text;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] != '%') {
      text += uri[i];
      continue;
    }
    const int high = i + 2 < uri.size() ? digit(uri[i + 1]) : -1, low = high >= 0 ? digit(uri[i + 2]) : -1;
    if (low < 0 || (high == 0 && low == 0))
      fail(source, "the name of the buffer " + quote(uri) + " has a broken escape after '%'");
    text += static_cast<char>(16 * high + low);
    i += 2;
  }
  return text;
}

// Text under the buffer's "uri"; null when it has none.
const std::string* uri_of(const Value& buffer, const std::string& source) {
  const Value* uri = buffer.find("uri");
  if (!uri) return nullptr;
  if (!std::holds_alternative<std::string>(uri->data)) fail(source, "a buffer's uri is not text");
  return &std::get<std::string>(uri->data);
}

bool is_embedded(const std::string& uri) { return uri.starts_with("data:"); }

std::filesystem::path file_of(const std::string& uri, const std::string& source,
                              const std::optional<std::filesystem::path>& folder) {
  const std::filesystem::path relative(unescaped(uri, source));
  bool leaves_folder = relative.is_absolute() || uri.find(':') != std::string::npos;
  for (const auto& part : relative) leaves_folder |= part == "..";
  if (!folder || leaves_folder)
    fail(source, "the buffer " + quote(uri) + " lies outside this file's folder",
         "put the buffer beside the file, or export as .glb");
  return *folder / relative;
}

std::string buffer_bytes(const Value& buffer, std::optional<std::string_view> glb_binary,
                         const std::string& source, const std::optional<std::filesystem::path>& folder) {
  const std::string* uri = uri_of(buffer, source);
  if (!uri) {
    if (!glb_binary) fail(source, "a buffer has neither a uri nor a binary chunk");
    return std::string(*glb_binary);
  }
  if (!is_embedded(*uri)) return read_bytes(file_of(*uri, source, folder));
  const std::size_t comma = uri->find(";base64,");
  if (comma == std::string::npos) fail(source, "an embedded buffer is not base64");
  return decode_base64(std::string_view(*uri).substr(comma + 8), source);
}

}  // namespace

const ValueArray& gltf_array(const Value& table, std::string_view key, const std::string& source) {
  static const ValueArray kEmpty;
  const Value* value = table.find(key);
  if (!value) return kEmpty;
  if (!value->is_array()) fail(source, "'" + std::string(key) + "' must be an array");
  return value->array();
}

std::uint64_t gltf_whole(const Value& table, std::string_view key, std::uint64_t limit,
                         std::optional<std::uint64_t> otherwise, const std::string& source) {
  const Value* value = table.find(key);
  if (!value && otherwise) return *otherwise;
  const auto* number = value ? std::get_if<std::int64_t>(&value->data) : nullptr;
  if (!number || *number < 0 || static_cast<std::uint64_t>(*number) >= limit)
    fail(source, "'" + std::string(key) + "' must be a whole number from 0 to " + std::to_string(limit - 1));
  return static_cast<std::uint64_t>(*number);
}

GltfFile open_gltf(std::string_view bytes, const std::string& source,
                   const std::optional<std::filesystem::path>& folder) {
  const Chunks chunks = split_chunks(bytes, source);
  GltfFile file{parse_json(chunks.json, source), {}};
  const Value* asset = file.json.find("asset");
  const Value* version = asset ? asset->find("version") : nullptr;
  if (!version || !std::holds_alternative<std::string>(version->data) ||
      !std::get<std::string>(version->data).starts_with("2."))
    fail(source, "this is not a glTF 2.x file", "export as glTF 2.0");
  for (const Value& extension : gltf_array(file.json, "extensionsRequired", source)) {
    const auto* name = std::get_if<std::string>(&extension.data);
    fail(source, "the file needs the extension " + quote(name ? *name : ""),
         "export without mesh compression and quantization");
  }
  for (const Value& buffer : gltf_array(file.json, "buffers", source)) {
    const bool first = file.buffers.empty();
    file.buffers.push_back(buffer_bytes(buffer, first ? chunks.binary : std::nullopt, source, folder));
    const std::uint64_t length = gltf_whole(buffer, "byteLength", kAnyLength, {}, source);
    if (length > file.buffers.back().size())
      fail(source, "a buffer announces " + std::to_string(length) + " bytes, but holds " +
                       std::to_string(file.buffers.back().size()));
  }
  return file;
}

std::vector<std::filesystem::path> buffer_files(std::string_view bytes, const std::string& source,
                                                const std::filesystem::path& folder) {
  const Value json = parse_json(split_chunks(bytes, source).json, source);
  std::vector<std::filesystem::path> files;
  for (const Value& buffer : gltf_array(json, "buffers", source))
    if (const std::string* uri = uri_of(buffer, source); uri && !is_embedded(*uri))
      files.push_back(file_of(*uri, source, folder));
  return files;
}

std::string make_glb(std::string json, std::string binary) {
  while (json.size() % 4 != 0) json += ' ';
  while (binary.size() % 4 != 0) binary += '\0';
  std::string glb;
  auto word = [&glb](std::size_t value) {
    for (int shift = 0; shift < 32; shift += 8) glb += static_cast<char>(value >> shift & 0xff);
  };
  word(kGlbMagic), word(2), word(12 + 8 + json.size() + 8 + binary.size());
  word(json.size()), word(kJsonChunk);
  glb += json;
  word(binary.size()), word(kBinaryChunk);
  return glb + binary;
}

}  // namespace selkie::io::detail
