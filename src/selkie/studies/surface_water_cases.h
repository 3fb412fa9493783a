// What the tables of the surface water study share.
#pragma once

#include <string>
#include <vector>

#include "selkie/fluids/surface_water/step.h"
#include "selkie/studies/study.h"

namespace selkie::studies::surface_cases {

std::string number(double value);

// The icosphere of the source: each level halves every edge and moves the new vertices onto the sphere.
geometry::TriangleMesh sphere(int level);
// A closed doubled sheet of 2 n² cells, irregular inside, folded by an angle along x = 0.
geometry::TriangleMesh doubled_sheet(int n, double irregular, double angle);
// A sphere in which a share of the triangles are slivers.
geometry::TriangleMesh sliver_sphere(int level, double share);

// Water that is stepped on its own, without a World.
struct Water {
  surface_water::Model model;
  surface_water::Params params = {};
  surface_water::Inputs inputs = {};
  surface_water::State state = surface_water::make_state(model, 0.2);
  surface_water::State from = state;
  surface_water::Work work = {};
  Tick tick = 0;
  double time = 0;
  bool ok = true;

  void advance(double dt, int steps = 1);
  template <class Depth>
  void set_depth(Depth&& depth) {
    for (std::size_t v = 0; v < state.depth.size(); ++v) state.depth[v] = depth(model.rest[v]);
  }
  template <class Velocity>  // in space, made tangential
  void set_velocity(Velocity&& velocity) {
    namespace sw = surface_water;
    for (std::size_t f = 0; f < model.complex.face_count; ++f) {
      Vec3 middle = Vec3::Zero();
      for (std::size_t c = 0; c < 3; ++c) middle += state.positions[model.complex.vertex[c][f]] / 3;
      const sw::Frame frame = sw::frame_of(model.complex, model.metric, state.positions, f);
      const Vec2 rates = sw::rates_of(model.metric, f, frame.to_plane(velocity(middle)));
      state.rate_1[f] = rates[0], state.rate_2[f] = rates[1];
    }
  }
};
Water sphere_water(int level);

// Σ A η Y over Σ A Y²: how much of a function the depth holds.
double part(const Water& water, const std::vector<double>& function);
// The axial harmonic of degree 1 … 4 at the vertices.
std::vector<double> harmonic(const Water& water, int degree);

// Period (s) of a small wave of a degree on the sphere, integrated with sub-steps of `step`, without
// advection.
double mode_period(int level, int degree, double step);

Table operator_table();
Table mode_table(const std::vector<int>& levels);
Table fold_table(int frames);
Table holonomy_table();
Table acceleration_table(const std::vector<int>& levels);
Table rotation_table(int level);
Table mass_table(int steps);
Table integrator_table(std::vector<io::Plot>* plots);
Table trace_table();
Table filling_table();
Table figure_table();
Table floating_table();
Table sliver_table(int frames);
Table dam_table(const std::vector<int>& cells);
Table solver_table();

}  // namespace selkie::studies::surface_cases
