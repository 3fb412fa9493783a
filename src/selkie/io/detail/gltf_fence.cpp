// See gltf_fence.h. Positions and indices are copied value by value into fresh, tightly packed arrays, so
// that offsets, strides and component types of the original cannot mislead anyone. [glTF 2.0 §3.5–3.7]
#include "selkie/io/detail/gltf_fence.h"

#include "selkie/core/error.h"
#include "selkie/io/detail/gltf_container.h"
#include "selkie/io/detail/non_finite.h"
#include "selkie/io/detail/scanner.h"

namespace selkie::io::detail {
namespace {

constexpr std::uint64_t kAny = std::uint64_t{1} << 40;
constexpr std::uint64_t kMaxElements = 50'000'000;         // vertices and indices after instancing
constexpr std::size_t kDeepest = 256;                      // levels of nodes
constexpr std::uint64_t kTriangles = 4, kTriangleFan = 6;  // primitive modes; 5 is a strip

struct ComponentType {
  std::uint64_t code;
  std::size_t size;
};
constexpr ComponentType kUnsignedByte{5121, 1}, kUnsignedShort{5123, 2}, kUnsignedInt{5125, 4},
    kFloat{5126, 4};

void set(Value& table, std::string_view key, std::uint64_t number) {
  table[key].data = static_cast<std::int64_t>(number);
}

class GltfFence {
 public:
  GltfFence(std::string_view bytes, const std::string& source,
            const std::optional<std::filesystem::path>& folder)
      : source_(source), file_(open_gltf(bytes, source, folder)) {}

  std::string glb() {
    copy_scene();
    if (out_meshes_.empty()) fail("the scene shows no triangles", "export at least one mesh of triangles");
    Value out;
    out["asset"]["version"].data = std::string("2.0");
    set(out, "scene", 0);
    Value scene;
    scene["nodes"].data = std::move(out_roots_);
    out["scenes"].data = ValueArray{scene};
    out["nodes"].data = std::move(out_nodes_);
    out["meshes"].data = std::move(out_meshes_);
    out["accessors"].data = std::move(out_accessors_);
    out["bufferViews"].data = std::move(out_views_);
    Value buffer;
    set(buffer, "byteLength", blob_.size());
    out["buffers"].data = ValueArray{buffer};
    return make_glb(to_json(out, 0), std::move(blob_));
  }

 private:
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy = Scanner::kDamaged) const {
    throw InputError(SourceLocation{source_}, problem, remedy);
  }
  const ValueArray& array(const Value& table, std::string_view key) const {
    return gltf_array(table, key, source_);
  }
  std::uint64_t whole(const Value& table, std::string_view key, std::uint64_t limit,
                      std::optional<std::uint64_t> otherwise = {}) const {
    return gltf_whole(table, key, limit, otherwise, source_);
  }
  std::vector<std::uint64_t> indices_in(const Value& table, std::string_view key, std::uint64_t limit) const {
    std::vector<std::uint64_t> indices;
    for (const Value& element : array(table, key)) {
      const auto* number = std::get_if<std::int64_t>(&element.data);
      if (!number || *number < 0 || static_cast<std::uint64_t>(*number) >= limit)
        fail("'" + std::string(key) + "' names something that does not exist");
      indices.push_back(static_cast<std::uint64_t>(*number));
    }
    return indices;
  }

  // ---- nodes: a forest, copied level by level ----
  std::vector<std::uint64_t> root_nodes(std::size_t node_count) const {
    const ValueArray& scenes = array(file_.json, "scenes");
    if (!scenes.empty())
      return indices_in(scenes[whole(file_.json, "scene", scenes.size(), 0)], "nodes", node_count);
    std::vector<bool> is_child(node_count, false);
    for (const Value& node : array(file_.json, "nodes"))
      for (const std::uint64_t child : indices_in(node, "children", node_count)) is_child[child] = true;
    std::vector<std::uint64_t> roots;
    for (std::uint64_t i = 0; i < node_count; ++i)
      if (!is_child[i]) roots.push_back(i);
    return roots;
  }

  void copy_scene() {
    const ValueArray& nodes = array(file_.json, "nodes");
    out_mesh_of_.assign(array(file_.json, "meshes").size(), kNotCopied);
    std::vector<bool> seen(nodes.size(), false);
    std::vector<std::uint64_t> level = root_nodes(nodes.size());
    for (std::size_t i = 0; i < level.size(); ++i) {
      out_roots_.emplace_back();
      out_roots_.back().data = static_cast<std::int64_t>(i);
    }
    for (std::size_t depth = 0; !level.empty(); ++depth) {
      if (depth == kDeepest)
        fail("the nodes are nested too deeply", "flatten the hierarchy and export again");
      std::vector<std::uint64_t> next;
      const std::size_t next_begin = out_nodes_.size() + level.size();
      for (const std::uint64_t index : level) {
        if (seen[index]) fail("node " + std::to_string(index) + " has two parents or is its own ancestor");
        seen[index] = true;
        out_nodes_.push_back(copy_node(nodes[index]));
        ValueArray children;
        for (const std::uint64_t child : indices_in(nodes[index], "children", nodes.size())) {
          children.emplace_back();
          children.back().data = static_cast<std::int64_t>(next_begin + next.size());
          next.push_back(child);
        }
        if (!children.empty()) out_nodes_.back()["children"].data = std::move(children);
      }
      level = std::move(next);
    }
  }

  Value copy_node(const Value& node) {
    Value copy;
    copy.data = ValueTable{};
    copy_numbers(node, copy, "matrix", 16);
    if (!copy.find("matrix")) {
      copy_numbers(node, copy, "translation", 3);
      copy_numbers(node, copy, "rotation", 4);
      copy_numbers(node, copy, "scale", 3);
    }
    if (node.find("mesh")) {
      const std::uint64_t mesh = copy_mesh(whole(node, "mesh", out_mesh_of_.size()));
      if (mesh != kEmptyMesh) set(copy, "mesh", mesh);
    }
    return copy;
  }

  void copy_numbers(const Value& from, Value& to, std::string_view key, std::size_t count) const {
    if (!from.find(key)) return;
    const ValueArray& numbers = array(from, key);
    bool good = numbers.size() == count;
    for (const Value& number : numbers) good = good && number.is_number() && std::abs(number.number()) < 1e30;
    if (!good)
      fail("'" + std::string(key) + "' of a node must be " + std::to_string(count) + " finite numbers");
    to[key].data = numbers;
  }

  // ---- meshes ----
  // Number of the copied mesh; meshes without triangles vanish. Instances count each time.
  std::uint64_t copy_mesh(std::uint64_t index) {
    if (out_mesh_of_[index] == kNotCopied) {
      const std::uint64_t elements_before = elements_;
      ValueArray primitives;
      for (const Value& primitive : array(array(file_.json, "meshes")[index], "primitives"))
        copy_primitive(primitive, primitives);
      elements_of_.resize(out_mesh_of_.size(), 0);
      elements_of_[index] = elements_ - elements_before;
      out_mesh_of_[index] = primitives.empty() ? kEmptyMesh : out_meshes_.size();
      if (!primitives.empty()) out_meshes_.emplace_back()["primitives"].data = std::move(primitives);
    } else {
      count_elements(elements_of_[index]);
    }
    return out_mesh_of_[index];
  }

  void count_elements(std::uint64_t count) {
    elements_ += count;
    if (elements_ > kMaxElements)
      fail("the file holds more than 50 million vertices", "export a coarser mesh");
  }

  void copy_primitive(const Value& primitive, ValueArray& primitives) {
    const std::uint64_t mode = whole(primitive, "mode", 7, kTriangles);
    if (mode < kTriangles || mode > kTriangleFan) return;  // points and lines
    const Value* attributes = primitive.find("attributes");
    if (!attributes || !attributes->find("POSITION")) fail("a mesh has no POSITION");
    const std::uint64_t vertices = copy_positions(*attributes);
    const bool indexed = primitive.find("indices") != nullptr;
    const std::uint64_t corners = indexed ? copy_indices(primitive, vertices) : vertices;
    if (corners < 3 || (mode == kTriangles && corners % 3 != 0))
      fail("a mesh's number of indices does not make whole triangles");
    Value copy;
    set(copy, "mode", mode);
    set(copy["attributes"], "POSITION", out_accessors_.size() - (indexed ? 2 : 1));
    if (indexed) set(copy, "indices", out_accessors_.size() - 1);
    primitives.push_back(std::move(copy));
  }

  // ---- accessors ----
  struct Slice {
    std::string_view bytes;
    std::size_t count, stride;
    std::uint64_t component_type;
  };

  Slice slice(const Value& table, std::string_view key, std::string_view type) {
    const ValueArray& accessors = array(file_.json, "accessors");
    const ValueArray& views = array(file_.json, "bufferViews");
    const Value& accessor = accessors[whole(table, key, accessors.size())];
    const Value* type_name = accessor.find("type");
    if (!type_name || !std::holds_alternative<std::string>(type_name->data) ||
        std::get<std::string>(type_name->data) != type)
      fail("the accessor of " + std::string(key) + " must be of type " + std::string(type));
    if (accessor.find("sparse")) fail("sparse accessors are not supported", "export without sparse data");
    const std::uint64_t code = whole(accessor, "componentType", 10000);
    std::size_t size = 0;
    for (const ComponentType& known : {kUnsignedByte, kUnsignedShort, kUnsignedInt, kFloat})
      if (known.code == code) size = known.size;
    if (size == 0 || (type == "VEC3") != (code == kFloat.code))
      fail("the accessor of " + std::string(key) + " has an unsupported componentType");
    if (type == "VEC3") size *= 3;

    const Value& view = views[whole(accessor, "bufferView", views.size())];
    const std::string& buffer = file_.buffers[whole(view, "buffer", file_.buffers.size())];
    const std::uint64_t view_offset = whole(view, "byteOffset", kAny, 0);
    const std::uint64_t view_length = whole(view, "byteLength", kAny);
    const std::uint64_t stride = whole(view, "byteStride", 253, size);
    const std::uint64_t offset = whole(accessor, "byteOffset", kAny, 0);
    const std::uint64_t count = whole(accessor, "count", kAny);
    if (count == 0 || stride < size || view_offset + view_length > buffer.size() ||
        count > view_length / stride + 1 || offset + (count - 1) * stride + size > view_length)
      fail("the accessor of " + std::string(key) + " does not fit into its buffer");
    count_elements(count);
    return {std::string_view(buffer).substr(view_offset + offset), static_cast<std::size_t>(count),
            static_cast<std::size_t>(stride), code};
  }

  std::uint64_t copy_positions(const Value& attributes) {
    const Slice from = slice(attributes, "POSITION", "VEC3");
    const std::size_t begin = blob_.size();
    NonFinite broken;
    for (std::size_t i = 0; i < from.count; ++i) {
      Scanner in(from.bytes.substr(i * from.stride, 12), source_);
      for (int k = 0; k < 3; ++k) broken.see(i, static_cast<double>(in.raw<float>()));
      blob_ += from.bytes.substr(i * from.stride, 12);
    }
    if (broken.any()) fail("in a mesh " + broken.problem(), NonFinite::kRemedy);
    add_accessor(begin, from.count, kFloat.code, "VEC3");
    return from.count;
  }

  std::uint64_t copy_indices(const Value& primitive, std::uint64_t vertices) {
    const Slice from = slice(primitive, "indices", "SCALAR");
    const std::size_t begin = blob_.size();
    for (std::size_t i = 0; i < from.count; ++i) {
      Scanner in(from.bytes.substr(i * from.stride, 4), source_);
      const std::uint32_t index = from.component_type == kUnsignedByte.code    ? in.raw<std::uint8_t>()
                                  : from.component_type == kUnsignedShort.code ? in.raw<std::uint16_t>()
                                                                               : in.raw<std::uint32_t>();
      if (index >= vertices)
        fail("a mesh uses vertex " + std::to_string(index) + ", but has " + std::to_string(vertices));
      for (int shift = 0; shift < 32; shift += 8) blob_ += static_cast<char>(index >> shift & 0xff);
    }
    add_accessor(begin, from.count, kUnsignedInt.code, "SCALAR");
    return from.count;
  }

  void add_accessor(std::size_t begin, std::size_t count, std::uint64_t component_type, std::string type) {
    Value& view = out_views_.emplace_back();
    set(view, "buffer", 0);
    set(view, "byteOffset", begin);
    set(view, "byteLength", blob_.size() - begin);
    Value& accessor = out_accessors_.emplace_back();
    set(accessor, "bufferView", out_views_.size() - 1);
    set(accessor, "componentType", component_type);
    set(accessor, "count", count);
    accessor["type"].data = std::move(type);
  }

  static constexpr std::uint64_t kNotCopied = ~std::uint64_t{0}, kEmptyMesh = kNotCopied - 1;

  std::string source_;
  GltfFile file_;
  ValueArray out_roots_, out_nodes_, out_meshes_, out_accessors_, out_views_;
  std::string blob_;
  std::vector<std::uint64_t> out_mesh_of_, elements_of_;
  std::uint64_t elements_ = 0;
};

}  // namespace

std::string geometry_only_glb(std::string_view bytes, const std::string& source,
                              const std::optional<std::filesystem::path>& folder) {
  return GltfFence(bytes, source, folder).glb();
}

}  // namespace selkie::io::detail
