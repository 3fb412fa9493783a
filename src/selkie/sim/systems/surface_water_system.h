// Water on a moving surface as a System.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "selkie/core/expression.h"
#include "selkie/fluids/surface_water/sheet.h"
#include "selkie/fluids/surface_water/step.h"
#include "selkie/sim/solver_system.h"
#include "selkie/sim/systems/surface_motion.h"
#include "selkie/sim/systems/surface_view.h"

namespace selkie::sim {

// What the adapter knows beyond the solver.
struct SurfaceWaterScene {
  SurfaceMotion motion;
  std::vector<Expression> acceleration;  // three formulas in x, y, z, t; or none
  std::vector<std::vector<std::uint32_t>> source_vertices;
  std::vector<Expression> source_rates;  // in t
  std::vector<Expression> rim_depth;     // in t; one or none
  std::vector<SurfaceView> show;
  Vec3 colour{0.1, 0.3, 0.4};
  Vec3 mesh_colour{0.7, 0.7, 0.68};
};

using SurfaceWaterBase =
    SolverSystem<surface_water::Model, surface_water::Params, surface_water::State, surface_water::Work>;

class SurfaceWaterSystem final : public SurfaceWaterBase {
 public:
  SurfaceWaterSystem(std::string name, surface_water::Model model, surface_water::Params params,
                     surface_water::State state, SurfaceWaterScene scene);

  std::string_view kind() const override { return "surface_water"; }
  void poison_work() override { surface_water::poison(work_); }
  void state_was_written() override;
  double step_limit(const Environment&) override { return std::numeric_limits<double>::infinity(); }
  StepReport solve(const Environment& environment, const Interval& interval) override;
  std::vector<std::string> actions() const override;
  // "push" (point, direction, strength, radius; acts in the next step), "grab" (point, target), "drag"
  // (target), "release", "pour" (point, rate in m³/s; 0 ends it), "source" (point; the next one ends it).
  void apply(const ports::InputEvent& event) override;
  Figures figures(const Environment& environment) override;
  // The water; "name-mesh" and the other views that the scene asks for; "name-drops".
  std::vector<ports::Drawable> drawables() override;
  Estimate estimate() override;

 private:
  const surface_water::Metric& present_metric();
  void push(const ports::InputEvent& event);
  void set_spring(const Vec3& point, double rate);
  void give_pushes(double dt, surface_water::Inputs& inputs);
  void gather_inputs(const Environment& environment, const Interval& interval, surface_water::Inputs& inputs);
  bool shows(SurfaceView view) const;
  void draw_vectors(std::vector<ports::Drawable>& drawn);
  void draw_bottom(std::vector<ports::Drawable>& drawn);
  void draw_traces(std::vector<ports::Drawable>& drawn);
  void draw_skeleton(std::vector<ports::Drawable>& drawn);

  SurfaceWaterScene scene_;
  double start_volume_ = 0;  // m³, of the scene as built
  surface_water::Metric metric_;
  std::vector<Vec3> positions_, field_;
  std::vector<surface_water::Source> sources_;
  std::vector<surface_water::Push> pushes_;
  surface_water::Sheet sheet_;
  std::vector<double> depths_;
  struct Arrows {
    std::vector<Vec3> origins, values;
  };
  struct Lines {
    std::vector<Vec3> points;
    std::vector<geometry::Segment> segments;
  };
  std::array<Arrows, 4> arrows_;
  std::array<Lines, 3> traces_;
  std::vector<Vec3> bottom_points_, bone_points_;
  std::vector<geometry::Segment> bone_lines_;
};

}  // namespace selkie::sim
