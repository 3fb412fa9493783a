// See encode.h.
#include "selkie/view/encode.h"

#include <array>
#include <cstring>
#include <string_view>

#include "selkie/core/value.h"

namespace selkie::view {
namespace {

constexpr std::array<std::string_view, 6> kKindNames{"triangles", "points",  "curves",
                                                     "volume",    "vectors", "height"};

Value text(std::string_view content) { return {std::string(content)}; }
Value whole(std::size_t number) { return {static_cast<std::int64_t>(number)}; }
Value vector(const Vec3& v) { return {ValueArray{{v.x()}, {v.y()}, {v.z()}}}; }

Value array(const ArrayPlace& place, std::string_view type) {
  return {ValueTable{{"offset", whole(place.offset)}, {"count", whole(place.count)}, {"type", text(type)}}};
}

Value attributes(const std::vector<ShotAttribute>& all, PartKind kind) {
  const bool fields = kind == PartKind::volume;
  ValueArray list;
  for (const ShotAttribute& a : all) {
    ValueTable entry{{"name", text(a.name)}, {"unit", text(a.unit)}, {"min", {a.min}}, {"max", {a.max}}};
    if (!fields) entry.push_back({"components", {std::int64_t{a.components}}});
    entry.push_back({"values", array(a.values, fields ? "u8" : "f32")});
    list.push_back({std::move(entry)});
  }
  return {std::move(list)};
}

// All but the topology.
ValueTable describe_part(const ShotPart& part) {
  ValueTable out{
      {"name", text(part.name)},
      {"system", text(part.system)},
      {"kind", text(kKindNames[static_cast<std::size_t>(part.kind)])},
      {"look", text(describe(static_cast<ports::Look*>(nullptr))[static_cast<std::size_t>(part.look)])},
      {"colour", vector(part.colour)},
      {"backdrop", {part.backdrop}}};
  auto add = [&](const char* key, Value value) { out.push_back({key, std::move(value)}); };
  auto cells = [&](std::size_t count) {
    ValueArray list;
    for (std::size_t i = 0; i < count; ++i) list.push_back({std::int64_t{part.cells[i]}});
    return Value{std::move(list)};
  };
  switch (part.kind) {
    case PartKind::triangles:
      add("positions", array(part.positions, "f32"));
      break;
    case PartKind::points:
    case PartKind::curves:
      add("positions", array(part.positions, "f32"));
      add("radius", {part.radius});
      break;
    case PartKind::vectors:
      add("positions", array(part.positions, "f32"));
      add("values", array(part.values, "f32"));
      add("label", text(part.label));
      add("unit", text(part.unit));
      return out;
    case PartKind::height:
      add("origin", vector(part.origin));
      add("spacing", {part.spacing});
      add("samples", cells(2));
      add("heights", array(part.positions, "f32"));
      break;
    case PartKind::volume:
      add("origin", vector(part.origin));
      add("cell_size", {part.spacing});
      add("cells", cells(3));
      add("fields", attributes(part.attributes, part.kind));
      return out;
  }
  add("attributes", attributes(part.attributes, part.kind));
  return out;
}

std::string head_of(const std::string& json) {
  std::string head = "SKF1";
  const std::size_t padded = (json.size() + 7) / 8 * 8;
  for (int shift = 0; shift < 32; shift += 8) head += static_cast<char>(padded >> shift & 0xff);
  head += json;
  head.append(padded - json.size(), ' ');
  return head;
}

}  // namespace

FrameMessage FrameStream::next(std::shared_ptr<const Shot> shot) {
  FrameMessage message;
  ValueArray parts;
  std::map<std::string, std::uint64_t> known;
  std::size_t end = shot->payload.size();
  for (const ShotPart& part : shot->parts) {
    ValueTable description = describe_part(part);
    if (part.topology) {
      const Topology& topology = *part.topology;
      const auto before = known_.find(part.name);
      if (before == known_.end() || before->second != topology.id) {
        description.push_back(
            {part.kind == PartKind::triangles ? "triangles" : "lines", array({end, topology.count}, "u32")});
        end += topology.indices.size() * sizeof(std::uint32_t);
        message.topologies.push_back(part.topology);
      }
      known[part.name] = topology.id;
    }
    parts.push_back({std::move(description)});
  }
  known_ = std::move(known);
  const Value header{ValueTable{{"frame_number", whole(++number_)},
                                {"frame", {shot->frame}},
                                {"time", {shot->time}},
                                {"parts", {std::move(parts)}}}};
  message.head = head_of(to_json(header, 0));
  message.shot = std::move(shot);
  return message;
}

std::vector<std::span<const std::byte>> FrameMessage::pieces() const {
  std::vector<std::span<const std::byte>> all{std::as_bytes(std::span(head)), shot->payload.bytes()};
  for (const auto& topology : topologies) all.push_back(std::as_bytes(std::span(topology->indices)));
  return all;
}

std::size_t FrameMessage::bytes() const {
  std::size_t sum = 0;
  for (const auto& piece : pieces()) sum += piece.size();
  return sum;
}

}  // namespace selkie::view
