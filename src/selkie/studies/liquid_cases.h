// What the tables of the liquid study share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "selkie/fluids/liquid/step.h"
#include "selkie/grid/loops.h"
#include "selkie/studies/study.h"

namespace selkie::studies::liquid_cases {

std::string number(double value);

// A domain of liquid that is stepped on its own, without a World.
template <class Real>
struct Tank {
  liquid::Model model;
  liquid::Params params;
  liquid::Inputs inputs = {};
  liquid::State<Real> state = liquid::make_state<Real>(model);
  liquid::State<Real> from = state;
  liquid::Work<Real> work = {};
  double time = 0;
  bool ok = true;

  // Particles where inside(x) is true, at rest unless velocity(x) is given.
  void fill(FunctionRef<bool(const Vec3&)> inside, FunctionRef<Vec3(const Vec3&)> velocity = {});
  // φ at cell centres and ghosts from a function of the place.
  void set_surface(FunctionRef<double(const Vec3&)> distance);
  void advance(double dt);
  // As many steps as the CFL number asks for, none longer than `longest`.
  void advance_to(double end, double longest);
  double largest_speed() const { return liquid::top_speed(model, state); }
  Vec3 mean_place() const;     // of the particles, m
  Vec3 mean_velocity() const;  // m/s
};

// A solid from a function of the place.
struct Solid : ports::FieldSampler {
  std::function<ports::FieldSample(const Vec3&)> at;
  explicit Solid(std::function<ports::FieldSample(const Vec3&)> sampler) : at(std::move(sampler)) {}
  ports::FieldSample sample(const Vec3& x, double) const override { return at(x); }
  bool still() const override { return true; }
};

Table linear_pressure_table();
Table hydrostatic_table();
Table rest_table(bool full);
// A pool of a level set at a height between cell centres does not move. (liquid_rest.cpp)
Table still_pool_table();
Table sloshing_table(const std::vector<int>& sizes);
Table slope_table();
Table transfer_table();
Table viscosity_table();
struct EnergyResult {
  Table table;
  io::Plot plot;
};
EnergyResult energy_table(int cells, double seconds);
// What the exported surface encloses over 10 s, and by how much it may have changed in the end. (liquid_volume.cpp)
struct VolumeResult {
  Table table;
  io::Plot plot;
};
VolumeResult volume_table(int cells, bool uncorrected = true, double bound = 0.005);
Table capillary_table(const std::vector<int>& sizes);
// A drop falls into a pool, by three ways to carry velocity; `cells` a metre.
Table splash_table(int cells);

// How surfaces are carried: disc with a slot, vortex, deformation. (liquid_interface.cpp)
std::vector<Table> interface_tables(const StudyOptions& options);

}  // namespace selkie::studies::liquid_cases
