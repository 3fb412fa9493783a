// Scratch of a rigid step: kept between steps so that buffers are reused; nothing in it influences a result.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "selkie/contact/body_pairs.h"
#include "selkie/contact/manifold.h"
#include "selkie/core/buffer.h"
#include "selkie/core/phases.h"
#include "selkie/math/types.h"
#include "selkie/solids/rigid/state.h"

namespace selkie::rigid {

// A manifold within the step: two bodies (or a body and a collider) with up to four points.
struct Touch {
  std::uint32_t a = 0, b = 0;
  int count = 0;
  int pressed = 0;                      // points that carried load within the step
  Vec3 normal = Vec3::UnitY();          // world, from b to a
  double separation[4] = {};            // m, at the start of the step
  double friction = 0, sliding = 0, across = 0, restitution = 0, rolling = 0;
  Vec3 grain = Vec3::Zero();            // world; zero: the same all round
  Vec3 surface_velocity = Vec3::Zero();  // of a collider, m/s
  TouchMemory memory = {};

  Vec3 on_a(int k) const { return Vec3(memory.on_a[k][0], memory.on_a[k][1], memory.on_a[k][2]); }
  Vec3 on_b(int k) const { return Vec3(memory.on_b[k][0], memory.on_b[k][1], memory.on_b[k][2]); }
};

// Rows of eight numbers, one cache line each.
struct alignas(64) Row8 {
  double v[8];
};

// One direction in which a joint acts: velocities along it are J·v with these vectors.
struct JointRow {
  Vec3 linear, turn_a, turn_b;  // on v_a − v_b, ω_a, ω_b
  Vec3 answer_a, answer_b;      // inverse inertia times turn
  double mass;                  // effective, kg or kg·m²
  double error;                 // m or rad to be undone
  double low, high;             // of the impulse
  double drive;                 // m/s or rad/s aimed at (motors)
  bool rigid;                   // error is undone (not of motors)
};
struct JointWork {
  std::uint32_t a, b;
  int rows;
  bool holds_point;  // the first three rows hold a point and are solved together
  Mat3 point_mass;   // kg, their effective mass
  JointRow row[8];
  double impulse[8];
};

// What a loop of the solver does to each of its bodies, joints or groups of contacts (solve.cpp).
enum class PartTask : std::uint8_t {
  begin_first,
  begin_next,
  prepare_joints,
  undo_joints,
  relax_joints,
  warm_start,
  undo_contacts,
  relax_contacts,
  move,
  bounce
};

struct Work {
  // Where everything is, at the start of the step.
  std::vector<contact::Pose> poses;
  std::vector<contact::Shape> shapes;
  std::vector<contact::Bounds> boxes, known_boxes;  // of all; of those in the broad phase
  std::vector<double> reaches;  // m a body may move within the step
  std::vector<Vec3> spins, ways;  // angular velocities; m, straight on within the step
  // Broad phase.
  contact::BodyPairs near;
  std::vector<std::uint32_t> boxed_bodies, plane_bodies;
  std::vector<Vec3> known_ways;  // of those in the broad phase
  std::vector<double> margins;   // m, by which they may tremble without being looked up again
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> found_pairs;  // per block
  std::vector<std::pair<std::uint32_t, std::uint32_t>> plane_pairs;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  std::vector<std::uint64_t> joined;  // pairs that a joint keeps from touching, sorted
  std::vector<std::uint32_t> first_old;  // per pair: first of its manifolds of the last step; one more
  // Narrow phase.
  std::vector<std::vector<Touch>> found_touches;  // per block
  std::vector<Touch*> touches;                    // all of them, sorted by bodies
  std::vector<std::uint32_t> parents;  // islands: union-find
  // Solver.
  std::vector<std::uint64_t> colours_used;          // per body
  std::vector<std::uint8_t> colour_of;              // per touch
  std::vector<std::uint32_t> order;                 // touches by colour
  std::vector<std::uint32_t> colour_begin;          // in groups
  std::vector<std::uint32_t> lanes;                 // groups × 8: touch or none
  Buffer<Row8> velocities, deltas, pushes, before, masses;  // per solver body
  std::vector<std::uint8_t> constrained;            // per body
  std::vector<std::uint8_t> deep;                   // per touch: so far inside that speeds are limited
  std::vector<double> speed_limits;                 // m/s, per body; infinite for most
  std::vector<Quat> turns;                          // orientation within the step
  std::vector<JointWork> joints;                    // at work, by colour
  std::vector<std::uint32_t> joint_numbers;         // in the model, of those
  std::vector<std::uint32_t> joint_colour_begin;    // colours + 1
  std::vector<std::pair<int, std::uint32_t>> joint_order;  // colour, number in the model
  std::shared_ptr<void> groups;                     // detail::GroupBuffer
  std::vector<Phase> phases;                        // of a step, in order
  std::vector<std::pair<PartTask, std::size_t>> tasks;  // what each does, and its first body, joint or group
};

// Fills every array with NaN: a step afterwards must give the same bits.
void poison(Work& work);

}  // namespace selkie::rigid
