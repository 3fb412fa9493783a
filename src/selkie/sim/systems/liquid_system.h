// The liquid solver as a System: water in a box with solids, a vessel, inflows and drains.
#pragma once

#include <memory>
#include <vector>

#include "selkie/coupling/grid_pressure_side.h"
#include "selkie/coupling/wet_field.h"
#include "selkie/fluids/liquid/step.h"
#include "selkie/io/surface_mesh.h"
#include "selkie/sim/collider.h"
#include "selkie/sim/motion.h"
#include "selkie/sim/solver_system.h"
#include "selkie/sim/systems/liquid_surface.h"

namespace selkie::sim {

// Everything outside a shape as a solid.
std::shared_ptr<ports::FieldSampler> make_container(const ColliderDescription& inside);

// What the adapter knows beyond the solver.
struct LiquidScene {
  std::shared_ptr<ports::FieldSampler> container;                     // may be absent
  std::vector<std::shared_ptr<ports::FieldSampler>> start_colliders;  // those of the world at the start
  std::vector<liquid::Inflow> inflows;
  std::vector<Motion> inflow_motions;                                        // one per inflow
  std::vector<std::shared_ptr<const geometry::MeshDistance>> inflow_meshes;  // likewise; null: its shape
  std::vector<liquid::Drain> drains;
  std::vector<Motion> drain_motions;                                        // one per drain
  std::vector<std::shared_ptr<const geometry::MeshDistance>> drain_meshes;  // likewise; null: its shape
  Vec3 colour = Vec3(0.12, 0.35, 0.5);
  bool show_particles = false;
  LiquidMesh mesh_from = LiquidMesh::solver;
};

using LiquidBase = SolverSystem<liquid::Model, liquid::Params, liquid::State<float>, liquid::Work<float>>;

class LiquidSystem final : public LiquidBase {
 public:
  LiquidSystem(std::string name, liquid::Model model, liquid::Params params, liquid::State<float> state,
               LiquidScene scene);

  std::string_view kind() const override { return "liquid"; }
  void poison_work() override { liquid::poison(work_); }
  double step_limit(const Environment&) override;
  StepReport predict(const Environment& environment, const Interval& interval) override;
  StepReport solve(const Environment& environment, const Interval& interval) override;
  StepReport correct(const Environment& environment, const Interval& interval) override;
  ports::PressureSide* pressure_side() override { return joint() ? &pressure_side_ : nullptr; }
  bool is_liquid() const override { return true; }
  void immerse(std::span<const ports::WetBody* const> bodies) override;
  const std::shared_ptr<ports::FieldSampler>& container() const { return scene_.container; }  // may be absent
  // The way that liquid, and what is solved with it, may go in one step; m.
  double reach() const { return params_.cfl * model_.shape.cell_size(); }
  // Before the first step: no liquid where a body is that will be solved with it.
  void make_room(const ports::FieldSampler& body);
  std::vector<std::string> actions() const override { return {"push"}; }
  // "push" (point, direction, strength, radius): a Gaussian gust.
  void apply(const ports::InputEvent& event) override;
  Figures figures(const Environment& environment) override;
  std::vector<ports::Drawable> drawables() override;
  Estimate estimate() override;

 private:
  // Calls body(inputs).
  template <class Body>
  StepReport with_inputs(const Environment& environment, Body&& body);
  void begin_joint();
  ports::Drawable surface_mesh();
  const Buffer<float>& drawn_surface();
  void add_particles(std::vector<ports::Drawable>& all);
  void add_secondary(std::vector<ports::Drawable>& all);

  LiquidScene scene_;
  std::vector<const ports::FieldSampler*> colliders_;  // of the present step
  double dt_ = 0;                                      // s, of the step under way
  double last_step_ = 0;                               // s, of the one before; 0: there was none
  // In a joint solve.
  coupling::GridPressureSide grid_side_;
  ports::PressureSide pressure_side_;
  Buffer<double> balance_;
  std::vector<const ports::FieldSampler*> wet_;    // bodies that are solved with the liquid, as they are
  std::vector<coupling::StandingField> standing_;  // the same for the liquid's own fluxes
  std::vector<const coupling::StandingField*> plainly_cut_;  // those that cut faces by distances
  std::vector<const ports::FieldSampler*> placed_, walls_, sticky_;
  std::vector<grid::Patch> patches_;  // of those among them that cut faces by their surface
  grid::CutSurface cut_;
  Buffer<float> scratch_, drawn_;
  LiquidSurfaceWork surface_work_;
  std::vector<const geometry::MeshDistance*> inflow_meshes_, drain_meshes_;
  // What is drawn.
  std::vector<Vec3> points_;
  std::vector<double> point_speeds_;
  std::array<std::vector<Vec3>, 3> secondary_;  // spray, foam, bubbles
  io::SurfaceMesh mesh_;
  io::SurfaceMeshWork mesh_work_;
  std::vector<double> mesh_speeds_;
};

}  // namespace selkie::sim
