// Contacts as the solver sees them: eight manifolds side by side that share no movable body.
#pragma once

#include <vector>

#include "selkie/solids/rigid/detail/lanes.h"
#include "selkie/solids/rigid/step.h"

namespace selkie::rigid::detail {

// One point of each manifold: J = (n, turn_a) on a, −(n, turn_b) on b.
struct PointRow {
  Lane3 turn_a, turn_b;      // r × n
  Lane3 answer_a, answer_b;  // inverse inertia times those
  Lane mass;                 // kg, effective
  Lane separation;           // m, at the start of the step
  Lane impulse;              // N·s, of one part of the step
  Lane peak;                 // N·s, the largest so far: whoever was never pressed does not bounce
  Lane rebound;              // m/s apart after a bounce; 0: none
};

struct ContactGroup {
  std::uint32_t a[8], b[8];        // solver bodies
  std::uint32_t movable_a, movable_b;  // bits
  int points;                      // most of any lane
  int rounds;                      // how often a sweep goes over them
  bool rolls;                      // any lane resists rolling
  Lane3 normal;
  Lane inverse_mass_a, inverse_mass_b;
  PointRow row[4];
  // Friction acts in the middle of the points, along two tangents, and about the normal.
  Lane3 tangent, across;
  Lane3 slide_a[2], slide_b[2], slide_answer_a[2], slide_answer_b[2];
  Lane slide_mass[3];              // inverse of the 2 × 2 matrix: 11, 12, 22
  Lane slide_impulse[2];
  Lane friction, friction_across;  // coefficients while sticking
  Lane sliding;                    // coefficient while sliding over that while sticking
  Lane3 twist_answer_a, twist_answer_b;
  Lane twist_mass, twist_radius, twist_impulse;  // radius: m, mean distance of the points from their middle
  // Rolling resistance about the tangents.
  Lane6 inertia_a, inertia_b;      // inverse
  Lane rolling, roll_mass[2], roll_impulse[2];
};

struct GroupBuffer {
  Buffer<ContactGroup> groups;
};

// What a sweep over the contacts does.
struct SweepRule {
  bool undo_overlap = false;
  double h = 0;               // s, length of the part
  double rate = 0;            // 1/s at which overlap is undone
  double mass_scale = 1, impulse_scale = 0;
  double push_out_speed = 0;  // m/s
};

void build_groups(const Params& params, const Inputs& inputs, double h, double dt, State& state, Work& work);
void warm_start(ContactGroup& group, Work& work);
void sweep(ContactGroup& group, const SweepRule& rule, Work& work);
void bounce(ContactGroup& group, Work& work);
void store_impulses(double h, Work& work);

ContactGroup* groups_of(Work& work);

}  // namespace selkie::rigid::detail
