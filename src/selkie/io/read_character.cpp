// See read_character.h. [glTF 2.0 §3.5 … §3.11]
#include "selkie/io/read_character.h"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <map>

#include "selkie/core/error.h"
#include "selkie/io/detail/gltf_container.h"
#include "selkie/io/detail/mesh_parts.h"
#include "selkie/io/detail/scanner.h"
#include "selkie/io/read_toml.h"

namespace selkie::io {
namespace {

constexpr std::uint64_t kAny = std::uint64_t{1} << 40;
constexpr std::uint64_t kByte = 5121, kShort = 5123, kInt = 5125, kFloat = 5126;

class CharacterReader {
 public:
  CharacterReader(std::string_view bytes, const std::string& source,
                  const std::optional<std::filesystem::path>& folder)
      : source_(source), file_(detail::open_gltf(bytes, source, folder)) {}

  geometry::Figure read() {
    read_nodes();
    read_skin();
    read_clips();
    return std::move(made_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem,
                         const std::string& remedy = "export the file again") const {
    throw InputError(SourceLocation{source_}, problem, remedy);
  }
  const ValueArray& array(const Value& table, std::string_view key) const {
    return detail::gltf_array(table, key, source_);
  }
  std::uint64_t whole(const Value& table, std::string_view key, std::uint64_t limit,
                      std::optional<std::uint64_t> otherwise = {}) const {
    return detail::gltf_whole(table, key, limit, otherwise, source_);
  }
  std::string text(const Value& table, std::string_view key, const std::string& otherwise) const {
    const Value* value = table.find(key);
    return value && std::holds_alternative<std::string>(value->data) ? std::get<std::string>(value->data)
                                                                     : otherwise;
  }

  // ---- accessors ----
  std::size_t size_of(std::uint64_t code) const {
    if (code == kByte) return 1;
    if (code == kShort) return 2;
    if (code == kInt || code == kFloat) return 4;
    fail("an accessor has an unsupported componentType");
  }
  // All numbers of an accessor with `components` per element; normalised integers become 0 … 1.
  // `index` asks for plain whole numbers: a float may be negative or lie between two joints.
  std::vector<double> numbers(const Value& table, std::string_view key, std::size_t components,
                              bool index = false) const {
    static const std::map<std::string, std::size_t> kTypes{
        {"SCALAR", 1}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
    const ValueArray &accessors = array(file_.json, "accessors"), &views = array(file_.json, "bufferViews");
    const Value& accessor = accessors[whole(table, key, accessors.size())];
    const auto type = kTypes.find(text(accessor, "type", ""));
    if (type == kTypes.end() || type->second != components || accessor.find("sparse"))
      fail("the accessor of " + std::string(key) + " is not of the type it must have, or sparse");
    const std::uint64_t code = whole(accessor, "componentType", 10000);
    const std::size_t one = size_of(code), size = one * components;
    const Value& view = views[whole(accessor, "bufferView", views.size())];
    const std::string& buffer = file_.buffers[whole(view, "buffer", file_.buffers.size())];
    const std::uint64_t view_offset = whole(view, "byteOffset", kAny, 0),
                        view_length = whole(view, "byteLength", kAny);
    const std::uint64_t stride = whole(view, "byteStride", 253, size),
                        offset = whole(accessor, "byteOffset", kAny, 0);
    const std::uint64_t count = whole(accessor, "count", kAny);
    if (count == 0 || stride < size || view_offset + view_length > buffer.size() ||
        count > view_length / stride + 1 || offset + (count - 1) * stride + size > view_length)
      fail("the accessor of " + std::string(key) + " does not fit into its buffer");
    const Value* flag = accessor.find("normalized");
    const bool normalised = flag && std::holds_alternative<bool>(flag->data) && std::get<bool>(flag->data);
    if (index && (code == kFloat || normalised))
      fail("the accessor of " + std::string(key) + " does not hold whole numbers");
    std::vector<double> values;
    values.reserve(count * components);
    for (std::uint64_t i = 0; i < count; ++i) {
      detail::Scanner in(std::string_view(buffer).substr(view_offset + offset + i * stride, size), source_);
      for (std::size_t k = 0; k < components; ++k) {
        double value = 0;
        if (code == kFloat) value = static_cast<double>(in.raw<float>());
        if (code == kByte) value = in.raw<std::uint8_t>() / (normalised ? 255.0 : 1.0);
        if (code == kShort) value = in.raw<std::uint16_t>() / (normalised ? 65535.0 : 1.0);
        if (code == kInt) value = in.raw<std::uint32_t>();
        if (!std::isfinite(value)) fail("a number of " + std::string(key) + " is not finite");
        values.push_back(value);
      }
    }
    return values;
  }

  // ---- nodes: every one a joint, parents first ----
  std::vector<double> floats(const Value& node, std::string_view key, std::vector<double> otherwise) const {
    if (!node.find(key)) return otherwise;
    const ValueArray& given = array(node, key);
    if (given.size() != otherwise.size()) fail("'" + std::string(key) + "' of a node has a wrong length");
    std::vector<double> values;
    for (const Value& number : given) {
      if (!number.is_number() || !(std::abs(number.number()) < 1e30)) fail("a node's numbers must be finite");
      values.push_back(number.number());
    }
    return values;
  }
  geometry::JointPose rest_pose(const Value& node) const {
    if (node.find("matrix")) {
      const std::vector<double> m = floats(node, "matrix", std::vector<double>(16, 0));
      Eigen::Affine3d affine;
      for (int c = 0; c < 4; ++c)
        for (int r = 0; r < 3; ++r) affine.matrix()(r, c) = m[static_cast<std::size_t>(4 * c + r)];
      Mat3 rotation, scaling;
      affine.computeRotationScaling(&rotation, &scaling);
      return {affine.translation(), Quat(rotation), scaling.diagonal()};
    }
    const auto t = floats(node, "translation", {0, 0, 0}), s = floats(node, "scale", {1, 1, 1}),
               r = floats(node, "rotation", {0, 0, 0, 1});
    return {Vec3(t[0], t[1], t[2]), rotation_of(Quat(r[3], r[0], r[1], r[2])), Vec3(s[0], s[1], s[2])};
  }
  // Of unit length; no rotation where the file gives zeros.
  static Quat rotation_of(const Quat& q) { return q.norm() > 0 ? q.normalized() : Quat::Identity(); }
  void read_nodes() {
    const ValueArray& nodes = array(file_.json, "nodes");
    std::vector<std::int64_t> parent(nodes.size(), -1);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (const Value& element : array(nodes[i], "children")) {
        const auto* child = std::get_if<std::int64_t>(&element.data);
        if (!child || *child < 0 || static_cast<std::size_t>(*child) >= nodes.size() ||
            parent[static_cast<std::size_t>(*child)] >= 0)
          fail("the nodes do not form a tree");
        parent[static_cast<std::size_t>(*child)] = static_cast<std::int64_t>(i);
      }
    joint_of_.assign(nodes.size(), -1);
    // Level by level: a node follows once its parent stands.
    for (std::size_t placed = 0; placed < nodes.size();) {
      const std::size_t before = placed;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (joint_of_[i] >= 0 || (parent[i] >= 0 && joint_of_[static_cast<std::size_t>(parent[i])] < 0))
          continue;
        const std::int32_t above = parent[i] < 0 ? -1 : joint_of_[static_cast<std::size_t>(parent[i])];
        joint_of_[i] = static_cast<std::int32_t>(made_.skeleton.joints.size());
        made_.skeleton.joints.push_back(
            {text(nodes[i], "name", "node-" + std::to_string(i)), above, rest_pose(nodes[i])});
        ++placed;
      }
      if (placed == before) fail("a node is its own ancestor");
    }
    made_.skeleton.bind.assign(nodes.size(), Eigen::Affine3d::Identity());
  }

  // ---- mesh and skin ----
  void read_skin() {
    const ValueArray &nodes = array(file_.json, "nodes"), &skins = array(file_.json, "skins"),
                     &meshes = array(file_.json, "meshes");
    const auto at = std::find_if(nodes.begin(), nodes.end(),
                                 [](const Value& n) { return n.find("mesh") && n.find("skin"); });
    if (at == nodes.end())
      fail("the file has no mesh with a skeleton", "export the mesh with its armature (skin)");
    const Value& skin = skins[whole(*at, "skin", skins.size())];
    std::vector<std::uint32_t> joints;
    for (const Value& element : array(skin, "joints")) {
      const auto* node = std::get_if<std::int64_t>(&element.data);
      if (!node || *node < 0 || static_cast<std::size_t>(*node) >= nodes.size())
        fail("a skin names a joint that does not exist");
      joints.push_back(static_cast<std::uint32_t>(joint_of_[static_cast<std::size_t>(*node)]));
    }
    if (skin.find("inverseBindMatrices")) {
      const std::vector<double> m = numbers(skin, "inverseBindMatrices", 16);
      if (m.size() < 16 * joints.size()) fail("a skin has fewer matrices than joints");
      for (std::size_t j = 0; j < joints.size(); ++j)
        for (int c = 0; c < 4; ++c)
          for (int r = 0; r < 3; ++r)
            made_.skeleton.bind[joints[j]].matrix()(r, c) = m[16 * j + static_cast<std::size_t>(4 * c + r)];
    }
    const Value& mesh = meshes[whole(*at, "mesh", meshes.size())];
    for (const Value& primitive : array(mesh, "primitives")) read_primitive(primitive, joints);
    detail::require_readable(made_.mesh, source_);
    weld_with_skin();
  }
  void read_primitive(const Value& primitive, const std::vector<std::uint32_t>& joints) {
    if (whole(primitive, "mode", 7, 4) != 4)
      fail("a mesh is not made of plain triangles", "triangulate it and export again");
    const Value* attributes = primitive.find("attributes");
    if (!attributes || !attributes->find("POSITION") || !attributes->find("JOINTS_0") ||
        !attributes->find("WEIGHTS_0"))
      fail("a mesh lacks positions, joints or weights", "export the mesh with its armature (skin)");
    const std::vector<double> x = numbers(*attributes, "POSITION", 3),
                              j = numbers(*attributes, "JOINTS_0", 4, true),
                              w = numbers(*attributes, "WEIGHTS_0", 4);
    const std::size_t count = x.size() / 3, first = made_.mesh.positions.size();
    if (j.size() != 4 * count || w.size() != 4 * count) fail("a mesh has not as many weights as vertices");
    for (std::size_t v = 0; v < count; ++v) {
      made_.mesh.positions.emplace_back(x[3 * v], x[3 * v + 1], x[3 * v + 2]);
      geometry::SkinWeight skin;
      double sum = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        const auto joint = static_cast<std::size_t>(j[4 * v + k]);
        if (joint >= joints.size() || w[4 * v + k] < 0)
          fail("vertex " + std::to_string(v) + " follows a joint that does not exist");
        skin.joints[k] = joints[joint], skin.weights[k] = w[4 * v + k], sum += skin.weights[k];
      }
      if (!(sum > 0)) skin.weights = {1, 0, 0, 0}, sum = 1;
      for (double& weight : skin.weights) weight /= sum;
      made_.skin.push_back(skin);
    }
    std::vector<double> indices;
    if (primitive.find("indices"))
      indices = numbers(primitive, "indices", 1, true);
    else
      for (std::size_t v = 0; v < count; ++v) indices.push_back(static_cast<double>(v));
    if (indices.size() % 3 != 0) fail("a mesh's number of indices does not make whole triangles");
    for (std::size_t t = 0; t + 2 < indices.size(); t += 3) {
      geometry::Triangle triangle;
      for (std::size_t c = 0; c < 3; ++c) {
        if (indices[t + c] >= static_cast<double>(count)) fail("a mesh uses a vertex that it does not have");
        triangle[c] = static_cast<std::uint32_t>(first + static_cast<std::size_t>(indices[t + c]));
      }
      made_.mesh.triangles.push_back(triangle);
    }
  }
  // Of vertices at one place the first keeps its weights.
  void weld_with_skin() {
    std::map<std::array<double, 3>, geometry::SkinWeight> at;
    for (std::size_t v = 0; v < made_.mesh.positions.size(); ++v) {
      const Vec3& p = made_.mesh.positions[v];
      at.try_emplace({p.x(), p.y(), p.z()}, made_.skin[v]);
    }
    detail::weld(made_.mesh);
    made_.skin.clear();
    for (const Vec3& p : made_.mesh.positions) made_.skin.push_back(at.at({p.x(), p.y(), p.z()}));
  }

  // ---- clips ----
  void read_clips() {
    const ValueArray& animations = array(file_.json, "animations");
    for (std::size_t a = 0; a < animations.size(); ++a) {
      geometry::Clip clip{text(animations[a], "name", "clip-" + std::to_string(a)), 0, {}};
      const ValueArray& samplers = array(animations[a], "samplers");
      for (const Value& channel : array(animations[a], "channels")) {
        const Value* target = channel.find("target");
        if (!target || !target->find("node")) continue;
        const Value& sampler = samplers[whole(channel, "sampler", samplers.size())];
        add_channel(sampler, text(*target, "path", ""), joint_of_[whole(*target, "node", joint_of_.size())],
                    clip);
      }
      made_.skeleton.clips.push_back(std::move(clip));
    }
  }
  void add_channel(const Value& sampler, const std::string& path, std::int32_t joint, geometry::Clip& clip) {
    if (path != "translation" && path != "rotation" && path != "scale") return;  // weights of morph targets
    const std::vector<double> times = numbers(sampler, "input", 1);
    const std::size_t width = path == "rotation" ? 4 : 3;
    const std::vector<double> values = numbers(sampler, "output", width);
    const bool cubic = text(sampler, "interpolation", "LINEAR") == "CUBICSPLINE";
    const std::size_t per_key = cubic ? 3 : 1;  // tangents before and after each value
    if (values.size() != times.size() * width * per_key || !std::is_sorted(times.begin(), times.end()))
      fail("an animation has not one value per key, or its times do not ascend");
    geometry::Channel& channel = clip.channels.emplace_back();
    channel.joint = static_cast<std::uint32_t>(joint);
    for (std::size_t k = 0; k < times.size(); ++k) {
      const double* v = &values[(k * per_key + (cubic ? 1 : 0)) * width];
      if (path == "translation")
        channel.translation_times.push_back(times[k]), channel.translations.emplace_back(v[0], v[1], v[2]);
      if (path == "scale")
        channel.scale_times.push_back(times[k]), channel.scales.emplace_back(v[0], v[1], v[2]);
      if (path == "rotation")
        channel.rotation_times.push_back(times[k]),
            channel.rotations.push_back(rotation_of(Quat(v[3], v[0], v[1], v[2])));
    }
    clip.duration = std::max(clip.duration, times.back());
  }

  std::string source_;
  detail::GltfFile file_;
  geometry::Figure made_;
  std::vector<std::int32_t> joint_of_;  // of each node
};

}  // namespace

geometry::Figure read_character(const std::filesystem::path& path) {
  const std::string bytes = read_text_file(path);
  return CharacterReader(bytes, path.string(), path.parent_path()).read();
}

geometry::Figure parse_character(std::string_view bytes, const std::string& source) {
  return CharacterReader(bytes, source, std::nullopt).read();
}

}  // namespace selkie::io
