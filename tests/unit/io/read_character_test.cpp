// Characters from glTF: mesh, weights, bones and clips; damage is refused.
#include "selkie/io/read_character.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numbers>

#include "selkie/core/error.h"

namespace selkie::io {
namespace {

std::string base64(const std::string& bytes) {
  const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (int k = 0; k < 4; ++k)
      text += i + static_cast<std::size_t>(k) <= bytes.size() ? digits[word >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

template <class T>
std::string raw(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// A tetrahedron; its tip at (2, 0, 0) hangs on the second bone, which turns by 90° in one second.
std::string arm(const std::string& joint_bytes = raw<std::uint8_t>({0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0,
                                                                    0, 0}),
                const std::string& skin = R"("skin":0,)") {
  const float h = static_cast<float>(std::sqrt(0.5));
  const std::vector<std::string> parts{
      raw<float>({0, 0, 0, 0, 1, 0, 0, 0, 1, 2, 0, 0}),              // positions
      joint_bytes,                                                   // joints
      raw<float>({1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}),  // weights
      raw<std::uint16_t>({0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3}),      // triangles
      raw<float>({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0,  0, 0, 1,   // bind
                  1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1, 0, 0, 1}),
      raw<float>({0, 1}),                     // times
      raw<float>({0, 0, 0, 1, 0, 0, h, h})};  // rotations
  std::string blob, views;
  for (const std::string& part : parts) {
    views += (views.empty() ? "" : ",") + std::string(R"({"buffer":0,"byteOffset":)") +
             std::to_string(blob.size()) + R"(,"byteLength":)" + std::to_string(part.size()) + "}";
    blob += part;
  }
  auto accessor = [](int view, int type, int count, const char* kind) {
    return R"({"bufferView":)" + std::to_string(view) + R"(,"componentType":)" + std::to_string(type) +
           R"(,"count":)" + std::to_string(count) + R"(,"type":")" + kind + R"("})";
  };
  return R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,1]}],"nodes":[{"mesh":0,)" + skin +
         R"("name":"body"},{"name":"upper","children":[2]},{"name":"lower","translation":[1,0,0]}],)"
         R"("skins":[{"joints":[1,2],"inverseBindMatrices":4}],)"
         R"("meshes":[{"primitives":[{"attributes":{"POSITION":0,"JOINTS_0":1,"WEIGHTS_0":2},"indices":3}]}],)"
         R"("animations":[{"name":"bend","samplers":[{"input":5,"output":6}],"channels":[{"sampler":0,"target":{"node":2,"path":"rotation"}}]}],)"
         R"("accessors":[)" +
         accessor(0, 5126, 4, "VEC3") + "," + accessor(1, 5121, 4, "VEC4") + "," +
         accessor(2, 5126, 4, "VEC4") + "," + accessor(3, 5123, 12, "SCALAR") + "," +
         accessor(4, 5126, 2, "MAT4") + "," + accessor(5, 5126, 2, "SCALAR") + "," +
         accessor(6, 5126, 2, "VEC4") + R"(],"bufferViews":[)" + views + R"(],"buffers":[{"byteLength":)" +
         std::to_string(blob.size()) + R"(,"uri":"data:application/octet-stream;base64,)" + base64(blob) +
         R"("}]})";
}

TEST(ReadCharacter, BringsMeshBonesAndClips) {
  const geometry::Figure made = parse_character(arm(), "arm.gltf");
  ASSERT_EQ(made.mesh.positions.size(), 4u);
  EXPECT_EQ(made.mesh.triangles.size(), 4u);
  ASSERT_EQ(made.skeleton.clips.size(), 1u);
  EXPECT_EQ(made.skeleton.clips[0].name, "bend");
  EXPECT_DOUBLE_EQ(made.skeleton.clips[0].duration, 1);
  geometry::SkeletonWork work;
  std::vector<Vec3> moved(4);
  geometry::blend(made.skeleton, {}, 0, work);
  geometry::skin_positions(made.skin, made.mesh.positions, work, moved);
  EXPECT_NEAR((moved[3] - Vec3(2, 0, 0)).norm(), 0, 1e-12);
  geometry::blend(made.skeleton, std::vector<double>{1}, 1 - 1e-9, work);
  geometry::skin_positions(made.skin, made.mesh.positions, work, moved);
  EXPECT_NEAR((moved[3] - Vec3(1, 1, 0)).norm(), 0, 1e-6);
  EXPECT_NEAR((moved[1] - Vec3(0, 1, 0)).norm(), 0, 1e-12);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ReadCharacter, RefusesJointsThatAreNotWholeNumbers) {
  // The weights, floats 1 and 0, in place of the joints; and bytes that stand for 0 … 1.
  EXPECT_THROW(parse_character(replaced(arm(), R"("JOINTS_0":1)", R"("JOINTS_0":2)"), "x"), InputError);
  EXPECT_THROW(
      parse_character(replaced(arm(), R"("componentType":5121)", R"("normalized":true,"componentType":5121)"),
                      "x"),
      InputError);
}

TEST(ReadCharacter, TakesARotationOfZerosForNone) {
  // The second bone's one key is read from four zeros in a row: inside the first bind matrix.
  const std::string zeros =
      replaced(replaced(arm(), R"({"bufferView":6,)", R"({"bufferView":4,"byteOffset":4,)"),
               R"("count":2,"type":"VEC4")", R"("count":1,"type":"VEC4")");
  const geometry::Figure made =
      parse_character(replaced(zeros, R"("count":2,"type":"SCALAR")", R"("count":1,"type":"SCALAR")"), "x");
  for (const geometry::Channel& channel : made.skeleton.clips.at(0).channels)
    for (const Quat& rotation : channel.rotations)
      EXPECT_NEAR(rotation.norm(), 1, 1e-14);  // a division by its own length: a few roundings
}

TEST(ReadCharacter, RefusesWhatItCannotFollow) {
  EXPECT_THROW(parse_character(arm(raw<std::uint8_t>({0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 9, 0, 0, 0})), "x"),
               InputError);
  EXPECT_THROW(parse_character(arm(raw<std::uint8_t>({0, 1, 0, 0})), "x"), InputError) << "too few joints";
  EXPECT_THROW(
      parse_character(arm(raw<std::uint8_t>({0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0}), ""), "x"),
      InputError)
      << "no skin";
  const std::string whole = arm();
  for (std::size_t cut = 10; cut < whole.size(); cut += 37)
    EXPECT_THROW(parse_character(whole.substr(0, cut), "x"), InputError);
}

}  // namespace
}  // namespace selkie::io
