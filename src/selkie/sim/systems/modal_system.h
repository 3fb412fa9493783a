// Modal bodies as a System: any number of copies of one body, which share its modes.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "selkie/sim/solver_system.h"
#include "selkie/sim/systems/modal_contact_side.h"
#include "selkie/solids/modal/step.h"

namespace selkie::sim {

using ModalBase = SolverSystem<modal::Model, modal::Params, modal::State, modal::Work>;

class ModalSystem final : public ModalBase {
 public:
  ModalSystem(std::string name, modal::Model model, modal::Params params, modal::State state, Vec3 colour);

  std::string_view kind() const override { return "modal"; }
  void poison_work() override { modal::poison(work_); }
  void state_was_written() override;
  double step_limit(const Environment&) override { return params_.longest_step; }
  StepReport solve(const Environment& environment, const Interval& interval) override;
  ports::DeformableSolid* deformable_solid() override;
  std::vector<std::string> actions() const override;
  // "grab" (point, target), "drag" (target), "release", "impulse" (point, impulse), "push" (point, direction,
  // strength, radius), "kick" (velocity).
  void apply(const ports::InputEvent& event) override;
  Figures figures(const Environment& environment) override;
  std::vector<ports::Drawable> drawables() override;
  Estimate estimate() override;

 private:
  struct Place {
    std::size_t body = 0, vertex = 0;
  };
  Place nearest(const Vec3& point);
  void grab(const Vec3& point, const Vec3& target);

  Vec3 colour_;
  std::vector<Vec3> positions_, velocities_;  // of all surfaces, for pictures
  std::vector<double> displacement_;
  std::vector<geometry::Triangle> triangles_;
  ContactSurroundings surroundings_;
  std::unique_ptr<ModalContactSide> contact_side_;
};

}  // namespace selkie::sim
