// [[surface_water]] in a viewer: pushes, jumps, frozen clips, and what is drawn besides the water (SW-30,
// SW-38, SW-44, SW-45).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "selkie/core/error.h"
#include "selkie/scene/scene.h"

namespace selkie::scene {
namespace {

sim::World world_of(const std::string& text) { return build(parse(text, "scene.toml", ".")); }

void run(sim::World& world, std::int64_t frames) {
  const std::int64_t end = world.frame() + frames;
  while (world.frame() < end) ASSERT_TRUE(world.sync_step().ok);
}

double figure_of(sim::World& world, const std::string& name) {
  for (const auto& [key, value] : world.find("w")->figures(world.environment()))
    if (key == name) return value;
  return -1;
}

ArrayRef array_of(sim::World& world, const std::string& name) {
  for (const ArrayRef& array : world.find("w")->state())
    if (array.name == name) return array;
  throw InputError("no array " + name, "");
}

Value vector(const Vec3& v) {
  Value value;
  ValueArray numbers(3);
  for (std::size_t k = 0; k < 3; ++k) numbers[k].data = v[static_cast<int>(k)];
  value.data = std::move(numbers);
  return value;
}

const ports::Drawable* find(const std::vector<ports::Drawable>& drawn, const std::string& name) {
  const auto at = std::find_if(drawn.begin(), drawn.end(), [&](const auto& d) { return d.name == name; });
  return at == drawn.end() ? nullptr : &*at;
}

constexpr const char* kSphere =
    "[scene]\nfps = 60\n[[surface_water]]\nname = \"w\"\nmesh = { icosphere = { radius = 1, divisions = 12 } "
    "}\n";

ports::InputEvent push(const Vec3& direction, double strength) {
  ports::InputEvent event{0, "w", "push"};
  event.arguments["point"] = vector(Vec3(0, 1, 0));
  event.arguments["direction"] = vector(direction);
  event.arguments["strength"].data = strength;
  event.arguments["radius"].data = 0.4;
  return event;
}

TEST(SurfaceWaterViews, APushMovesTheWaterAlongAndPressesItAway) {
  sim::World along = world_of(kSphere), into = world_of(kSphere);
  along.queue(push(Vec3(1, 0, 0), 0.3)), into.queue(push(Vec3(0, -1, 0), 0.5));
  run(along, 1), run(into, 1);
  // In the middle the normal turns by 1/R, so that ½η∇a adds a tenth; the nearest faces are 0.05 m away.
  EXPECT_NEAR(figure_of(along, "top_speed"), 1.1 * 0.3, 0.01);
  // Δt ½η|∇a| with a = 0.5 m/s over Δt: 0.5 ½ 0.2 e^{-1/2} / 0.4 = 0.076 m/s, and 0.5 sinθ e^{-1/2} along the
  // sphere where it bends away, 0.115 m/s; both grow towards the side, so that the largest sum is a little
  // more.
  EXPECT_GT(figure_of(into, "top_speed"), 0.17);
  EXPECT_LT(figure_of(into, "top_speed"), 0.25);
  EXPECT_EQ(array_of(into, "push_radii").count, 0u) << "over after one step";
  run(into, 30);
  EXPECT_GT(figure_of(into, "deepest"), 0.201) << "a ring around the push";
}

TEST(SurfaceWaterViews, AMeshThatIsPutElsewhereTakesItsWaterAlong) {
  sim::World world =
      world_of(std::string(kSphere) + "motion = { translate = [\"t < 0.1 ? 0 : 300\", \"0\", \"0\"] }\n");
  run(world, 20);
  EXPECT_EQ(static_cast<const double*>(array_of(world, "positions").data)[0] > 200, true);
  EXPECT_LT(figure_of(world, "top_speed"), 1e-9);
  // Within the speed that counts as motion it is felt.
  sim::World felt =
      world_of(std::string(kSphere) + "motion = { translate = [\"t < 0.1 ? 0 : 1\", \"0\", \"0\"] }\n");
  run(felt, 20);
  EXPECT_GT(figure_of(felt, "top_speed"), 0.01);
}

TEST(SurfaceWaterViews, TheLeastAngleIsFixedOnceTheMeshIsMeasured) {
  sim::World world = world_of(kSphere);
  ports::InputEvent event{0, "w", "set"};
  event.arguments["path"].data = std::string("least_angle");
  event.arguments["value"].data = 20.0;
  try {
    world.queue(event);
    run(world, 1);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("least_angle"), std::string::npos) << error.what();
  }
}

constexpr const char* kWalker =
    "[scene]\nfps = 60\n[[surface_water]]\nname = \"w\"\nmesh = { figure = { divisions = 36 } }\n"
    "clip = [ { name = \"walk\" } ]\nbottom = \"0.1\"\nwater = \"0.1 + 0.02*y\"\n";

TEST(SurfaceWaterViews, AFrozenClipStopsTheFigureAndTheWaterGoesOn) {
  for (const bool frozen : {false, true}) {
    sim::World world = world_of(std::string(kWalker) + (frozen ? "freeze = true\n" : ""));
    const ArrayRef positions = array_of(world, "positions");
    const auto* x = static_cast<const double*>(positions.data);
    const std::vector<double> start(x, x + 300);
    run(world, 10);
    const auto* now = static_cast<const double*>(array_of(world, "positions").data);
    EXPECT_EQ(std::equal(start.begin(), start.end(), now), frozen);
    EXPECT_GT(figure_of(world, "top_speed"), 0.01);
  }
}

TEST(SurfaceWaterViews, BonesFollowTheMotionOfTheWhole) {
  const std::string show = "show = [\"skeleton\"]\n";
  sim::World here = world_of(std::string(kWalker) + show);
  sim::World there = world_of(std::string(kWalker) + show +
                              "motion = { translate = [\"3\", \"0.5*t\", \"0\"], angle = \"90\" }\n");
  for (const int frames : {0, 12}) {
    run(here, frames), run(there, frames);
    const auto a = here.find("w")->drawables(), b = there.find("w")->drawables();
    const auto& bones = std::get<ports::Curves>(find(a, "w-skeleton")->shape);
    const auto& moved = std::get<ports::Curves>(find(b, "w-skeleton")->shape);
    ASSERT_EQ(bones.positions.size(), 14u);
    for (std::size_t k = 0; k < 14; ++k) {
      const Vec3& p = bones.positions[k];
      const Vec3 expected(3 + p.z(), p.y() + 0.5 * frames / 60, -p.x());  // a quarter turn about y
      EXPECT_NEAR((moved.positions[k] - expected).norm(), 0, 1e-12) << k;
    }
  }
}

// Water that turns like a solid: everything that is drawn has a known size.
TEST(SurfaceWaterViews, ShowWhatTheyAreCalled) {
  sim::World world = world_of(
      std::string(kSphere) +
      "velocity = [\"0.4*z\", \"0\", \"-0.4*x\"]\nacceleration = [\"0\", \"1\", \"0\"]\nshow = [\"mesh\", "
      "\"bottom\", \"velocity\", \"vertex-velocity\", \"acceleration\", \"face-acceleration\", \"traces\", "
      "\"straight-traces\", \"vertex-traces\"]\n");
  auto drawn = world.find("w")->drawables();
  EXPECT_EQ(find(drawn, "w-face-acceleration"), nullptr) << "nothing has acted yet";
  EXPECT_EQ(find(drawn, "w-acceleration"), nullptr) << "it has not moved";
  // Back along the equator by 0.04 m in 0.1 s; straight paths of faces, vertex paths of vertices alike.
  for (const char* name : {"w-traces", "w-straight-traces", "w-vertex-traces"}) {
    const ports::Drawable* view = find(drawn, name);
    ASSERT_NE(view, nullptr) << name;
    const auto& curves = std::get<ports::Curves>(view->shape);
    EXPECT_EQ(curves.lines.size(), std::string(name) == "w-vertex-traces" ? 1442u : 2880u);
    double longest = 0;
    for (const auto& [a, b] : curves.lines) {
      const Vec3 &p = curves.positions[a], way = curves.positions[b] - p;
      longest = std::max(longest, way.norm());
      EXPECT_LT(way.dot(Vec3(p.z(), 0, -p.x())), 1e-12) << "backwards";
    }
    EXPECT_NEAR(longest, 0.04, 0.002) << name;
  }
  const auto& bottom = std::get<ports::TriangleSurface>(find(drawn, "w-bottom")->shape);
  for (const Vec3& p : bottom.positions) EXPECT_NEAR(p.norm(), 0.8, 1e-3);
  for (const char* name : {"w-velocity", "w-vertex-velocity"}) {
    const auto& arrows = std::get<ports::Vectors>(find(drawn, name)->shape);
    for (std::size_t k = 0; k < arrows.origins.size(); ++k) {
      const Vec3& p = arrows.origins[k];
      // Faces are tilted against the sphere at their corners, by up to 0.06.
      EXPECT_NEAR((arrows.values[k] - 0.4 * Vec3(p.z(), 0, -p.x())).norm(), 0, 0.4 * 0.06) << name;
    }
  }
  run(world, 1);
  drawn = world.find("w")->drawables();
  const ports::Drawable* pushed = find(drawn, "w-face-acceleration");
  ASSERT_NE(pushed, nullptr);
  const auto& arrows = std::get<ports::Vectors>(pushed->shape);
  for (std::size_t k = 0; k < arrows.origins.size(); ++k) {
    // The field along the sphere, and half of η∇a with a = y: together 1.1 of it; the depth is still even.
    const Vec3 n = arrows.origins[k].normalized(), expected = 1.1 * (Vec3(0, 1, 0) - n.y() * n);
    EXPECT_NEAR((arrows.values[k] - expected).norm(), 0, 0.08);
  }
}

TEST(SurfaceWaterViews, ACappedSheetHasNoBack) {
  const std::string half = std::string(kSphere) + "water = \"0.05 - 0.2*y\"\n";
  sim::World plain = world_of(half), capped = world_of(half + "cap = true\n");
  auto triangles = [](sim::World& world) {
    const auto drawn = world.find("w")->drawables();
    return std::get<ports::TriangleSurface>(find(drawn, "w")->shape).triangles.size();
  };
  EXPECT_LT(triangles(capped), 0.6 * static_cast<double>(triangles(plain)));
}

}  // namespace
}  // namespace selkie::scene
