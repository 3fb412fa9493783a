// Frames as a page reads them: every kind of drawable, and what is left out when a connection has it already.
#include "selkie/view/encode.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "decode.h"

namespace selkie::view {
namespace {

const std::vector<Vec3> kPoints{{0, 1, 2}, {0.1, -5, 1e3}, {3, 3, 3}, {-1, 0, 0.25}};
const std::vector<std::array<std::uint32_t, 3>> kTriangles{{0, 1, 2}, {0, 2, 3}, {1, 2, 3}};
const std::vector<std::array<std::uint32_t, 2>> kLines{{0, 1}, {1, 3}};

ports::Drawable drawable(std::string name, decltype(ports::Drawable::shape) shape) {
  ports::Drawable d;
  d.name = std::move(name);
  d.shape = std::move(shape);
  return d;
}

DecodedFrame round_trip(ShotMaker& maker, FrameStream& stream, std::span<const ports::Drawable> drawables) {
  const std::shared_ptr<Shot> shot = maker.begin();
  for (const ports::Drawable& d : drawables) maker.add(*shot, "body", d);
  const FrameMessage message = stream.next(shot);
  const std::string bytes = flat(message);
  EXPECT_EQ(bytes.size(), message.bytes());
  return decode(bytes);
}

DecodedFrame round_trip(const ports::Drawable& d) {
  ShotMaker maker;
  FrameStream stream;
  return round_trip(maker, stream, std::span(&d, 1));
}

void expect_points(const std::vector<float>& got, std::span<const Vec3> wanted) {
  ASSERT_EQ(got.size(), 3 * wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    for (int k = 0; k < 3; ++k)
      EXPECT_EQ(got[3 * i + static_cast<std::size_t>(k)], static_cast<float>(wanted[i][k]));
}

TEST(Encode, TrianglesCarryPositionsIndicesAndAttributesWithTheirRange) {
  const std::vector<double> velocity{3, 4, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}, strain{0.5, -0.25, 0, 1};
  ports::Drawable d = drawable(
      "cloth", ports::TriangleSurface{
                   kPoints, kTriangles, {{"velocity", "m/s", 3, velocity}, {"strain", "", 1, strain}}});
  d.look = ports::Look::glossy;
  const DecodedFrame frame = round_trip(d);
  const Value& part = frame.part(0);
  EXPECT_EQ(text_at(part, "name"), "cloth");
  EXPECT_EQ(text_at(part, "system"), "body");
  EXPECT_EQ(text_at(part, "kind"), "triangles");
  EXPECT_EQ(text_at(part, "look"), "glossy");
  expect_points(frame.array<float>(*part.find("positions")), kPoints);
  EXPECT_EQ(frame.array<std::uint32_t>(*part.find("triangles")),
            (std::vector<std::uint32_t>{0, 1, 2, 0, 2, 3, 1, 2, 3}));
  const ValueArray& attributes = part.find("attributes")->array();
  ASSERT_EQ(attributes.size(), 2u);
  EXPECT_EQ(attributes[0].find("max")->number(), 5);  // |(3, 4, 0)|
  EXPECT_EQ(attributes[0].find("min")->number(), 0);
  EXPECT_EQ(attributes[0].find("components")->number(), 3);
  EXPECT_EQ(attributes[1].find("min")->number(), -0.25);
  EXPECT_EQ(frame.array<float>(*attributes[1].find("values")), (std::vector<float>{0.5, -0.25, 0, 1}));
}

TEST(Encode, PointsAndCurvesCarryTheirRadius) {
  const DecodedFrame points = round_trip(drawable("drops", ports::Points{kPoints, 0.125, {}}));
  EXPECT_EQ(points.part(0).find("radius")->number(), 0.125);
  expect_points(points.array<float>(*points.part(0).find("positions")), kPoints);
  const DecodedFrame curves = round_trip(drawable("hair", ports::Curves{kPoints, kLines, 0.5, {}}));
  EXPECT_EQ(text_at(curves.part(0), "kind"), "curves");
  EXPECT_EQ(curves.part(0).find("radius")->number(), 0.5);
  EXPECT_EQ(curves.array<std::uint32_t>(*curves.part(0).find("lines")),
            (std::vector<std::uint32_t>{0, 1, 1, 3}));
}

TEST(Encode, VectorsAndHeightsComeBack) {
  const DecodedFrame vectors = round_trip(drawable("forces", ports::Vectors{"force", "N", kPoints, kPoints}));
  expect_points(vectors.array<float>(*vectors.part(0).find("values")), kPoints);
  EXPECT_EQ(text_at(vectors.part(0), "label"), "force");
  EXPECT_EQ(text_at(vectors.part(0), "unit"), "N");
  const std::vector<double> heights{0, 1, 2, 3, 4, 5};
  const DecodedFrame sea =
      round_trip(drawable("sea", ports::HeightSurface{Vec3(1, 2, 3), 0.5, {3, 2}, heights, {}}));
  EXPECT_EQ(text_at(sea.part(0), "kind"), "height");
  EXPECT_EQ(sea.part(0).find("samples")->array()[0].number(), 3);
  EXPECT_EQ(sea.part(0).find("spacing")->number(), 0.5);
  EXPECT_EQ(sea.array<float>(*sea.part(0).find("heights")), (std::vector<float>{0, 1, 2, 3, 4, 5}));
}

TEST(Encode, VolumesComeBackWithinHalfAQuantum) {
  std::vector<float> density(5 * 7 * 11);
  for (std::size_t i = 0; i < density.size(); ++i) density[i] = std::sin(static_cast<float>(i)) * 3 + 1;
  density[17] = std::numeric_limits<float>::quiet_NaN();
  density[18] = std::numeric_limits<float>::infinity();
  const ports::Volume volume{Vec3(0, 1, 0), 0.1, {5, 7, 11}, {{"density", "", 1, density}}};
  const DecodedFrame frame = round_trip(drawable("smoke", volume));
  const Value& part = frame.part(0);
  EXPECT_EQ(part.find("cells")->array()[2].number(), 11);
  EXPECT_EQ(part.find("cell_size")->number(), 0.1);
  const Value& field = part.find("fields")->array()[0];
  const double lo = field.find("min")->number(), hi = field.find("max")->number();
  const auto bytes = frame.array<std::uint8_t>(*field.find("values"));
  ASSERT_EQ(bytes.size(), density.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (!std::isfinite(density[i])) continue;
    // Half a step of 255, and the rounding of single precision.
    EXPECT_NEAR(lo + bytes[i] / 255.0 * (hi - lo), density[i], (hi - lo) / 510 + 1e-5);
  }
  EXPECT_EQ(bytes[17], 0);
  EXPECT_EQ(bytes[18], 255);
}

TEST(Encode, AVolumeOfOneValueAndEmptyArraysAreFine) {
  const std::vector<float> ones(8, 1.0f);
  const DecodedFrame flat_volume =
      round_trip(drawable("still", ports::Volume{Vec3::Zero(), 1, {2, 2, 2}, {{"t", "K", 1, ones}}}));
  const Value& field = flat_volume.part(0).find("fields")->array()[0];
  EXPECT_EQ(field.find("min")->number(), 1);
  EXPECT_EQ(flat_volume.array<std::uint8_t>(*field.find("values")), std::vector<std::uint8_t>(8, 0));
  const DecodedFrame none = round_trip(drawable("nothing", ports::TriangleSurface{{}, {}, {}}));
  EXPECT_EQ(none.part(0).find("positions")->find("count")->number(), 0);
}

TEST(Encode, TopologyIsSentOncePerConnectionAndAgainWhenItChanges) {
  ShotMaker maker;
  FrameStream first, second;
  const ports::Drawable mesh = drawable("cloth", ports::TriangleSurface{kPoints, kTriangles, {}});
  EXPECT_TRUE(round_trip(maker, first, std::span(&mesh, 1)).part(0).find("triangles"));
  EXPECT_FALSE(round_trip(maker, first, std::span(&mesh, 1)).part(0).find("triangles"));
  EXPECT_TRUE(round_trip(maker, second, std::span(&mesh, 1)).part(0).find("triangles"));

  const std::vector<std::array<std::uint32_t, 3>> torn{{0, 1, 2}, {0, 2, 3}, {1, 3, 2}};
  const ports::Drawable changed = drawable("cloth", ports::TriangleSurface{kPoints, torn, {}});
  const DecodedFrame frame = round_trip(maker, first, std::span(&changed, 1));
  ASSERT_TRUE(frame.part(0).find("triangles"));
  EXPECT_EQ(frame.array<std::uint32_t>(*frame.part(0).find("triangles"))[8], 2u);
  EXPECT_EQ(frame.header.find("frame_number")->number(), 3);

  // A part that was away has been forgotten by the page.
  EXPECT_EQ(round_trip(maker, first, {}).header.find("parts")->array().size(), 0u);
  EXPECT_TRUE(round_trip(maker, first, std::span(&changed, 1)).part(0).find("triangles"));
}

TEST(Encode, AShotInUseIsNeverWrittenAgain) {
  ShotMaker maker;
  const std::shared_ptr<Shot> kept = maker.begin();
  maker.add(*kept, "", drawable("a", ports::Points{kPoints, 0, {}}));
  const Shot* address = kept.get();
  const std::vector<std::byte> before(kept->payload.bytes().begin(), kept->payload.bytes().end());
  for (int i = 0; i < 5; ++i) {
    const std::shared_ptr<Shot> other = maker.begin();
    EXPECT_NE(other.get(), address);
    const std::vector<Vec3> others(100, Vec3::Constant(i));
    maker.add(*other, "", drawable("b", ports::Points{others, 0, {}}));
  }
  EXPECT_TRUE(std::equal(before.begin(), before.end(), kept->payload.bytes().begin()));
}

}  // namespace
}  // namespace selkie::view
