// Whole pictures: where things land, that bytes repeat, overlays, motion blur, and inputs that make no sense.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include "selkie/core/error.h"
#include "selkie/core/log.h"
#include "selkie/core/parallel.h"
#include "selkie/render/detail/colour_bar.h"
#include "selkie/render/detail/font.h"
#include "unit/render/pictures.h"

namespace selkie::render {
namespace {

using namespace test;

// Mean place of the pixels that differ from an empty picture.
struct Blot {
  double x = 0, y = 0;
  int left = 1 << 20, right = -1, count = 0;
};
Blot blot(const Picture& picture, const Picture& empty, int threshold = 30) {
  Blot result;
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x) {
      const auto i = static_cast<std::size_t>(y * picture.width + x);
      int difference = 0;
      for (std::size_t c = 0; c < 3; ++c) difference += std::abs(picture.pixels[i][c] - empty.pixels[i][c]);
      if (difference < threshold) continue;
      result.x += x + 0.5, result.y += y + 0.5, ++result.count;
      result.left = std::min(result.left, x), result.right = std::max(result.right, x);
    }
  result.x /= std::max(1, result.count), result.y /= std::max(1, result.count);
  return result;
}

ports::Drawable one_point(const std::vector<Vec3>& at, double radius) {
  ports::Drawable point{
      .name = "p", .look = ports::Look::matte, .colour = {0.1, 0.1, 0.1}, .backdrop = false, .shape = {}};
  point.shape = ports::Points{at, radius, {}};
  return point;
}

TEST(Camera, AKnownPointLandsOnAKnownPixel) {
  const std::vector<Vec3> at{{0.5, 0.3, -1}};
  const Settings settings = small(160, 120, 8);
  const ports::Camera camera = front_camera(4, 50);
  const Picture picture = render(std::array{one_point(at, 0.05)}, {}, camera, even_light(), settings);
  const Picture empty = render({}, {}, camera, even_light(), settings);
  const double pixels_per_tangent = 60 / std::tan(25 * std::numbers::pi / 180);
  const Blot found = blot(picture, empty);
  EXPECT_NEAR(found.x, 80 + 0.5 / 5 * pixels_per_tangent, 0.3);
  EXPECT_NEAR(found.y, 60 - 0.3 / 5 * pixels_per_tangent, 0.3);
}

TEST(Camera, TheAutomaticViewShowsEverythingAndWastesLittle) {
  for (const double aspect : {0.5, 1.0, 1.78}) {
    const Ball big({3, 1, -2}, 1), small_one({7, 0.2, 0}, 0.2);
    const std::array drawables{big.drawable("a", ports::Look::matte, Vec3::Zero()),
                               small_one.drawable("b", ports::Look::matte, Vec3::Zero())};
    const int height = 100, width = static_cast<int>(height * aspect);
    const ports::Camera camera = frame_camera(drawables, static_cast<double>(width) / height);
    const Settings settings = small(width, height, 4);
    const Blot found = blot(render(drawables, {}, camera, even_light(), settings),
                            render({}, {}, camera, even_light(), settings));
    EXPECT_GT(found.left, 0);
    EXPECT_LT(found.right, width - 1);
    EXPECT_GT(found.right - found.left, width / 3);
  }
}

TEST(Camera, TheAutomaticViewIgnoresBackdropAndStandsForNothingAtAll) {
  const Ball ball({0, 1, 0}, 1), far({0, 0, 0}, 500);
  ports::Drawable backdrop = far.drawable("floor", ports::Look::matte, Vec3::Ones());
  backdrop.backdrop = true;
  const auto one = ball.drawable("a", ports::Look::matte, Vec3::Ones());
  const ports::Camera with = frame_camera(std::array{one, backdrop}, 1),
                      without = frame_camera(std::array{one}, 1);
  EXPECT_EQ(with.position, without.position);
  EXPECT_TRUE(frame_camera(std::span<const ports::Drawable>{}, 1).position.allFinite());
}

// One of everything, so that every kind of ray is cast.
struct Everything {
  Ball glossy{{0, 0.5, 0}, 0.5}, glass{{1.2, 0.4, 0}, 0.4};
  std::vector<Vec3> dots{{-1, 0.2, 0}, {-1, 0.5, 0.3}, {-0.8, 0.9, 0}};
  std::vector<Vec3> strand{{-0.5, 1.5, 0}, {0, 1.3, 0}, {0.5, 1.4, 0}, {1, 1.2, 0}};
  std::vector<std::array<std::uint32_t, 2>> lines{{0, 1}, {1, 2}, {2, 3}};
  std::vector<float> density = std::vector<float>(12 * 12 * 12, 0.3f);
  std::vector<double> heights = std::vector<double>(36, 0.1);
  std::vector<ports::Drawable> drawables;

  Everything() {
    drawables.push_back(glossy.drawable("glossy", ports::Look::glossy, {0.7, 0.2, 0.2}));
    drawables.push_back(glass.drawable("glass", ports::Look::glass, {0.9, 1, 0.9}));
    add("dots", ports::Look::matte, ports::Points{dots, 0.1, {}});
    add("hair", ports::Look::hair, ports::Curves{strand, lines, 0.03, {}});
    ports::Volume volume{.origin = {-2, 0, -1}, .cell_size = 0.08, .cells = {12, 12, 12}, .fields = {}};
    volume.fields.push_back({"density", "", 1, density});
    volume.fields.push_back({"temperature", "", 1, density});
    add("fire", ports::Look::fire, volume);
    add("arrows", ports::Look::matte, ports::Vectors{"f", "N", strand, strand});
    add("water", ports::Look::water, ports::HeightSurface{{0, 0, 0.7}, 0.2, {6, 6}, heights, {}});
  }
  template <class Shape>
  void add(const std::string& name, ports::Look look, Shape shape) {
    drawables.push_back(
        {.name = name, .look = look, .colour = {0.6, 0.7, 0.8}, .backdrop = false, .shape = shape});
  }
  Picture picture(std::uint64_t seed, int samples = 4) const {
    Settings settings = small(128, 72, samples);
    settings.seed = seed;
    return render(drawables, {}, frame_camera(drawables, 16 / 9.), {}, settings);
  }
};

TEST(Picture, HasTheSameBytesForOneAndTwoThreadsAndAgain) {
  const Everything scene;
  set_thread_count(1);
  const Picture one = scene.picture(1);
  set_thread_count(2);
  const Picture two = scene.picture(1), again = scene.picture(1);
  set_thread_count(0);
  EXPECT_EQ(one.pixels, two.pixels);
  EXPECT_EQ(two.pixels, again.pixels);
}

TEST(Picture, AMeshOfManyTrianglesHasTheSameBytesForOneAndTwoThreads) {
  const Ball ball({0, 0.5, 0}, 0.5, 60);  // enough for Embree to build its tree in parallel, were it let
  const std::array drawables{ball.drawable("ball", ports::Look::matte, {0.5, 0.5, 0.5})};
  const Settings settings = small(160, 90, 4);
  auto picture = [&] { return render(drawables, {}, frame_camera(drawables, 16 / 9.), {}, settings); };
  set_thread_count(1);
  const Picture one = picture();
  set_thread_count(2);
  EXPECT_EQ(picture().pixels, one.pixels);
  set_thread_count(0);
}

TEST(Picture, AnotherSeedGivesOtherNoise) {
  const Everything scene;
  EXPECT_NE(scene.picture(1).pixels, scene.picture(2).pixels);
}

TEST(Picture, ATimeBudgetEndsEarlyAndTellsHowFarItCame) {
  const Everything scene;
  Settings settings = small(64, 36, 1 << 18);
  settings.time_budget = 0.3;
  const Picture picture = render(scene.drawables, {}, frame_camera(scene.drawables, 16 / 9.), {}, settings);
  EXPECT_GE(picture.samples, 1);
  EXPECT_LT(picture.samples, 1 << 18);
  EXPECT_LT(picture.seconds, 10);  // generous: the machine may be busy
}

TEST(Picture, MaterialsApplyByNameAndToTheSystemsOtherParts) {
  const Ball ball({0, 0.5, 0}, 0.5);
  ports::Material red;
  red.of = "water";
  red.colour = std::array{1.0, 0.0, 0.0};
  ports::Material green;
  green.of = "water-spray";
  green.colour = std::array{0.0, 1.0, 0.0};
  auto middle = [&](const std::string& name, std::vector<ports::Material> materials) {
    const std::array drawables{ball.drawable(name, ports::Look::matte, {0.5, 0.5, 0.5})};
    const Picture p = render(drawables, materials, frame_camera(drawables, 1), {}, small(9, 9, 4));
    return p.pixels[4 * 9 + 4];
  };
  EXPECT_GT(middle("water-spray", {red})[0], 2 * middle("water-spray", {red})[1]);
  EXPECT_GT(middle("water-spray", {green, red})[1], 2 * middle("water-spray", {green, red})[0]);
  EXPECT_EQ(middle("waterfall", {red}), middle("waterfall", {}));
}

TEST(MotionBlur, AStreakIsAsLongAsTheWayDuringTheShutter) {
  const std::vector<Vec3> at{{0, 0, 0}};
  const std::vector<double> velocity{12, 0, 0};
  ports::Drawable point = one_point(at, 0.1);
  std::get<ports::Points>(point.shape).attributes.push_back({"velocity", "m/s", 3, velocity});
  Settings settings = small(200, 100, 64);
  settings.motion_blur = true;
  settings.shutter = 0.5;
  settings.frame_seconds = 0.25;
  const ports::Camera camera = front_camera(5, 40);
  const Picture empty = render({}, {}, camera, even_light(), settings);
  const Blot streak = blot(render(std::array{point}, {}, camera, even_light(), settings), empty, 4);
  const double pixels_per_metre = 50 / std::tan(20 * std::numbers::pi / 180) / 5;
  // 12 m/s for 0.125 s and the point's own width; the ends are faint, so up to two radii may go unseen.
  const double expected = (1.5 + 0.2) * pixels_per_metre;
  EXPECT_LE(streak.right - streak.left + 1, expected + 3);
  EXPECT_GE(streak.right - streak.left + 1, expected - 0.2 * pixels_per_metre);
  EXPECT_NEAR(streak.x, 100, 1);  // centred on the frame's time
}

struct ColouredSheet {
  geometry::TriangleMesh mesh = geometry::sheet(
      {.center = Vec3::Zero(), .size = {2, 2}, .divisions = {8, 8}, .u = Vec3::UnitX(), .v = Vec3::UnitY()});
  std::vector<double> strain;
  ports::Drawable drawable{
      .name = "sheet", .look = ports::Look::matte, .colour = {0.5, 0.5, 0.5}, .backdrop = false, .shape = {}};
  ColouredSheet() {
    for (const Vec3& x : mesh.positions) strain.push_back(x.x());
    ports::TriangleSurface surface{mesh.positions, mesh.triangles, {}};
    surface.attributes.push_back({"strain", "1", 1, strain});
    drawable.shape = surface;
  }
};

TEST(Overlay, ColoursRunFromVioletToYellowAndTheBarIsThere) {
  const ColouredSheet sheet;
  Settings settings = small(300, 200, 4);
  const ports::Camera camera = front_camera(5);
  settings.overlay.attribute = "strain";
  settings.overlay.bar = false;
  const Picture plain = render(std::array{sheet.drawable}, {}, camera, even_light(), settings);
  const auto low = plain.pixels[100 * 300 + 100], high = plain.pixels[100 * 300 + 200];
  EXPECT_GT(low[2], low[1]);        // violet end: more blue than green
  EXPECT_GT(high[0], 2 * high[2]);  // yellow end: red and green, little blue
  EXPECT_GT(high[1], 2 * high[2]);
  settings.overlay.bar = true;
  const Picture with = render(std::array{sheet.drawable}, {}, camera, even_light(), settings);
  const Blot bar = blot(with, plain);
  EXPECT_GT(bar.count, 300);
  EXPECT_GT(bar.left, 200);  // at the right edge, clear of the middle
}

TEST(Overlay, WireDrawsDarkEdges) {
  const ColouredSheet sheet;
  Settings settings = small(160, 160, 8);
  const Picture plain = render(std::array{sheet.drawable}, {}, front_camera(5), even_light(), settings);
  settings.overlay.wire = true;
  const Picture wire = render(std::array{sheet.drawable}, {}, front_camera(5), even_light(), settings);
  int darker = 0, same = 0;
  for (std::size_t i = 0; i < plain.pixels.size(); ++i) {
    darker += wire.pixels[i][1] + 40 < plain.pixels[i][1];
    same += wire.pixels[i][1] == plain.pixels[i][1];
  }
  EXPECT_GT(darker, 1000);  // lines every 11 pixels over 88 × 88 pixels
  EXPECT_GT(same, 12000);
}

TEST(Overlay, TicksAreRoundAndInsideTheRange) {
  EXPECT_EQ(detail::ticks(0, 1), (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}));
  for (const auto& [lo, hi] : {std::pair{-3.2, 7.9}, {1e-7, 4e-7}, {5.0, 1e6}}) {
    const auto found = detail::ticks(lo, hi);
    EXPECT_GE(found.size(), 3u);
    EXPECT_LE(found.size(), 7u);
    EXPECT_GE(found.front(), lo - 1e-9 * hi);
    EXPECT_LE(found.back(), hi * (1 + 1e-9));
  }
}

TEST(Font, EveryLetterOfANumberAndAUnitIsThere) {
  for (const char c : std::string("0123456789.-+eEmskgNPaJWHzK/^%[]()"))
    EXPECT_NE(detail::glyph(c), detail::glyph('\1')) << c;
  EXPECT_EQ(detail::plain("m/s²"), "m/s2");
}

TEST(BadInput, NothingAtAllIsStillAPicture) {
  const Picture picture =
      render({}, {}, frame_camera(std::span<const ports::Drawable>{}, 1), {}, small(16, 16, 1));
  EXPECT_EQ(picture.pixels.size(), 256u);
}

TEST(BadInput, WhatIsNotFiniteOrHasNoAreaIsLeftOut) {
  set_console_log_level(LogLevel::error);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Vec3> positions{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {nan, 0, 0}, {2, 0, 0}};
  const std::vector<std::array<std::uint32_t, 3>> triangles{{0, 1, 2}, {0, 1, 3}, {0, 1, 4}, {1, 1, 1}};
  ports::Drawable bad{
      .name = "bad", .look = ports::Look::matte, .colour = Vec3::Zero(), .backdrop = false, .shape = {}};
  bad.shape = ports::TriangleSurface{positions, triangles, {}};
  const std::vector<std::array<std::uint32_t, 3>> good_triangle{{0, 1, 2}};
  ports::Drawable good = bad;
  good.shape = ports::TriangleSurface{positions, good_triangle, {}};
  const Settings settings = small(32, 32, 4);
  EXPECT_EQ(render(std::array{bad}, {}, front_camera(5), even_light(), settings).pixels,
            render(std::array{good}, {}, front_camera(5), even_light(), settings).pixels);
  ports::Drawable nothing = bad;
  const std::vector<Vec3> all_bad(5, Vec3::Constant(nan));
  nothing.shape = ports::TriangleSurface{all_bad, triangles, {}};
  EXPECT_FALSE(bounds(std::array{nothing}));
  EXPECT_NO_THROW(render(std::array{nothing}, {}, front_camera(5), {}, settings));
  ports::Drawable no_smoke = bad;
  no_smoke.shape = ports::Volume{};
  EXPECT_NO_THROW(render(std::array{no_smoke}, {}, front_camera(5), {}, settings));
  no_smoke.shape = ports::HeightSurface{};
  EXPECT_NO_THROW(render(std::array{no_smoke}, {}, front_camera(5), {}, settings));
  set_console_log_level(LogLevel::info);
}

TEST(BadInput, IndicesAndSizesThatDoNotFitAreRefused) {
  const std::vector<Vec3> positions{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const std::vector<std::array<std::uint32_t, 3>> beyond{{0, 1, 3}}, fine{{0, 1, 2}};
  ports::Drawable d{
      .name = "d", .look = ports::Look::matte, .colour = Vec3::Zero(), .backdrop = false, .shape = {}};
  const Settings settings = small(8, 8, 1);
  auto draw = [&](const Settings& s) { return render(std::array{d}, {}, front_camera(5), {}, s); };
  d.shape = ports::TriangleSurface{positions, beyond, {}};
  EXPECT_THROW(draw(settings), InputError);
  const std::vector<double> two{1, 2};
  ports::TriangleSurface surface{positions, fine, {}};
  surface.attributes.push_back({"strain", "", 1, two});
  d.shape = surface;
  Settings overlay = settings;
  overlay.overlay.attribute = "strain";
  EXPECT_THROW(draw(overlay), InputError);
  EXPECT_NO_THROW(draw(settings));
  const std::vector<float> few(3, 1.0f);
  ports::Volume volume{.origin = Vec3::Zero(), .cell_size = 1, .cells = {2, 2, 2}, .fields = {}};
  volume.fields.push_back({"density", "", 1, few});
  d.shape = volume;
  EXPECT_THROW(draw(settings), InputError);
}

TEST(BadInput, SettingsThatMakeNoSenseAreRefused) {
  auto draw = [](const Settings& settings, ports::Camera camera = front_camera(5)) {
    return render({}, {}, camera, {}, settings);
  };
  EXPECT_THROW(draw(small(0, 8, 1)), InputError);
  EXPECT_THROW(draw(small(8, 8, 0)), InputError);
  Settings map = small(8, 8, 1);
  map.overlay.lo = 2, map.overlay.hi = 1;
  EXPECT_THROW(draw(map), InputError);
  ports::Camera inside = front_camera(5);
  inside.target = inside.position;
  EXPECT_THROW(draw(small(8, 8, 1), inside), InputError);
}

}  // namespace
}  // namespace selkie::render
