// System: the one virtual door between the World and a solver. Each solver has a thin adapter (sim/systems/)
// that owns its Model, Params, State and Work and forwards to the solver's free functions.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "selkie/core/schema.h"
#include "selkie/core/state_arrays.h"
#include "selkie/ports/deformable_solid.h"
#include "selkie/ports/drawable.h"
#include "selkie/ports/input_event.h"
#include "selkie/ports/sides.h"
#include "selkie/ports/step_report.h"
#include "selkie/ports/surface.h"
#include "selkie/ports/time.h"
#include "selkie/ports/wet_body.h"

namespace selkie::sim {

// What surrounds every system: shared by all, owned by the World.
struct Environment {
  Vec3 gravity{0, -9.81, 0};                                    // m/s²
  std::vector<std::shared_ptr<ports::FieldSampler>> colliders;  // solids that no solver moves
  std::vector<ports::MovableSolid*> bodies = {};  // solids of systems that have made this sync step already
};

// Named figures of a system after a step, for stats.csv: energy, volume, largest stretch, ...
using Figures = std::vector<std::pair<std::string, double>>;

// What `selkie check` tells before anything runs.
struct Estimate {
  double memory_bytes = 0;  // State, its saved copy and Work
  std::string size;         // "10000 vertices, 58806 springs"
  std::string warning = {};  // what a user should know before running; empty: nothing
};

class System {
 public:
  explicit System(std::string name) : name_(std::move(name)) {}
  virtual ~System() = default;
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  const std::string& name() const { return name_; }
  virtual std::string_view kind() const = 0;

  // Parameters a user may change between steps, through their description.
  virtual const Type& params_type() const = 0;
  virtual void* params() = 0;

  // Everything that influences a later step. References go stale when the state grows.
  virtual std::vector<ArrayRef> state() = 0;
  virtual void save() = 0;         // remembers the state at the start of a sync step
  virtual void restore() = 0;      // brings it back, in place
  virtual void poison_work() = 0;  // tests: scratch refilled with NaN must change nothing
  // A state array was written from outside (Python, checkpoint): make derived things agree with it.
  virtual void state_was_written() {}

  // The longest step this system takes now, in seconds; infinity when the method has no limit.
  virtual double step_limit(const Environment& environment) = 0;

  // One sub-step in three phases, so that a Group can put a joint solve in the middle. A system without an
  // implicit coupling may do all its work in solve().
  virtual StepReport predict(const Environment&, const Interval&) { return {}; }
  virtual StepReport solve(const Environment&, const Interval&) = 0;
  virtual StepReport correct(const Environment&, const Interval&) { return {}; }
  virtual ports::PressureSide* pressure_side() { return nullptr; }  // valid between predict and correct
  virtual ports::BodySide* body_side() { return nullptr; }
  // After a joint solve: the body's side anew, around the forces that it found. False: these are as before, or the body's
  // answer does not depend on them.
  virtual bool linearise_again(const Environment&, const Interval&, StepReport&) { return false; }

  // Members of a Group with strong couplings are solved together: solve() is not called. Bodies predict first; then
  // each liquid is told which of them it wets, and predicts.
  virtual bool is_liquid() const { return false; }
  virtual const ports::WetBody* wet_body() { return nullptr; }  // valid between predict and correct
  virtual void immerse(std::span<const ports::WetBody* const> /*bodies*/) {}
  bool joint() const { return joint_; }
  void set_joint(bool joint) { joint_ = joint; }  // the World's

  // Weak couplings: surface points with an impulse slot each; accept_impulses applies what was collected as
  // if it had acted from the start of the step of `dt` seconds just taken: on velocities and, over the step,
  // on positions.
  virtual std::optional<ports::SurfaceSamples> surface_samples() { return std::nullopt; }
  virtual void accept_impulses(double /*dt*/) {}

  // Contacts between deformable bodies: what others touch; lives as long as the system.
  virtual ports::DeformableSolid* deformable_solid() { return nullptr; }

  // Bodies that others bump into. Systems that move solids step first; then they offer their solids as these
  // went through the sync step, those that step later push them, and take_pushes() applies what was
  // collected.
  virtual bool moves_solids() const { return false; }
  virtual void offer_solids(const Interval& /*sync*/, std::vector<ports::MovableSolid*>& /*bodies*/) {}
  virtual void take_pushes() {}

  // The same between the members of a Group with strong couplings, whose bodies solve for the velocities of a step
  // that lies ahead: solids on their way through the next `step`, as they go without the others. Pushes change the
  // velocities that enter the joint solve.
  virtual void offer_solids_ahead(const Interval& /*step*/, std::vector<ports::MovableSolid*>& /*bodies*/) {}
  virtual void take_pushes_ahead() {}

  // True while the system holds nothing: then it is neither stepped nor listed.
  virtual bool dormant() const { return false; }

  // What apply() knows, besides "set"; a viewer offers these.
  virtual std::vector<std::string> actions() const { return {}; }

  // An action addressed to this system; throws InputError for one it does not know. "set" is the World's.
  virtual void apply(const ports::InputEvent& event);

  virtual Figures figures(const Environment& environment) = 0;
  virtual std::vector<ports::Drawable> drawables() = 0;
  virtual Estimate estimate() = 0;

 private:
  std::string name_;
  bool joint_ = false;
};

}  // namespace selkie::sim
