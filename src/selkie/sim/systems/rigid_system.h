// Rigid bodies as a System. Every world has one called "thrown": it holds the bodies of the scene's [[rigid]] tables
// and those that users throw (SW-47), so that all of them meet. While it is empty it lists nothing and costs
// nothing. Other systems meet its bodies as movable solids.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "selkie/core/expression.h"
#include "selkie/coupling/rigid_solid.h"
#include "selkie/coupling/wet_rigid.h"
#include "selkie/geometry/mesh.h"
#include "selkie/sim/motion.h"
#include "selkie/sim/solver_system.h"
#include "selkie/sim/systems/wetting.h"
#include "selkie/solids/rigid/queries.h"
#include "selkie/solids/rigid/step.h"

namespace selkie::sim {

inline constexpr const char* kThrown = "thrown";  // reserved for the one that scene::build adds

struct Keyframe {
  double time = 0;  // s
  Vec3 position = Vec3::Zero();
  Quat orientation = Quat::Identity();
};

// What a kinematic body follows: formulas applied to where it starts, or keyframes with straight ways between.
struct RigidDriver {
  std::uint32_t body = 0;
  Eigen::Isometry3d start = Eigen::Isometry3d::Identity();
  std::shared_ptr<const Motion> motion = {};
  std::vector<Keyframe> keyframes = {};

  Eigen::Isometry3d pose(double time) const;
};

// What pulls bodies besides gravity: formulas in t, three each or none.
struct RigidPull {
  std::vector<Expression> force, torque;  // N, N·m
  Vec3 force_at(double time) const;
  Vec3 torque_at(double time) const;
};
struct PulledBody {
  std::uint32_t body = 0;
  std::shared_ptr<const RigidPull> pull = {};
};

// How the bodies of one table are drawn; number t belongs to trait t + 1.
struct RigidLook {
  std::string name;
  Vec3 colour = Vec3(0.6, 0.6, 0.6);
};

struct RigidBodies {
  rigid::Model model = {};
  rigid::State state = {};
  std::vector<RigidDriver> drivers = {};
  std::vector<PulledBody> pulled = {};
  std::vector<RigidLook> looks = {};
  // Planes among the bodies as the other systems meet them, in the world's colliders.
  std::vector<std::shared_ptr<const ports::FieldSampler>> planes = {};
};

using RigidBase = SolverSystem<rigid::Model, rigid::Params, rigid::State, rigid::Work>;

class RigidSystem final : public RigidBase {
 public:
  explicit RigidSystem(std::string name, rigid::Params params = {}, RigidBodies bodies = {});

  std::string_view kind() const override { return "rigid"; }
  void poison_work() override { rigid::poison(work_); }
  void state_was_written() override;
  double step_limit(const Environment& environment) override;
  StepReport predict(const Environment& environment, const Interval& interval) override;
  StepReport solve(const Environment& environment, const Interval& interval) override;
  ports::BodySide* body_side() override;
  const ports::WetBody* wet_body() override { return &wet_body_; }
  bool moves_solids() const override { return true; }
  void offer_solids(const Interval& sync, std::vector<ports::MovableSolid*>& bodies) override;
  void take_pushes() override;
  void offer_solids_ahead(const Interval& step, std::vector<ports::MovableSolid*>& bodies) override;
  void take_pushes_ahead() override;
  bool dormant() const override { return state_.count() == 0; }
  std::vector<std::string> actions() const override;
  // "throw" (shape, position, velocity, size, density; spin), "clear" (what was thrown), "grab" (point, target),
  // "drag" (target), "release", "impulse" (point, impulse), "push" (point, direction, strength, radius), "kick"
  // (velocity).
  void apply(const ports::InputEvent& event) override;
  Figures figures(const Environment& environment) override;
  std::vector<ports::Drawable> drawables() override;
  Estimate estimate() override;

  // Rays and overlaps of the bodies as they are now; for questions until the next step.
  const rigid::Lookup& look_up();

  // For a joint solve with a liquid, before the first step: how, and the sides of the tank. (rigid_wetting.cpp)
  void wet(Wetting wetting);
  const coupling::WetRigid& wet_field();  // the bodies where they are now
  const std::string& name_of(std::size_t body) const;  // that of its table; of thrown ones the system's
  std::span<const std::size_t> wet_places() const { return wet_places_; }  // of the bodies of wet_field()

 private:
  void offer(std::size_t body, coupling::RigidMotion motion, std::vector<ports::MovableSolid*>& bodies);
  void place_wet();
  void keep_in_plane();
  void hold_joints();
  void find_unforced();
  void add_group_forces();  // of the last step, to forces_ and torques_
  std::vector<std::uint8_t> held_bodies() const;
  StepReport pull_bodies(const Interval& interval);
  void throw_body(const ports::InputEvent& event);
  bool act(const ports::InputEvent& event);
  const geometry::TriangleMesh& surface_of(std::size_t body);

  std::vector<RigidDriver> drivers_;
  std::vector<PulledBody> pulled_;
  std::vector<Vec3> forces_, torques_;  // of the step under way, per body; empty where nothing pulls
  std::vector<RigidLook> looks_;
  std::vector<std::shared_ptr<const ports::FieldSampler>> planes_;
  rigid::Lookup lookup_;
  std::size_t scene_bodies_;  // stand first; thrown ones follow
  std::vector<std::unique_ptr<coupling::RigidSolid>> solids_;  // of the sync step under way
  std::vector<std::size_t> offered_;                           // their bodies

  // In a joint solve.
  coupling::WetRigid wet_;
  std::vector<std::size_t> wet_places_;  // of its bodies
  Wetting wetting_;
  ports::WetBody wet_body_;
  ports::BodySide body_side_;
  // Velocity and spin per body: without the forces of the Group, and with the pushes of the Group's elastic bodies.
  std::vector<std::pair<Vec3, Vec3>> unforced_, met_;
  std::vector<double> free_velocity_;
  double dt_ = 0, gravity_ = 0;  // s, of the sub-step under way; m/s²

  struct Drawn {
    std::vector<Vec3> positions, velocities;
    std::vector<geometry::Triangle> triangles;
  };
  std::vector<Drawn> drawn_;  // per look, thrown bodies last
  std::map<std::array<double, 4>, geometry::TriangleMesh> surfaces_;
};

}  // namespace selkie::sim
