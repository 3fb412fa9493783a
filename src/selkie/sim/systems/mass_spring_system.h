// The mass-spring solver as a System: springs between masses, pinned or driven vertices, contact with
// colliders.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "selkie/geometry/mesh.h"
#include "selkie/sim/motion.h"
#include "selkie/sim/solver_system.h"
#include "selkie/solids/mass_spring/step.h"

namespace selkie::sim {

// What the adapter knows beyond the solver: how the body is drawn and how its pins move.
struct MassSpringBody {
  std::vector<geometry::Triangle> triangles;  // surface; empty: drawn as lines
  std::vector<Vec3> rest_positions;           // t = 0, what driven pins move from
  std::vector<Motion> motions;
  std::vector<std::int32_t> motion_of_vertex;  // index into motions, -1: stays; empty: none is driven
  std::optional<double> fixed_step;            // s; replaces the solver's own limit
  Vec3 colour{0.8, 0.8, 0.8};
};

using MassSpringBase =
    SolverSystem<mass_spring::Model, mass_spring::Params, mass_spring::State, mass_spring::Work>;

class MassSpringSystem final : public MassSpringBase {
 public:
  MassSpringSystem(std::string name, mass_spring::Model model, mass_spring::Params params,
                   mass_spring::State state, MassSpringBody body);

  std::string_view kind() const override { return "mass_spring"; }
  void poison_work() override { mass_spring::poison(work_); }
  void state_was_written() override;
  double step_limit(const Environment&) override;
  StepReport solve(const Environment& environment, const Interval& interval) override;
  std::optional<ports::SurfaceSamples> surface_samples() override;
  void accept_impulses(double dt) override;
  std::vector<std::string> actions() const override;
  // "grab" (vertex or point, target), "drag" (target), "release", "impulse" (point, impulse), "push" (point,
  // direction, strength, radius), "kick" (velocity), "pin" and "unpin" (vertex or point).
  void apply(const ports::InputEvent& event) override;
  Figures figures(const Environment& environment) override;
  std::vector<ports::Drawable> drawables() override;
  Estimate estimate() override;

 private:
  void collect_drawn_vertices();
  void add_velocity(std::uint32_t vertex, const Vec3& change);

  MassSpringBody body_;
  std::vector<double> inverse_masses_;  // as couplings see them: 0 where pinned
  std::vector<Vec3> impulses_;

  // The drawn surface with its own numbering, so that files hold no vertex that nothing shows.
  std::vector<std::uint32_t> drawn_vertices_;
  std::vector<geometry::Triangle> drawn_triangles_;
  std::vector<geometry::Segment> drawn_lines_;
  std::vector<Vec3> drawn_positions_, drawn_velocities_;
  std::vector<double> drawn_strain_, vertex_strain_;
};

}  // namespace selkie::sim
