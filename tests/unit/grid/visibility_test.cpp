// Advection with a visibility policy: a thin plate that the grid cannot see must not leak.
#include "selkie/grid/visibility.h"

#include <gtest/gtest.h>

#include <cmath>

#include "selkie/grid/advect_passes.h"

namespace selkie::grid {
namespace {

// A plate at x = 1 through the whole box that stands still; hidden values are replaced by `behind`.
struct Plate {
  static constexpr bool kAllVisible = false;
  const Shape* shape = nullptr;
  double reach = 0;
  double behind = 0;

  static double side(const Vec3& x) { return x.x() - 1; }
  bool affects(Place place, int i, int j, int k) const {
    return std::abs(side(shape->position(place, i, j, k))) <= reach;
  }
  Vec3 ray_end(const Vec3& from, const Vec3& to) const {
    if (side(from) * side(to) > 0) return to;
    const double share = 0.999 * side(from) / (side(from) - side(to));
    return from + share * (to - from);
  }
  double seen(const Vec3& from, Place place, int i, int j, int k, double stored) const {
    const bool visible = side(from) * side(shape->position(place, i, j, k)) > 0;
    return visible ? stored : place == Place::face_x ? 0.0 : behind;
  }
};

TEST(Visibility, NothingPassesAThinPlateThatStandsInTheFlow) {
  for (const Scheme scheme : {Scheme::semi_lagrangian, Scheme::bfecc, Scheme::maccormack}) {
    // The plate lies inside cell 10 (x from 0.97 to 1.07), between cell centres 9 and 10.
    const Shape shape(3, {20, 6, 5}, 0.1, Vec3(-0.03, 0, 0));
    FaceField<double> velocity;
    velocity.assign(shape);
    velocity.component[0].assign(shape.size(), 1.0);
    Buffer<double> field(shape.size(), 0.0), out(shape.size(), 0.0);
    for (int k = 0; k < 5; ++k)
      for (int j = 0; j < 6; ++j)
        for (int i = 0; i < 20; ++i)
          view(shape, field)(i, j, k) = Plate::side(shape.position(Place::cell, i, j, k)) < 0 ? 1.0 : 0.0;
    const FaceField<double>& u = velocity;
    const Buffer<double>& from = field;
    Flow<double> flow{.velocity = view(shape, u), .dt = 0.25};
    AdvectWork<double> work;
    const AdvectOptions options{scheme, Limiter::clamp, Trace::euler};
    // Rays are 2.5 cells long, there and back again.
    const Plate plate{&shape, 0.6, 0.0};
    advect_seeing(shape, Place::cell, options, flow, plate, view(shape, from), view(shape, out), work);
    int leaks_without = 0;
    for (int i = 0; i < 20; ++i) {
      const double x = Plate::side(shape.position(Place::cell, i, 2, 2));
      if (x > 0) {
        EXPECT_EQ(view(shape, out)(i, 2, 2), 0.0) << i;
      }
    }
    advect(shape, Place::cell, options, flow, view(shape, from), view(shape, out), work);
    for (int i = 0; i < 20; ++i)
      if (Plate::side(shape.position(Place::cell, i, 2, 2)) > 0 && view(shape, out)(i, 2, 2) > 0)
        ++leaks_without;
    EXPECT_GE(leaks_without, 2);
  }
}

// Sees everything, and asks for everything.
struct Glass {
  static constexpr bool kAllVisible = false;
  bool affects(Place, int, int, int) const { return true; }
  Vec3 ray_end(const Vec3&, const Vec3& to) const { return to; }
  double seen(const Vec3&, Place, int, int, int, double stored) const { return stored; }
};

TEST(Visibility, APolicyThatHidesNothingGivesTheFirstOrderValue) {
  const Shape shape(2, {19, 17, 1}, 0.1);
  FaceField<double> velocity;
  velocity.assign(shape);
  fill(shape, Place::face_x, velocity.component[0], [](const Vec3& x) { return std::sin(3 * x.y()); });
  fill(shape, Place::face_y, velocity.component[1], [](const Vec3& x) { return std::cos(3 * x.x()); });
  const FaceField<double>& u = velocity;
  const Flow<double> flow{.velocity = view(shape, u), .dt = 0.17};
  for (const Place place : {Place::cell, Place::face_x, Place::node}) {
    Buffer<double> field, plain(shape.size(), 0.0), seen(shape.size(), 0.0);
    fill(shape, place, field, [](const Vec3& x) { return std::sin(7 * x.x()) * x.y(); });
    const Buffer<double>& from = field;
    AdvectWork<double> work;
    advect(shape, place, {Scheme::semi_lagrangian}, flow, view(shape, from), view(shape, plain), work);
    advect_seeing(shape, place, {Scheme::maccormack, Limiter::none}, flow, Glass{}, view(shape, from),
                  view(shape, seen), work);
    const Index n = shape.samples(place);
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i)
        ASSERT_NEAR(view(shape, plain)(i, j, 0), view(shape, seen)(i, j, 0), 1e-14);  // world coordinates
  }
}

}  // namespace
}  // namespace selkie::grid
