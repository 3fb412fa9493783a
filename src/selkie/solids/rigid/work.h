// Scratch of a rigid step: kept between steps so that buffers are reused; nothing in it influences a result.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "selkie/core/buffer.h"
#include "selkie/math/types.h"

namespace selkie::rigid {

// One point where body a touches, or may touch within the step, body b or a collider.
struct Contact {
  std::uint32_t a = 0;
  std::int32_t b = -1;                              // -1: a collider
  Vec3 arm_a = Vec3::Zero(), arm_b = Vec3::Zero();  // from the centres to the point
  Vec3 normal = Vec3::UnitY();                      // out of b, towards a
  double separation = 0;  // m along the normal at the start of the step; < 0: overlap
  double friction = 0, restitution = 0;
  Vec3 surface_velocity = Vec3::Zero();  // of the collider, m/s

  // Filled by prepare() and iterated on.
  std::array<Vec3, 2> tangents{};
  double normal_mass = 0;                       // kg, effective
  std::array<double, 2> tangent_masses{};       // kg
  double target = 0;                            // m/s along the normal, at least
  double push_target = 0;                       // m/s at which overlap is undone
  double normal_impulse = 0, push_impulse = 0;  // N·s
  std::array<double, 2> tangent_impulses{};     // N·s
};

struct Work {
  std::vector<Contact> contacts;
  Buffer<Mat3> inverse_inertias;                 // world frame
  Buffer<Vec3> push_velocities, push_rotations;  // undo overlap; gone after the step
};

// Fills every array with NaN: a step afterwards must give the same bits.
void poison(Work& work);

}  // namespace selkie::rigid
