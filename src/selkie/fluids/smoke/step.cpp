// See step.h.
#include "selkie/fluids/smoke/step.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "selkie/core/profile.h"
#include "selkie/fluids/smoke/combustion.h"
#include "selkie/fluids/smoke/forces.h"
#include "selkie/fluids/smoke/inflow.h"
#include "selkie/grid/loops.h"

namespace selkie::smoke {
namespace {

template <class Real>
struct Stepper {
  const Model& model;
  const Params& params;
  const Inputs& inputs;
  const Interval interval;
  Work<Real>& work;
  const Vec3 up;
  const int layers;  // of velocity that rays may find in solids

  grid::Flow<Real> flow(const grid::FaceViews<const Real>& velocity, double dt) const {
    grid::Flow<Real> carried{velocity, dt};
    if (work.solids.any_first_order)
      carried.first_order = grid::view(model.shape, std::as_const(work.solids.first_order));
    return carried;
  }

  void advect_scalars(const grid::FaceViews<const Real>& velocity, const State<Real>& from, State<Real>& to) {
    const ProfileZone zone("smoke.advect_scalars");
    auto carry = [&](const Buffer<Real>& old, Buffer<Real>& next) {
      if (old.empty()) return;
      grid::advect<Real>(model.shape, grid::Place::cell, params.advect_scalars, flow(velocity, interval.dt()),
                         grid::view(model.shape, old), grid::view(model.shape, next), work.advect);
      clear_inflow(model, velocity, interval.dt(), next);
    };
    carry(from.density, to.density);
    carry(from.temperature, to.temperature);
    carry(from.fuel, to.fuel);
  }

  // Sources of smoke, heat, fuel and volume, and their decay.
  void add_sources(State<Real>& to) {
    const ProfileZone zone("smoke.sources");
    const bool burning_expands = model.burns && params.burn_expansion > 0;
    const bool expanding = burning_expands || expands(inputs.emitters, interval);
    if (expanding)
      work.expansion.assign(model.shape.size(), 0);
    else
      work.expansion.resize(0);
    emit(model, inputs.emitters, interval, to);
    burn(model, params, interval.dt(), to, work.expansion);
    decay(params, interval.dt(), to);
    if (expanding) add_expansion(model, inputs.emitters, interval, work.expansion);
    seed_vortices(model, inputs.emitters, up, interval, to);
  }

  // Confinement looks at the vorticity of `flow`, which no other force has changed yet.
  StepReport add_forces(double dt, const grid::FaceViews<const Real>& flow, State<Real>& to) {
    const ProfileZone zone("smoke.forces");
    add_buoyancy(model, params, up, dt, to);
    if (params.confinement > 0)
      add_confinement<Real>(model, params.confinement, dt, flow, work.advect.field, to);
    {
      const ProfileZone inner("smoke.vortex_forces");
      add_vortex_forces(model, params, dt, work.vortices, to);
    }
    if (params.viscosity == 0) return {};
    const ProfileZone inner("smoke.viscosity");
    hold_solid_faces(model, work.solids, to);
    const linalg::SolveReport report = diffuse(model, params, dt, work.solids.open, work.diffuse, to);
    return report.converged() ? StepReport{} : StepReport::failure("viscosity: " + report.text());
  }

  StepReport project(State<Real>& to) {
    const ProfileZone zone("smoke.project");
    grid::PressureOptions options;
    options.tolerance = params.tolerance;
    options.max_iterations = params.max_iterations;
    options.warm_start = true;
    const auto in = projection_inputs(model, work.solids, work.expansion);
    const grid::ProjectionReport report = grid::project<Real, Real>(
        in, options, velocity_views(model, to), grid::view(model.shape, to.pressure), work.projection);
    work.solids.matrix_holds = true;
    StepReport step;
    if (!report.ok()) step = StepReport::failure("pressure: " + report.text());
    step.iterations = report.solve.iterations;
    step.residual = report.solve.residual;
    return step;
  }
};

// û = 2 u − u*: the velocity reflected through its projection.
template <class Real>
void reflect(const Model& model, const State<Real>& projected, std::array<Buffer<Real>, 3>& unprojected) {
  for (std::size_t a = 0; a < static_cast<std::size_t>(model.shape.dims()); ++a) {
    const Buffer<Real>& u = *projected.velocity()[a];
    parallel_for(model.shape.size(),
                 [&](std::size_t i) { unprojected[a][i] = 2 * u[i] - unprojected[a][i]; });
  }
}

// The velocity that carries the second half, 2 u½ − u⁰: with u⁰ in the first half, transport follows the mean
// over the step, u½, up to third order; u½ itself would leave it at u¼, first order (cf. [Narain19]).
template <class Real>
void mirror_in_time(const Model& model, const State<Real>& start, std::array<Buffer<Real>, 3>& middle) {
  for (std::size_t a = 0; a < static_cast<std::size_t>(model.shape.dims()); ++a) {
    const Buffer<Real>& u = *start.velocity()[a];
    parallel_for(model.shape.size(), [&](std::size_t i) { middle[a][i] = 2 * middle[a][i] - u[i]; });
  }
}

template <class Real>
void exchange_velocity(State<Real>& state, std::array<Buffer<Real>, 3>& other) {
  for (std::size_t a = 0; a < 3; ++a) std::swap(*state.velocity()[a], other[a]);
}

// Velocity in two halves with the pressure reflected between them, so that the splitting is of second order
// in time [Zehnder18]. The second half mirrors the first: transport, forces, pressure, forces, transport,
// pressure.
template <class Real>
StepReport advance_reflected(Stepper<Real>& s, const State<Real>& from, State<Real>& to) {
  const double half = 0.5 * s.interval.dt();
  const Model& model = s.model;
  const auto dims = static_cast<std::size_t>(model.shape.dims());
  const auto old = velocity_views(model, from);
  grid::advect_velocity<Real>(model.shape, s.params.advect, s.flow(old, half), old, velocity_views(model, to),
                              s.work.advect);
  StepReport report = s.add_forces(half, old, to);
  if (!report.ok) return report;
  for (std::size_t a = 0; a < dims; ++a) s.work.reflected[a] = *to.velocity()[a];
  report.merge(s.project(to));
  if (!report.ok) return report;
  reflect(model, to, s.work.reflected);
  extrapolate_into_solids(model, s.layers, s.work.solids, to);
  grid::FaceViews<const Real> carrier, mirrored;
  for (std::size_t a = 0; a < dims; ++a) {
    s.work.middle[a] = *to.velocity()[a];
    carrier[a] = grid::view(model.shape, std::as_const(s.work.middle[a]));
  }
  s.advect_scalars(carrier, from, to);
  mirror_in_time(model, from, s.work.middle);
  exchange_velocity(to, s.work.reflected);
  s.add_sources(to);
  report.merge(s.add_forces(half, carrier, to));
  if (!report.ok) return report;
  exchange_velocity(to, s.work.reflected);
  for (std::size_t a = 0; a < dims; ++a)
    mirrored[a] = grid::view(model.shape, std::as_const(s.work.reflected[a]));
  grid::advect_velocity<Real>(model.shape, s.params.advect, s.flow(carrier, half), mirrored,
                              velocity_views(model, to), s.work.advect);
  return report;
}

template <class Real>
StepReport advance(Stepper<Real>& s, const State<Real>& from, State<Real>& to) {
  const auto old = velocity_views(s.model, from);
  {
    const ProfileZone zone("smoke.advect_velocity");
    grid::advect_velocity<Real>(s.model.shape, s.params.advect, s.flow(old, s.interval.dt()), old,
                                velocity_views(s.model, to), s.work.advect);
  }
  s.advect_scalars(old, from, to);
  s.add_sources(to);
  return s.add_forces(s.interval.dt(), old, to);
}

}  // namespace

template <class Real>
StepReport step(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const State<Real>& from, State<Real>& to, Work<Real>& work) {
  const double cells = top_speed(model, from) * interval.dt() / model.shape.cell_size();
  if (!std::isfinite(cells)) return StepReport::failure("the velocity of the gas is not finite");
  const double gravity = inputs.gravity.norm();
  const Vec3 up = gravity > 0 ? Vec3(-inputs.gravity / gravity) : Vec3(Vec3::UnitY());
  Stepper<Real> s{model, params, inputs, interval, work, up, 2 + static_cast<int>(std::min(cells, 8.0))};
  {
    const ProfileZone zone("smoke.solids");
    place_solids(model, params, inputs.colliders, interval.t1(), work.advect.field, work.solids);
    mark_first_order<Real>(model, params, velocity_views(model, from), interval.dt(), cells, work.solids);
  }
  StepReport report = params.reflect ? advance_reflected(s, from, to) : advance(s, from, to);
  if (!report.ok) return report;
  report.merge(s.project(to));
  if (!report.ok) return report;
  {
    const ProfileZone zone("smoke.extrapolate");
    extrapolate_into_solids(model, s.layers, work.solids, to);
  }
  const ProfileZone zone("smoke.vortex_particles");
  advance_vortices(
      model, params, [&](const Vec3& x) { return nearest_solid(inputs.colliders, x, interval.t1()); },
      interval.dt(), to);
  report.cfl = cells;
  return report;
}

namespace {

// Largest size of a field; NaN if a value is. Sizes of floating-point numbers are in the order of their bits,
// NaN last, and integers have a maximum that runs in vector registers.
template <class Real>
double largest_size(const grid::Shape& shape, grid::Place place, const Buffer<Real>& field) {
  using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits kSize = ~Bits(0) >> 1;
  const grid::Box box = grid::sample_box(shape, place);
  return grid::max_rows(box, [&](int j, int k) {
    const Real* const row = field.data() + shape.at(0, j, k);
    Bits largest = 0;
    for (int i = 0; i < box.hi[0]; ++i) largest = std::max(largest, std::bit_cast<Bits>(row[i]) & kSize);
    return double(std::bit_cast<Real>(largest));
  });
}

}  // namespace

template <class Real>
double top_speed(const Model& model, const State<Real>& state) {
  double fastest = 0;
  for (int axis = 0; axis < model.shape.dims(); ++axis) {
    const double speed =
        largest_size(model.shape, grid::face_place(axis), *state.velocity()[static_cast<std::size_t>(axis)]);
    if (!(speed <= fastest)) fastest = speed;
  }
  return fastest;
}

template <class Real>
double step_limit(const Model& model, const Params& params, const State<Real>& state) {
  auto largest = [&](const Buffer<Real>& field) {
    return largest_size(model.shape, grid::Place::cell, field);
  };
  const double speed = top_speed(model, state);
  const double push = std::abs(params.buoyancy) * largest(state.temperature) +
                      std::abs(params.weight) * largest(state.density);
  const double reach = params.cfl * model.shape.cell_size();
  // (speed + push dt) dt = reach
  if (push > 0) return 2 * reach / (speed + std::sqrt(speed * speed + 4 * push * reach));
  return speed > 0 ? reach / speed : std::numeric_limits<double>::infinity();
}

template <class Real>
void poison(Work<Real>& work) {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  auto fill = [&](Buffer<Real>& field) { field.assign(field.size(), nan); };
  for (auto* fields : {&work.solids.open, &work.solids.velocity, &work.middle, &work.reflected,
                       &work.vortices.curl, &work.vortices.spread})
    for (Buffer<Real>& field : *fields) fill(field);
  for (Buffer<Real>* field : {&work.expansion, &work.advect.field, &work.advect.upper,
                              &work.vortices.magnitude, &work.projection.right})
    fill(*field);
  for (Buffer<std::uint8_t>* marks : {&work.solids.first_order, &work.solids.cells_away, &work.solids.kinds})
    marks->assign(marks->size(), 0xff);
  work.solids.signature.clear();
}

#define SELKIE_INSTANTIATE(Real)                                                                           \
  template StepReport step<Real>(const Model&, const Params&, const Inputs&, Interval, const State<Real>&, \
                                 State<Real>&, Work<Real>&);                                               \
  template double step_limit<Real>(const Model&, const Params&, const State<Real>&);                       \
  template double top_speed<Real>(const Model&, const State<Real>&);                                       \
  template void poison<Real>(Work<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::smoke
