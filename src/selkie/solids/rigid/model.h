// Model of a set of rigid bodies: what never changes after building. Bodies themselves come and go at run time and
// live in State; here stand the forms they share, their materials and the joints between those of the scene.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "selkie/contact/shape.h"
#include "selkie/math/types.h"

namespace selkie::rigid {

// How bodies of one kind touch others. Between two bodies friction is the geometric mean of both, restitution the
// larger, rolling resistance the larger.
struct Traits {
  double friction = 0.5;                  // Coulomb coefficient while sticking
  double sliding_friction = 0.5;          // while sliding
  double restitution = 0.2;               // share of the normal speed given back
  double rolling = 0;                     // m: torque against rolling per newton of load
  Vec3 grain = Vec3::Zero();              // direction in the body frame; zero: friction is the same all round
  double friction_across = 0.5;           // both coefficients across the grain; along it those above
  std::uint32_t group = 1, meets = ~0u;   // bits: bodies touch where each one's group is among what the other meets
};

enum class JointKind : std::uint8_t { ball, hinge, slider, fixed, distance };
constexpr auto describe(JointKind*) {
  return std::array<std::string_view, 5>{"ball", "hinge", "slider", "fixed", "distance"};
}

// Frames are at rest when both coincide; the axis of hinges and sliders is x. Against the world: b = kWorld, and
// frame_b is a frame of the world.
inline constexpr std::uint32_t kWorld = 0xffffffff;
struct Joint {
  JointKind kind = JointKind::ball;
  std::uint32_t a = 0, b = kWorld;                 // places of bodies
  Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();  // m, in the body frames
  Quat frame_a = Quat::Identity(), frame_b = Quat::Identity();
  bool limited = false;
  double low = 0, high = 0;     // rad (hinge; ball: swing of the x axes, high only), m (slider, distance)
  bool motor = false;
  double motor_speed = 0;       // rad/s or m/s of a against b about or along the axis
  double motor_force = 0;       // N·m or N, at most
  double break_force = 0;       // N; 0: never
  bool bodies_touch = false;    // whether the joined bodies also collide
};

inline constexpr std::uint32_t kMostBodies = 200000;

struct Model {
  std::uint32_t most_bodies = kMostBodies;
  std::vector<std::shared_ptr<const contact::Form>> forms = {};
  std::vector<Traits> traits = {};  // of trait 1, 2, ...; trait 0 follows Params
  std::vector<Joint> joints = {};
};

}  // namespace selkie::rigid
