// A shot: what the world looked like at one moment, already in the numbers a page wants (f32 positions, u8
// volumes). The simulation thread makes it in one pass over the drawables; every connection then sends the
// same bytes. Buffers are kept and used again: a fresh megabyte would cost more than filling it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "selkie/ports/drawable.h"

namespace selkie::view {

// Bytes that grow without being cleared first; every piece begins at a multiple of 8.
class Payload {
 public:
  void clear() { size_ = 0; }
  std::byte* append(std::size_t bytes);  // room for them; moves what was there when it must grow
  std::span<const std::byte> bytes() const { return {data_.get(), size_}; }
  std::size_t size() const { return size_; }  // a multiple of 8

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

struct ArrayPlace {
  std::size_t offset = 0;  // bytes from the payload's start
  std::size_t count = 0;   // elements
};

// Triangles or lines as indices, shared by all shots in which they are the same.
struct Topology {
  std::uint64_t id = 0;  // never used twice in a process
  std::size_t count = 0;
  std::vector<std::uint32_t> indices;  // padded to an even number
};

struct ShotAttribute {
  std::string name, unit;
  int components = 1;
  double min = 0, max = 0;  // of the magnitude; volumes: of the value
  ArrayPlace values;
};

enum class PartKind { triangles, points, curves, volume, vectors, height };

struct ShotPart {
  std::string name, system;
  ports::Look look = ports::Look::matte;
  Vec3 colour = Vec3::Zero();
  bool backdrop = false;
  PartKind kind = PartKind::triangles;
  ArrayPlace positions;  // vectors: where they begin; height: the heights
  ArrayPlace values;     // vectors
  std::shared_ptr<const Topology> topology;
  std::vector<ShotAttribute> attributes;  // volume: its fields
  std::string label, unit;                // vectors
  double radius = 0;
  Vec3 origin = Vec3::Zero();
  double spacing = 0;
  std::array<int, 3> cells{};  // height: the first two
};

struct Shot {
  std::uint64_t version = 0;        // of the world's looks
  std::uint64_t scene_version = 0;  // of the scene message it belongs to
  std::int64_t frame = 0;
  double time = 0;  // s
  std::vector<ShotPart> parts;
  Payload payload;
};

// Makes shots, remembers topologies, and takes shots back when the last connection has sent them. Lives on
// the thread that steps the world; the shots may be let go of anywhere.
class ShotMaker {
 public:
  ShotMaker();
  ~ShotMaker();

  std::shared_ptr<Shot> begin();  // an empty one
  void add(Shot& shot, std::string_view system, const ports::Drawable& drawable);

 private:
  struct Pool;
  std::shared_ptr<const Topology> topology(std::string_view part, std::span<const std::uint32_t> indices);

  std::shared_ptr<Pool> pool_;
  std::map<std::string, std::shared_ptr<const Topology>, std::less<>> topologies_;
};

}  // namespace selkie::view
