// One step of modal bodies (RT-47): each mode is advanced exactly, the frame as a rigid body (RT-40), and
// contacts of the surface with colliders act on both. Reads `from`, writes `to` (equal to `from` on entry).
// [Pentland89; Hauser03]
#pragma once

#include <span>

#include "selkie/ports/step_report.h"
#include "selkie/ports/surface.h"
#include "selkie/ports/time.h"
#include "selkie/solids/modal/model.h"
#include "selkie/solids/modal/params.h"
#include "selkie/solids/modal/state.h"
#include "selkie/solids/modal/work.h"

namespace selkie::modal {

// A force (N, in the world) on a surface vertex, constant over the step.
struct PointLoad {
  std::size_t body = 0;
  std::size_t vertex = 0;
  Vec3 force = Vec3::Zero();
};

struct Inputs {
  Vec3 gravity = Vec3(0, -9.81, 0);                            // m/s²
  std::span<const ports::FieldSampler* const> colliders = {};  // solids that stop the surfaces
  std::span<const PointLoad> loads = {};
};

StepReport step(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const State& from, State& to, Work& work);

// The modes' answers over a step of h seconds. Contacts act as an impulse at the beginning on modes that turn
// by less than a radian in the step, and as a constant force through it on faster ones: a kick would excite
// these by the ratio of step to period, as a force they rest under a resting load, whatever that ratio.
void prepare_modes(const Model& model, const Params& params, double h, std::vector<ModeStep>& modes);

// A body at the end of the step by its own motion and loads.
struct FreeMotion {
  Vec3 position = Vec3::Zero();
  Quat orientation = Quat::Identity();
  Vec3 velocity = Vec3::Zero();  // constant over the step
  Vec3 spin_t0 = Vec3::Zero();   // rad/s, with loads, before the body turned
  Vec3 spin = Vec3::Zero();      // rad/s, at the end
};
// The modes go into work.free_q and free_v.
FreeMotion move_freely(const Model& model, const Params& params, const Inputs& inputs, double h,
                       const State& from, std::size_t body, std::span<const ModeStep> modes, BodyWork& work);

}  // namespace selkie::modal
