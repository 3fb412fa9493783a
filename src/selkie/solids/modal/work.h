// Scratch of a step of modal bodies: kept between steps so that a step allocates nothing; nothing in it
// influences a result.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "selkie/core/buffer.h"
#include "selkie/math/types.h"
#include "selkie/solids/modal/oscillator.h"

namespace selkie::modal {

// How a mode moves over the step by itself, and how it answers an impulse P of contacts in it.
struct ModeStep {
  Transition free;
  double answer_q = 0;  // displacement at the end per P
  double answer_v = 0;  // rate at the end per P
};

// A vertex near a collider at the end of the free motion.
struct NearVertex {
  std::uint32_t vertex = 0;
  double distance = 0;  // m
};

// A vertex that touches a collider within the step, or is held by the user. Velocities are means over the
// step.
struct Contact {
  std::uint32_t vertex = 0;
  bool held = false;                 // by the user: all three axes are prescribed
  Mat3 axes = Mat3::Identity();      // columns: normal, two tangents
  Vec3 arm = Vec3::Zero();           // m, from the centre
  Vec3 velocity = Vec3::Zero();      // m/s, relative to the solid, without contacts, along the axes
  Vec3 target = Vec3::Zero();        // m/s along the axes; along a contact's normal at least
  Mat3 moments = Mat3::Zero();       // m, arm × axes
  Mat3 turns = Mat3::Zero();         // rad/s of the frame per impulse along the axes
  Vec3 inverse_mass = Vec3::Zero();  // 1/kg along the axes
  Vec3 impulse = Vec3::Zero();       // N·s along the axes
  double friction = 0;
  double bounce = 0;  // share of the normal impulse given back
  double push_target = 0, push_impulse = 0, push_inverse_mass = 0;
};

// Of one body at a time.
struct BodyWork {
  Buffer<Vec3> surface;  // m, world
  std::vector<NearVertex> near;
  std::vector<Contact> contacts;
  Buffer<double> rows;            // 1/√kg, [contact][axis][padded mode]: what the axis sees of each mode
  Buffer<double> free_q, free_v;  // modes at the end of the free motion
  Buffer<double> mean_rates;      // of the modes, by contacts
  Buffer<double> answers;         // mean rate per impulse, padded
  Buffer<double> impulses;        // of contacts, per mode
};

struct Work {
  std::vector<ModeStep> modes;
  std::vector<BodyWork> bodies;  // one per block of bodies
  Buffer<std::int32_t> contact_counts;
};

// Fills every array with NaN or absurd integers: a step afterwards must give the same bits.
void poison(Work& work);

}  // namespace selkie::modal
