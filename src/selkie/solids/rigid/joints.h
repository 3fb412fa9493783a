// Joints as rows: each direction in which two bodies may not move against each other is one row, set up anew in
// every part of the step, so that long chains stay together. Motors and limits are rows with bounds.
#pragma once

#include "selkie/solids/rigid/step.h"

namespace selkie::rigid {

// The joints at work, sorted by colour: those of one colour share no body that moves. Colours are given in the order
// of the model, so they are the same for any number of threads. Each starts with the impulses of the last step.
void gather_joints(const Model& model, double h, const State& state, Work& work);

// Rows of joint `j` for bodies as they stand now; the impulses of the last part are kept.
void set_rows(const Joint& joint, double h, const State& state, const Work& work, JointWork& rows);

// One sweep over a joint. `undo`: errors are undone at `rate` (1/s), softly.
struct JointRule {
  bool undo = false;
  double h = 0, rate = 0, mass_scale = 1, impulse_scale = 0;
};
void sweep(const JointRule& rule, JointWork& joint, Work& work);
void warm_start(JointWork& joint, Work& work);

// What joints hold at all times (no motors, no limits with room between them), for bodies as they stand:
// neither may move along such a direction against the other, linear·(v_a − v_b) + turn_a·ω_a − turn_b·ω_b =
// 0.
struct JointDirection {
  std::uint32_t a = 0, b = kWorld;
  Vec3 linear, turn_a, turn_b;
};
std::vector<JointDirection> held_directions(const Model& model, const State& state);

// Where the axis of a hinge (rad), slider (m) or a distance (m) stands.
double joint_position(const Joint& joint, const State& state);
// How far the joined points are apart, m.
double joint_gap(const Joint& joint, const State& state);

}  // namespace selkie::rigid
