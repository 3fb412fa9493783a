// Scratch of a step of modal bodies: kept between steps so that a step allocates nothing; nothing in it
// influences a result.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "selkie/core/buffer.h"
#include "selkie/math/types.h"
#include "selkie/solids/modal/oscillator.h"
#include "selkie/solids/modal/skin.h"

namespace selkie::modal {

// How a mode moves over the step by itself, and how it answers an impulse P of contacts in it.
struct ModeStep {
  Transition free;
  double answer_q = 0;  // displacement at the end per P
  double answer_v = 0;  // rate at the end per P
  double slowness = 0;  // 1 for a mode that hardly turns in the step, 0 for one that turns many times
};

// A vertex near a collider at the end of the free motion.
struct NearVertex {
  std::uint32_t vertex = 0;
  double distance = 0;  // m
};

// A vertex that touches a collider within the step, or the point that is held by the user. Velocities are
// means over the step.
struct Contact {
  std::uint32_t vertex = 0;      // unless it is held
  bool held = false;             // by the user: all three axes are prescribed
  Mat3 axes = Mat3::Identity();  // columns: normal, two tangents
  Vec3 arm = Vec3::Zero();       // m, from the centre, in the middle of the step
  Vec3 velocity = Vec3::Zero();  // m/s, relative to the solid, without contacts, along the axes
  Vec3 target = Vec3::Zero();    // m/s along the axes; along a contact's normal at least
  Vec3 carried = Vec3::Zero();   // m/s, of the solid, along the axes
  Mat3 mobility = Mat3::Zero();  // 1/kg: velocities along the axes per impulse along them
  Vec3 impulse = Vec3::Zero();   // N·s along the axes
  double friction = 0;
  double bounce = 0;             // share of the normal impulse given back
  std::int32_t solid = -1;       // that gives way, or none
  Vec3 point = Vec3::Zero();     // m, where that solid is touched
  Vec3 yielding = Vec3::Zero();  // 1/kg along the axes, of the piece of the solid at this contact
  double push_target = 0, push_impulse = 0, push_mobility = 0;
};

// What a contact gives to a solid.
struct Push {
  std::uint32_t solid = 0;
  Vec3 point;    // m
  Vec3 impulse;  // N·s
};

// Of one body at a time. What moves a body is one vector of kFrame + padded modes numbers: velocity of the
// frame in the world, spin along the principal axes of the start, rates of the modes. In it the answer to an
// impulse is a diagonal matrix.
inline constexpr std::size_t kFrame = 8;
struct BodyWork {
  Buffer<Vec3> surface;  // m, world
  std::vector<NearVertex> near;
  std::vector<Contact> contacts;
  Buffer<double> rows;            // [contact][axis][number]: what the axis sees of each of the numbers
  Buffer<double> hold_modes;      // 1/√kg, [component][padded mode] at the point that a user holds
  Buffer<double> start_q;         // modes at the start, padded
  Buffer<double> free_q, free_v;  // modes at the end of the free motion
  Buffer<double> motion;          // mean over the step, by contacts
  Buffer<double> answers;         // mean per impulse
  Buffer<double> impulses;        // of contacts, per mode
};

// A vertex that a collider carries at the end of a body's own step.
struct Support {
  std::uint32_t body = 0, vertex = 0;
  Vec3 normal = Vec3::UnitY();
  double friction = 0;
};

// A vertex of body a that touches body b, or the collider that carries it.
inline constexpr std::uint32_t kNobody = UINT32_MAX;
struct Encounter {
  std::uint32_t a = 0, vertex = 0, b = 0;
  geometry::Triangle corners{};                     // of b's surface
  Vec3 weights = Vec3::Zero();                      // of the corners
  Mat3 axes = Mat3::Identity();                     // columns: normal out of b, two tangents
  Vec3 arm_a = Vec3::Zero(), arm_b = Vec3::Zero();  // m, from the centres to the common point
  double target = 0;                                // m/s, least velocity along the normal
  double friction = 0;
  Mat3 mobility = Mat3::Zero();                          // 1/kg
  Vec3 impulse = Vec3::Zero();                           // N·s, on a, along the axes
  double push = 0, push_mobility = 0, push_impulse = 0;  // m/s, 1/kg, N·s
};

// Of the bodies that meet one another.
struct Meeting {
  Buffer<double> reach;                                        // m, per body, with its way in the step
  Buffer<std::uint32_t> order, place;                          // per body; place in `start` and `end`
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  // near each other
  Buffer<Vec3> start, end;                                     // m, surfaces at both ends of the step
  std::vector<SkinTask> skins;
  std::vector<Encounter> encounters;
  Buffer<double> rows, answers;
  Buffer<Vec3> push_velocity, push_spin;
};

inline constexpr std::size_t kTogether = 4;  // bodies that are skinned in one pass over the modes

struct Work {
  std::vector<ModeStep> modes;
  std::vector<std::array<BodyWork, kTogether>> bodies;  // one per block of bodies
  std::vector<std::vector<Push>> pushes;                // per block of bodies
  std::vector<std::vector<Support>> supports;           // per block of bodies
  Buffer<std::int32_t> contact_counts;
  Meeting meeting;
};

// Fills every array with NaN or absurd integers: a step afterwards must give the same bits.
void poison(Work& work);

}  // namespace selkie::modal
