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
  std::span<ports::MovableSolid* const> solids = {};  // that give way
};

StepReport step(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const State& from, State& to, Work& work);

// The modes' answers over a step of h seconds. Contacts act as a constant force through the step: a kick at
// its beginning would excite fast modes by the ratio of step to period, and its work would not be the impulse
// times the mean velocity that contacts are judged by. As a force a mode rests under a resting load, whatever
// that ratio, and what contacts do as work is never positive.
void prepare_modes(const Model& model, const Params& params, double h, std::vector<ModeStep>& modes);

// A body at the end of the step by its own motion and loads.
struct FreeMotion {
  Vec3 position = Vec3::Zero();
  Quat orientation = Quat::Identity();
  Vec3 velocity = Vec3::Zero();  // constant over the step
  Vec3 spin_t0 = Vec3::Zero();   // rad/s, with loads, before the body turned
  Vec3 spin = Vec3::Zero();      // rad/s, at the end
};
// The modes go into work.free_q and free_v, those of the start into work.start_q.
FreeMotion move_freely(const Model& model, const Params& params, const Inputs& inputs, double h,
                       const State& from, std::size_t body, std::span<const ModeStep> modes, BodyWork& work);

// What contacts add to the free motion of a body.
struct ContactAnswer {
  Vec3 velocity = Vec3::Zero();
  Vec3 spin = Vec3::Zero();
  Vec3 bounce_velocity = Vec3::Zero(), bounce_spin = Vec3::Zero();  // after the step
  Vec3 push_velocity = Vec3::Zero(), push_spin = Vec3::Zero();      // in this step only
  double work_of_solids = 0;                                        // J, that moving solids may have done
};

// The frame at the end of the step, and a vertex, with work.impulses on the modes.
struct FrameEnd {
  Vec3 position = Vec3::Zero();
  Quat orientation = Quat::Identity();
  Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();
};
FrameEnd end_of_frame(const Model& model, double h, const State& from, std::size_t body,
                      const FreeMotion& free, const ContactAnswer& answer);
Vec3 end_of_vertex(const Model& model, const Params& params, double h, const State& from, std::size_t body,
                   const FreeMotion& free, const ContactAnswer& answer, std::span<const ModeStep> modes,
                   std::size_t vertex, const BodyWork& work);

}  // namespace selkie::modal
