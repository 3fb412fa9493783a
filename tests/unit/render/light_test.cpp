// Light transport against known answers: energy in an even surrounding, shadows, absorption.
#include <gtest/gtest.h>

#include <numbers>

#include "selkie/render/detail/lens.h"
#include "unit/render/pictures.h"

namespace selkie::render {
namespace {

using namespace test;
using detail::expose;
using detail::Film;

Film ball_in_even_light(ports::Look look, const Vec3& colour, double roughness, int samples) {
  const Ball ball({0, 0, 0}, 1, 24);
  const std::array drawables{ball.drawable("ball", look, colour)};
  ports::Material material;
  material.of = "ball";
  material.roughness = roughness;
  return expose(drawables, std::array{material}, front_camera(6), even_light(), small(48, 48, samples));
}

TEST(EvenLight, AMatteBallShowsExactlyItsShareOfTheLight) {
  // Every scattered ray of a convex body reaches the sky, so the estimate has no noise but the clamp of
  // normals at the silhouette; the middle must agree to rounding.
  for (const double share : {0.2, 0.5, 0.9}) {
    const Film film = ball_in_even_light(ports::Look::matte, colour_of_share(share), 1, 16);
    EXPECT_NEAR(around(film, 24, 24, 6).mean(), share, 1e-3);
  }
}

TEST(EvenLight, AGlossyBallNeverReturnsMoreThanItReceives) {
  for (const double roughness : {0.05, 0.3, 1.0}) {
    const Film film = ball_in_even_light(ports::Look::glossy, Vec3::Ones(), roughness, 64);
    // Noise: the mean of 169 pixels × 64 samples with weights up to about 2 errs by less than 0.01.
    const float middle = around(film, 24, 24, 6).mean();
    EXPECT_LE(middle, 1.01f);
    EXPECT_GE(middle, 0.85f);  // a white body under a clear coat is nearly white
    float most = 0;
    for (int y = 4; y < 44; ++y) most = std::max(most, around(film, 24, y, 1).mean());
    EXPECT_LE(most, 1.05f);  // also towards the silhouette
  }
}

TEST(EvenLight, AClearGlassBallCannotBeSeen) {
  const Film film = ball_in_even_light(ports::Look::glass, Vec3::Ones(), 0, 32);
  for (const auto& pixel : film.radiance) {
    // Only paths that are still inside after all bounces are lost: less than a percent at the rim.
    EXPECT_NEAR(pixel.mean(), 1, 0.02);
  }
}

TEST(EvenLight, HairNeverReturnsMoreThanItReceives) {
  std::vector<Vec3> points;
  std::vector<std::array<std::uint32_t, 2>> lines;
  for (std::uint32_t i = 0; i < 8; ++i) {
    points.push_back({-1.4 + 0.4 * i, 0, 0});
    if (i > 0) lines.push_back({i - 1, i});
  }
  ports::Drawable hair{
      .name = "hair", .look = ports::Look::hair, .colour = Vec3::Ones(), .backdrop = false, .shape = {}};
  hair.shape = ports::Curves{points, lines, 0.3, {}};
  const Film film = expose(std::array{hair}, {}, front_camera(6), even_light(), small(48, 48, 256));
  // 256 samples per pixel over 49 pixels with weights up to about 10: errs by about 0.02.
  const float middle = around(film, 24, 24, 3).mean();
  EXPECT_LE(middle, 1.06f);
  EXPECT_GE(middle, 0.7f);
}

TEST(Smoke, AUniformSlabLetsThroughWhatBeersLawSays) {
  constexpr int kCells = 16;
  const std::vector<float> density(kCells * kCells * kCells, 0.5f);
  ports::Drawable smoke{
      .name = "smoke", .look = ports::Look::smoke, .colour = Vec3::Zero(), .backdrop = false, .shape = {}};
  ports::Volume volume{
      .origin = {-1, -1, -1}, .cell_size = 2.0 / kCells, .cells = {kCells, kCells, kCells}, .fields = {}};
  volume.fields.push_back({"density", "", 1, density});
  smoke.shape = volume;
  for (const double extinction : {0.5, 2.0, 4.0}) {
    ports::Material material;
    material.of = "smoke";
    material.density = extinction;
    // So far away that rays through the middle are parallel to 1e-4; black smoke adds no light of its own.
    const Film film =
        expose(std::array{smoke}, std::array{material}, front_camera(400, 0.1), even_light(), small(8, 8, 4));
    EXPECT_NEAR(at(film, 4, 4).mean(), std::exp(-extinction * 0.5 * 2), 2e-3 * std::exp(-extinction));
  }
}

TEST(Water, AbsorbsByItsColourOverItsClarity) {
  // A block of glass of index 1 two metres deep: nothing but Beer's law is left.
  const geometry::TriangleMesh mesh = geometry::box_surface({Vec3(-1, -1, -1), Vec3(1, 1, 1), {1, 1, 1}});
  ports::Drawable block{
      .name = "block", .look = ports::Look::glass, .colour = Vec3::Ones(), .backdrop = false, .shape = {}};
  block.shape = ports::TriangleSurface{mesh.positions, mesh.triangles, {}};
  ports::Material material;
  material.of = "block";
  material.refraction = 1.0;
  material.clarity = 4.0;
  const Vec3 share = colour_of_share(0.25);
  material.colour = std::array{share.x(), share.y(), share.z()};
  const Film film =
      expose(std::array{block}, std::array{material}, front_camera(400, 0.1), even_light(), small(8, 8, 4));
  EXPECT_NEAR(at(film, 4, 4).mean(), 0.5, 1e-3);  // 0.25 to the power of 2 m / 4 m
}

// Darkest pixel of a picture taken straight from above, as a place on the ground.
Vec2 darkest_place(const Film& film, double height, double field_of_view) {
  Vec2 sum = Vec2::Zero();
  double weight = 0;
  const double pixel = 2 * height * std::tan(field_of_view * std::numbers::pi / 360) / film.height;
  const float lit = around(film, 70, 60, 2).mean();
  for (int y = 0; y < film.height; ++y)
    for (int x = 0; x < film.width; ++x) {
      const double dark = std::max(0.0f, 0.7f * lit - at(film, x, y).mean());
      sum += dark * Vec2((x + 0.5 - 0.5 * film.width) * pixel, (y + 0.5 - 0.5 * film.height) * pixel);
      weight += dark;
    }
  return sum / weight;
}

TEST(Sun, TheShadowOfABallLiesWhereTheSunPutsIt) {
  const Ball ball({0, 2, 0}, 0.3);
  ports::Drawable drawable = ball.drawable("ball", ports::Look::matte, Vec3::Constant(0.5));
  ports::Lighting light;
  light.sun_direction = {1, 1, 0.5};
  light.sun_size = 0.5;
  light.sky_zenith = light.sky_horizon = Vec3::Constant(0.05);
  light.ground_height = 0.0;
  ports::Camera above;
  above.position = {0, 1.5, 0};  // below the ball, so that only its shadow is seen
  above.target = {0, 0, 0};
  above.up = {0, 0, -1};
  above.field_of_view = 130;
  const Film film = expose(std::array{drawable}, {}, above, light, small(96, 96, 8));
  const Vec2 place = darkest_place(film, 1.5, 130);
  // The ray from the ball's middle against the sun meets the ground at -(2, 1). Half a pixel is 0.03 m.
  EXPECT_NEAR(place.x(), -2, 0.05);
  EXPECT_NEAR(place.y(), -1, 0.05);
}

TEST(Sun, ReachesWhatLiesUnderGlass) {
  const geometry::TriangleMesh mesh = geometry::box_surface({Vec3(-1, 0.5, -1), Vec3(1, 0.6, 1), {1, 1, 1}});
  ports::Drawable pane{
      .name = "pane", .look = ports::Look::glass, .colour = Vec3::Ones(), .backdrop = false, .shape = {}};
  pane.shape = ports::TriangleSurface{mesh.positions, mesh.triangles, {}};
  ports::Lighting light;
  light.sun_direction = {0, 1, 0};
  light.sky_zenith = light.sky_horizon = Vec3::Zero();
  light.ground_height = 0.0;
  ports::Camera camera;
  camera.position = {0, 0.3, 3};
  camera.target = {0, 0, 0};
  camera.field_of_view = 10;
  Settings settings = small(16, 16, 16);
  settings.bounces = 0;  // the sun alone
  const float shaded = around(expose(std::array{pane}, {}, camera, light, settings), 8, 8, 2).mean();
  pane.look = ports::Look::matte;
  const float dark = around(expose(std::array{pane}, {}, camera, light, settings), 8, 8, 2).mean();
  const float open = around(expose({}, {}, camera, light, settings), 8, 8, 2).mean();
  EXPECT_NEAR(shaded / open, 0.96 * 0.96, 0.01);  // two faces of index 1.5 at right angles
  EXPECT_LT(dark, 0.01f * open);
}

}  // namespace
}  // namespace selkie::render
