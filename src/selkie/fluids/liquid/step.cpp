// See step.h.
#include "selkie/fluids/liquid/step.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "selkie/core/profile.h"
#include "selkie/fluids/liquid/pour.h"
#include "selkie/fluids/liquid/secondary.h"
#include "selkie/fluids/liquid/surface.h"
#include "selkie/fluids/liquid/volume.h"
#include "selkie/grid/loops.h"

namespace selkie::liquid {
namespace {

// Particles along the flow, into and out of the domain, in the order of cells.
template <class Real>
void move_and_sort(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                   State<Real>& to, Work<Real>& work) {
  if (params.transfer == Transfer::apic && to.particles.affine.size() != to.particles.size())
    to.particles.affine.assign(to.particles.size(), Particles<Real>::Affine::Zero());
  const MotionReport moved =
      move_particles(model, params, inputs.colliders, interval, work.solids, to, work.sort.key);
  to.counts.outflow += moved.outflow;
  to.counts.crushed += moved.crushed;
  to.counts.pushed += moved.pushed;
  to.counts.drained += take_drained(model, inputs.sources, interval, to, work.sort.key);
  const ProfileZone zone("liquid.sort");
  const std::size_t before = to.particles.size();
  const InflowReport came = add_inflow(model, inputs.sources, inputs.colliders, interval, to);
  to.counts.inflow += came.added;
  to.counts.refused += came.refused;
  if (to.particles.size() > before) {
    // The newborn stand behind the others, where find_cells would overwrite the marks of the dropped.
    if (work.sort.key.size() < to.particles.size()) work.sort.key.resize(to.particles.size());
    const auto [nx, ny, nz] = model.shape.cells();
    for (std::size_t p = before; p < to.particles.size(); ++p) {
      const Vec3 at = place_of(to.particles, p);
      work.sort.key[p] = static_cast<std::uint32_t>(
          int(at.x()) + nx * (int(at.y()) + ny * (model.shape.dims() == 3 ? int(at.z()) : 0)));
    }
  }
  sort(model.shape, to.particles, work.ranges, work.sort);
}

// Particles, their surface, and their velocity on the grid (LE-13, LE-17).
template <class Real>
void advance_particles(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                       State<Real>& to, Work<Real>& work) {
  carry_deep(model, params, interval, std::as_const(to), work.ranges, work.population);
  move_and_sort(model, params, inputs, interval, to, work);
  separate(model, params.separation, work.solids, work.ranges, work.places, to);
  find_surface(model, params, work.solids, work.ranges, to);
  {
    const ProfileZone zone("liquid.to_grid");
    to_grid(model, params, to.particles, work.ranges, to, work.transfer);
    set_deep_velocity(model, work.ranges, work.population, to);
  }
  populate(model, params, work.solids, to, work.ranges, work.sort, work.population);
}

// Level set, markers and velocity on the grid (HY-08).
template <class Real>
void advance_level_set(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                       double cells, State<Real>& to, Work<Real>& work) {
  for (std::size_t a = 0; a < static_cast<std::size_t>(model.shape.dims()); ++a)
    work.flow.before[a] = *to.velocity()[a];
  count_outflow(model, interval.dt(), work.solids, to);
  const bool fed =
      std::any_of(inputs.sources.inflows.begin(), inputs.sources.inflows.end(),
                  [&](const Inflow& inflow) { return is_active(inflow.start, inflow.end, interval); });
  carry_surface(model, params, inputs.colliders, interval, work.solids, cells, fed, to, work.tracker);
  carry_velocity(model, params, interval, work.solids, work.flow.before, cells, to, work.tracker);
  pour(model, inputs.sources, interval, work.solids, to, work.tracker.field);
  fill_surface_ghosts(model, to.surface);
}

// How fast all liquid grows to close the gap between what its surface encloses and what is due, 1/s.
template <class Real>
void find_regrowth(const Model& model, double dt, State<Real>& to, Work<Real>& work) {
  constexpr double kMostPerStep = 0.05;  // of the volume
  const double most = kMostPerStep / dt;
  if (model.tracker == Tracker::particles) {
    // The volume changes slowly: measuring it now and then is enough.
    constexpr double kRegrowth = 10;  // 1/s
    constexpr std::uint64_t kStepsBetweenMeasures = 4;
    if (to.steps % kStepsBetweenMeasures != 0) return;
    // Particles that came or went without liquid do not count.
    const double liquid = double(to.particles.size() + to.counts.thinned - to.counts.reseeded);
    const double due = to.volume_due * liquid * model.particle_volume();
    to.regrowth =
        std::clamp(kRegrowth * volume_gap(model, work.solids, to, due, work.tracker.field), -most, most);
    return;
  }
  // A level set loses what is thinner than its cells all the time. In proportion to the gap alone, one would
  // stay open of what is lost while it closes; its integral learns a steady loss. It stands still while the
  // answer is at its bound. The gap answers a step late: kOfGap keeps both from swinging, kLearning < 1/4
  // from overshooting.
  constexpr double kSurfaceRegrowth = 30, kOfGap = 0.5, kLearning = 1.0 / 6, kMostHabit = 2;  // 1/s, , , 1/s
  const double speed = std::min(kSurfaceRegrowth, kOfGap / dt);
  const double gap = volume_gap(model, work.solids, to, to.volume_due, work.tracker.field);
  if (std::abs(speed * gap + to.habit) < most)
    to.habit = std::clamp(to.habit + kLearning * speed * speed * gap * dt, -kMostHabit, kMostHabit);
  to.regrowth = std::clamp(speed * gap + to.habit, -most, most);
}

// Where liquid is asked to grow or shrink.
template <class Real>
void find_growth(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                 State<Real>& to, Work<Real>& work) {
  const bool sources = grows(inputs.sources, interval);
  work.flow.correction.resize(0);
  if (!params.keep_volume && !sources) {
    work.flow.source.resize(0);
    return;
  }
  const ProfileZone zone("liquid.growth");
  const bool level_set = model.tracker == Tracker::level_set;
  Buffer<Real>& rate = work.flow.source;
  rate.assign(model.shape.size(), Real(0));
  if (params.keep_volume) {
    find_regrowth(model, interval.dt(), to, work);
    add_everywhere(model, to, to.regrowth, rate);
    // Crowding and what the surface encloses seldom agree to the last percent; the latter has more weight.
    if (!level_set) add_spreading(model, work.solids, to, work.ranges, interval.dt(), rate);
  }
  if (sources) work.flow.correction = rate;
  if (sources && level_set)
    add_pouring(model, inputs.sources, interval, work.solids, to, rate);
  else if (sources)
    add_growth(model, inputs.sources, interval, work.ranges, rate);
}

template <class Real>
void fill_velocity_ghosts(const Model& model, State<Real>& state) {
  for (int axis = 0; axis < model.shape.dims(); ++axis)
    fill_ghosts(model.shape, grid::face_place(axis), *state.velocity()[static_cast<std::size_t>(axis)]);
}

}  // namespace

template <class Real>
StepReport predict(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                   State<Real>& to, Work<Real>& work) {
  const double cells = top_speed(model, to) * interval.dt() / model.shape.cell_size();
  if (!std::isfinite(cells)) return StepReport::failure("the velocity of the liquid is not finite");
  place_solids(model, inputs.placed.empty() ? inputs.colliders : inputs.placed, interval.t1(), work.solids,
               inputs.placed_move);
  if (!inputs.patches.empty()) cut_faces(model, inputs.walls, inputs.patches, interval.t1(), work.solids);
  ++to.steps;
  to.last_step = interval.dt();
  fill_velocity_ghosts(model, to);
  if (model.tracker == Tracker::level_set)
    advance_level_set(model, params, inputs, interval, cells, to, work);
  else
    advance_particles(model, params, inputs, interval, to, work);
  for (std::size_t a = 0; a < static_cast<std::size_t>(model.shape.dims()); ++a)
    work.flow.before[a] = *to.velocity()[a];
  classify(model, work.solids, to, work.flow);
  add_gravity(model, inputs.gravity, interval.dt(), to);
  StepReport report;
  if (params.viscosity > 0)
    report = diffuse(model, params, work.solids, interval.dt(), to, work.flow, work.viscosity);
  if (params.surface_tension > 0)
    add_tension(model, params, work.solids, interval.dt(), to, work.flow, work.tension);
  find_growth(model, params, inputs, interval, to, work);
  report.cfl = cells;
  return report;
}

template <class Real>
void finish(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
            State<Real>& to, Work<Real>& work) {
  correct(model, work.solids, to, work.flow);
  const double cells = top_speed(model, to) * interval.dt() / model.shape.cell_size();
  const int layers = 2 + static_cast<int>(std::ceil(std::clamp(std::max(cells, params.cfl), 1.0, 30.0)));
  extrapolate(model, inputs.colliders, inputs.sticky, interval.t1(), work.solids, layers, to, work.flow);
  if (model.tracker == Tracker::particles) {
    const ProfileZone zone("liquid.to_particles");
    to_particles(model, params, work.flow.change, to);
  }
  if (params.foam > 0 || to.secondary.size() > 0)
    advance_secondary(model, params, inputs.gravity, interval, work.solids, work.ranges, to);
}

template <class Real>
StepReport step(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const State<Real>& /*from*/, State<Real>& to, Work<Real>& work) {
  StepReport report = predict(model, params, inputs, interval, to, work);
  if (!report.ok) return report;
  assemble(model, work.solids, to, work.flow);
  report.merge(solve(model, params, to, work.flow));
  if (!report.ok) return report;
  finish(model, params, inputs, interval, to, work);
  return report;
}

template <class Real>
void prepare(const Model& model, const Params& params, Colliders colliders, double time, State<Real>& state,
             Work<Real>& work) {
  place_solids(model, colliders, time, work.solids);
  if (model.tracker == Tracker::level_set) {
    start_level_set(model, params, state, work.tracker);
    fill_surface_ghosts(model, state.surface);
  } else {
    find_cells(model.shape, state.particles, work.sort.key);
    sort(model.shape, state.particles, work.ranges, work.sort);
    find_surface(model, params, work.solids, work.ranges, state);
  }
  const double there = enclosed_volume(model, work.solids, state.surface, work.tracker.field);
  const double filled = double(state.particles.size()) * model.particle_volume();
  state.volume_due = model.tracker == Tracker::level_set ? there
                     : filled > 0 && there > 0           ? there / filled
                                                         : 1;
}

template <class Real>
double top_speed(const Model& model, const State<Real>& state) {
  double fastest = 0;
  for (int axis = 0; axis < model.shape.dims(); ++axis) {
    const auto u = grid::view(model.shape, *state.velocity()[static_cast<std::size_t>(axis)]);
    const grid::Box box = grid::sample_box(model.shape, grid::face_place(axis));
    const double speed = grid::max_rows(box, [&](int j, int k) {
      const Real* const row = u.line(j, k);
      // Numbers without their sign are in order as integers too, and behind the largest come infinity and
      // NaN.
      using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
      constexpr Bits kMagnitude = ~Bits(0) >> 1;
      Bits largest = 0;
      for (int i = 0; i < box.hi[0]; ++i)
        largest = std::max(largest, std::bit_cast<Bits>(row[i]) & kMagnitude);
      return double(std::bit_cast<Real>(largest));
    });
    if (!(speed <= fastest)) fastest = speed;
  }
  return fastest;
}

// Places lag behind velocities by half a step (they move before the forces act). While steps are alike that
// is a leapfrog and keeps energy; where a step is much shorter than the one before, half of the difference
// stays in the velocities as energy from nowhere. So steps begin short and lengthen slowly: a column that
// collapses gained 4.5 % of its energy when its first step was as long as its speed of zero allowed, 1.2 %
// like this.
constexpr double kFirstStep = 0.125, kGrowth = 1.3;

template <class Real>
double step_limit(const Model& model, const Params& params, const Vec3& gravity, const State<Real>& state) {
  const double speed = top_speed(model, state), pull = gravity.norm();
  const double reach = params.cfl * model.shape.cell_size(), tension = tension_step_limit(model, params);
  if (model.tracker == Tracker::particles && state.particles.size() == 0) return tension;
  double limit = std::numeric_limits<double>::infinity();
  // (speed + pull dt) dt = reach
  if (pull > 0)
    limit = 2 * reach / (speed + std::sqrt(speed * speed + 4 * pull * reach));
  else if (speed > 0)
    limit = reach / speed;
  return std::min({limit, tension, state.steps == 0 ? kFirstStep * limit : kGrowth * state.last_step});
}

template <class Real>
void poison(Work<Real>& work) {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  auto fill = [&](Buffer<Real>& field) { field.assign(field.size(), nan); };
  for (auto* fields :
       {&work.solids.open, &work.solids.velocity, &work.flow.before, &work.flow.change, &work.places})
    for (Buffer<Real>& field : *fields) fill(field);
  for (Buffer<Real>* field :
       {&work.solids.nodes, &work.sort.values, &work.transfer.sums, &work.flow.source, &work.flow.correction,
        &work.flow.projection.right, &work.tracker.field, &work.tracker.advect.field,
        &work.tracker.advect.upper, &work.tracker.markers.outer_phi, &work.tracker.markers.inner_phi,
        &work.tension.distance, &work.tension.curvature})
    fill(*field);
  for (Buffer<Real>& field : work.population.carried) fill(field);
  for (Buffer<std::uint8_t>* marks : {&work.population.depth, &work.population.next, &work.ranges.full,
                                      &work.solids.room, &work.flow.kinds, &work.flow.marks,
                                      &work.flow.pockets.marks})
    marks->assign(marks->size(), 0xff);
  for (Buffer<std::uint32_t>* list : {&work.sort.key, &work.sort.source, &work.ranges.start})
    list->assign(list->size(), 0xfffffff0u);
  work.solids.signature.clear();
}

#define SELKIE_INSTANTIATE(Real)                                                                           \
  template StepReport step<Real>(const Model&, const Params&, const Inputs&, Interval, const State<Real>&, \
                                 State<Real>&, Work<Real>&);                                               \
  template StepReport predict<Real>(const Model&, const Params&, const Inputs&, Interval, State<Real>&,    \
                                    Work<Real>&);                                                          \
  template void finish<Real>(const Model&, const Params&, const Inputs&, Interval, State<Real>&,           \
                             Work<Real>&);                                                                 \
  template void prepare<Real>(const Model&, const Params&, Colliders, double, State<Real>&, Work<Real>&);  \
  template double step_limit<Real>(const Model&, const Params&, const Vec3&, const State<Real>&);          \
  template double top_speed<Real>(const Model&, const State<Real>&);                                       \
  template void poison<Real>(Work<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::liquid
