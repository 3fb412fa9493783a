// State of a liquid domain: everything that influences a later step. Velocities are continued into the air
// and into solids, because the next step moves everything with them; pressure is the warm start of the next
// solve.
#pragma once

#include <array>
#include <cstdint>

#include "selkie/core/buffer.h"
#include "selkie/core/describe.h"
#include "selkie/fluids/liquid/particles.h"
#include "selkie/grid/field.h"
#include "selkie/grid/particle_level_set.h"

namespace selkie::liquid {

// Every particle there ever was, by how it came and went: seeded + inflow + reseeded − outflow − drained −
// crushed − thinned are there.
struct Counts {
  std::uint64_t seeded = 0;    // at the start
  std::uint64_t inflow = 0;    // through inflows
  std::uint64_t refused = 0;   // sent by inflows, but there was no room: never there
  std::uint64_t outflow = 0;   // through open sides
  std::uint64_t drained = 0;   // in drains
  std::uint64_t crushed = 0;   // nowhere to go between solids
  std::uint64_t reseeded = 0;  // into liquid with few particles
  std::uint64_t thinned = 0;   // from liquid with many, or deep below the surface
  std::uint64_t pushed = 0;    // out of solids, once for each time; they stay
};
constexpr auto describe(Counts*) {
  return Members{member("seeded", &Counts::seeded, "", "particles at the start"),
                 member("inflow", &Counts::inflow, "", "particles that flowed in"),
                 member("refused", &Counts::refused, "", "particles that inflows found no room for"),
                 member("outflow", &Counts::outflow, "", "particles that left through open sides"),
                 member("drained", &Counts::drained, "", "particles that drains took"),
                 member("crushed", &Counts::crushed, "", "particles that solids left no room for"),
                 member("reseeded", &Counts::reseeded, "", "particles put into liquid with few"),
                 member("thinned", &Counts::thinned, "", "particles taken from liquid with many or deep"),
                 member("pushed", &Counts::pushed, "", "times that a particle was pushed out of a solid")};
}
static_assert(complete<Counts>());

// The same for a level set, by volume: start + inflow − outflow − drained is due. In 2-D m².
struct Volumes {
  double inflow = 0;   // m³ that inflows brought
  double refused = 0;  // m³ that inflows found no room for
  double outflow = 0;  // m³ through open sides, less what came in there
  double drained = 0;  // m³ that drains took
};
constexpr auto describe(Volumes*) {
  return Members{member("inflow", &Volumes::inflow, "m³", "what inflows brought"),
                 member("refused", &Volumes::refused, "m³", "what inflows found no room for"),
                 member("outflow", &Volumes::outflow, "m³", "what left through open sides"),
                 member("drained", &Volumes::drained, "m³", "what drains took")};
}
static_assert(complete<Volumes>());

// What a secondary particle is at the moment.
enum class SecondaryKind : std::uint8_t { spray, foam, bubble };

// Spray, foam and bubbles: carried by the liquid, without effect on it.
template <class Real>
struct Secondary {
  using Place = Eigen::Matrix<Real, 3, 1>;

  Buffer<Place> position, velocity;
  Buffer<Real> age;
  Buffer<std::uint8_t> kind;

  std::size_t size() const { return position.size(); }
};
template <class Real>
constexpr auto describe(Secondary<Real>*) {
  using S = Secondary<Real>;
  return Members{member("position", &S::position, "m", "where each is"),
                 member("velocity", &S::velocity, "m/s", "of each"),
                 member("age", &S::age, "s", "time spent as foam"),
                 member("kind", &S::kind, "", "0 spray, 1 foam, 2 bubble")};
}
static_assert(complete<Secondary<float>>());

template <class Real>
struct State {
  Buffer<Real> velocity_x, velocity_y, velocity_z;  // at low faces; velocity_z is empty in 2-D
  Buffer<Real> pressure;
  Buffer<Real> surface;  // signed distance at cell centres, m, negative in the liquid
  Particles<Real> particles;
  Counts counts;
  Volumes volumes;              // of the level set
  Buffer<double> owed;          // m³ that each inflow has yet to bring; of the level set
  std::uint64_t born = 0;       // identities given so far
  grid::Markers<Real> markers;  // of the level set
  double travel = 0;            // cells crossed at most since the level set was made a distance
  Secondary<Real> secondary;
  std::uint64_t steps = 0;  // taken
  double last_step = 0;     // s: length of the last of them
  double volume_due = 0;    // m³: what the surface should enclose; with particles, per volume of theirs
  double regrowth = 0;      // 1/s: how fast all liquid grows to get there
  double habit = 0;         // 1/s: the part of it that follows what is lost all the time; of the level set

  std::array<Buffer<Real>*, 3> velocity() { return {&velocity_x, &velocity_y, &velocity_z}; }
  std::array<const Buffer<Real>*, 3> velocity() const { return {&velocity_x, &velocity_y, &velocity_z}; }
};

template <class Real>
constexpr auto describe(State<Real>*) {
  using S = State<Real>;
  return Members{
      member("velocity_x", &S::velocity_x, "m/s", "Velocity along x at the low x faces of cells"),
      member("velocity_y", &S::velocity_y, "m/s", "Velocity along y at the low y faces of cells"),
      member("velocity_z", &S::velocity_z, "m/s", "Velocity along z at the low z faces of cells"),
      member("pressure", &S::pressure, "m/s",
             "Pressure times step over density and cell size, of the last projection"),
      member("surface", &S::surface, "m", "Signed distance to the surface at cell centres, negative inside"),
      member("particles", &S::particles, "", "Marker particles"),
      member("counts", &S::counts, "", "Particles that came and went"),
      member("volumes", &S::volumes, "", "Liquid that came and went, of the level set"),
      member("owed", &S::owed, "m³", "What each inflow has yet to bring, of the level set"),
      member("born", &S::born, "", "How many particles were ever born"),
      member("markers", &S::markers, "", "Markers of the level set"),
      member("travel", &S::travel, "cells", "Crossed since the level set was made a distance"),
      member("secondary", &S::secondary, "", "Spray, foam and bubbles"),
      member("steps", &S::steps, "", "Steps taken"),
      member("last_step", &S::last_step, "s", "Length of the last step"),
      member("volume_due", &S::volume_due, "m³",
             "What the surface should enclose; with particles, over their own volume"),
      member("regrowth", &S::regrowth, "1/s", "How fast all liquid grows to get there"),
      member("habit", &S::habit, "1/s", "The part of regrowth that follows a steady loss of the level set"),
  };
}
static_assert(complete<State<float>>());

// No liquid at all.
template <class Real>
State<Real> make_state(const Model& model);

// The three faces as views; in 2-D the third is empty.
template <class Real>
grid::FaceViews<Real> velocity_views(const Model& model, State<Real>& state);
template <class Real>
grid::FaceViews<const Real> velocity_views(const Model& model, const State<Real>& state);

}  // namespace selkie::liquid
