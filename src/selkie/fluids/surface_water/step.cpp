// See step.h.
#include "selkie/fluids/surface_water/step.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/fluids/surface_water/bodies.h"
#include "selkie/fluids/surface_water/detail/implicit_work.h"
#include "selkie/fluids/surface_water/detail/lanes.h"
#include "selkie/fluids/surface_water/droplets.h"
#include "selkie/fluids/surface_water/phases.h"

// The iterations of the loop that follows do not meet in memory.
#if defined(__clang__)
#define SELKIE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define SELKIE_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace selkie::surface_water {

Work::Work() : implicit(std::make_unique<ImplicitWork>()) {}
Work::~Work() = default;
Work::Work(Work&&) noexcept = default;
Work& Work::operator=(Work&&) noexcept = default;

void poison(Work& work) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  auto spoil = [&](Buffer<double>& b) { std::fill(b.begin(), b.end(), nan); };
  Metric& m = work.metric;
  for (Buffer<double>* b :
       {&m.length,        &m.apex_x,     &m.apex_y,     &m.area,          &m.g1x,
        &m.g1y,           &m.g2x,        &m.g2y,        &m.share,         &m.disc_x,
        &m.disc_y,        &m.dual_area,  &m.stiffness,  &work.velocity_x, &work.velocity_y,
        &work.pull,       &work.force_x, &work.force_y, &work.slope_x,    &work.slope_y,
        &work.normal_raw, &work.normal,  &work.pressed, &work.scalar_a,   &work.scalar_b})
    spoil(*b);
  for (std::size_t c = 0; c < 3; ++c) spoil(m.angle[c]), spoil(m.edge[c]), spoil(work.outflow[c]);
  std::fill(m.corner_share.begin(), m.corner_share.end(), CornerShare{nan, nan});
  for (Buffer<Vec3>* b : {&m.normal, &m.vertex_normal, &work.acceleration, &work.reaction})
    std::fill(b->begin(), b->end(), Vec3::Constant(nan));
  for (FaceRates& r : work.rates) r = {{nan, nan}, {{nan, nan}, {nan, nan}, {nan, nan}}};
  std::fill(work.touched.begin(), work.touched.end(), ColumnHit{true, 0xffffffffu, 0xffffffffu, nan});
  work.tree = {};
  poison(*work.implicit);
}

void prepare(const Model& model, Work& w) {
  const std::size_t faces = model.complex.face_count, vertices = model.complex.vertex_count;
  if (w.velocity_x.size() == faces && w.normal.size() == vertices) return;
  for (Buffer<double>* b : {&w.velocity_x, &w.velocity_y, &w.pull, &w.force_x, &w.force_y, &w.slope_x,
                            &w.slope_y, &w.outflow[0], &w.outflow[1], &w.outflow[2], &w.pressed})
    b->assign(faces, 0);
  for (Buffer<double>* b : {&w.normal_raw, &w.normal, &w.scalar_a, &w.scalar_b}) b->assign(vertices, 0);
  w.acceleration.assign(vertices, Vec3::Zero());
  w.reaction.assign(faces, Vec3::Zero());
  w.rates.assign(faces, FaceRates{});
}

const Metric& metric_of(const Model& model, const Inputs& inputs, const Work& work) {
  return inputs.positions.empty() ? model.metric : work.metric;
}

void advect_all(const Model& model, const Params& params, const Metric& m, double dt, const State& state,
                Work& w) {
  const bool moves = params.advection && params.method != Method::kass_miller;
  const bool heights = params.method == Method::advected_height || params.method == Method::layton;
  if (moves || heights) interpolate_to_corners(model.complex, m, state.rate_1, state.rate_2, w.rates);
  if (heights && params.advection)
    advect_scalar(model.complex, m, w.rates, dt, state.depth, w.scalar_a);
  else if (heights)
    std::copy(state.depth.begin(), state.depth.end(), w.scalar_a.begin());
  if (moves) return advect_velocity(model.complex, m, w.rates, dt, w.velocity_x, w.velocity_y);
  parallel_for(model.complex.face_count, [&](std::size_t f) {
    const Vec2 v = vector_of(m, f, Vec2(state.rate_1[f], state.rate_2[f]));
    w.velocity_x[f] = v[0], w.velocity_y[f] = v[1];
  });
}

namespace {

// Percent left after 1/60 s [SW-51].
void slow_down(const Params& params, double dt, Work& w) {
  if (params.friction >= 100) return;
  const double kept = std::pow(params.friction / 100, 60 * dt);
  for (Buffer<double>* b : {&w.velocity_x, &w.velocity_y})
    parallel_for(b->size(), [&](std::size_t f) { (*b)[f] *= kept; });
}

// −2Ω × v in the plane: turned by the circulation of the mesh's own motion around each face, over its area.
void turn_with_mesh(const Model& model, const Inputs& inputs, const Metric& m, const State& from, Work& w) {
  if (inputs.positions.empty() || inputs.jump) return;
  const Complex& complex = model.complex;
  parallel_for(complex.face_count, [&](std::size_t f) {
    double circulation = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t i = complex.vertex[c][f], j = complex.vertex[(c + 1) % 3][f];
      const Vec3 way = (inputs.positions[i] - from.positions[i]) + (inputs.positions[j] - from.positions[j]);
      circulation += 0.5 * way.dot(inputs.positions[j] - inputs.positions[i]);
    }
    const double angle = -circulation / m.area[f], x = w.velocity_x[f], y = w.velocity_y[f];
    w.velocity_x[f] = std::cos(angle) * x - std::sin(angle) * y;
    w.velocity_y[f] = std::sin(angle) * x + std::cos(angle) * y;
  });
}

bool all_finite(const State& state) {
  const double *depth = state.depth.data(), *rate_1 = state.rate_1.data(), *rate_2 = state.rate_2.data();
  const double worst =
      detail::largest(state.depth.size(), [=](std::size_t v) { return 0 * depth[v]; }) +
      detail::largest(state.rate_1.size(), [=](std::size_t f) { return 0 * (rate_1[f] + rate_2[f]); });
  return worst == 0;
}

}  // namespace

void store_rates(const Model& model, const Metric& m, const Work& w, State& to) {
  parallel_blocks(model.complex.face_count, 2048, [&](std::size_t begin, std::size_t end) {
    const double *x = w.velocity_x.data(), *y = w.velocity_y.data(), *length = m.length.data(),
                 *apex_x = m.apex_x.data(), *apex_y = m.apex_y.data();
    double *rate_1 = to.rate_1.data(), *rate_2 = to.rate_2.data();
    SELKIE_INDEPENDENT
    for (std::size_t f = begin; f < end; ++f) {
      const double b = y[f] / apex_y[f];
      rate_1[f] = (x[f] - b * apex_x[f]) / length[f];
      rate_2[f] = b;
    }
  });
}

StepReport step(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const State& from, State& to, Work& work) {
  const double dt = interval.dt();
  prepare(model, work);
  {
    const ProfileZone zone("surface_water.animate");
    forget_histories(params.method, to);
    move_mesh(model, params, inputs, dt, to, work);
  }
  const Metric& metric = metric_of(model, inputs, work);
  {
    const ProfileZone zone("surface_water.advect");
    advect_all(model, params, metric, dt, to, work);
    if (params.coriolis) turn_with_mesh(model, inputs, metric, from, work);
  }
  StepReport report;
  {
    const ProfileZone zone("surface_water.forces");
    report.contacts = meet_bodies(model, params, inputs, interval, metric, to, work);
    split_accelerations(model, params, inputs, metric, to, work);
  }
  {
    const ProfileZone zone("surface_water.integrate");
    if (is_implicit(params.method)) {
      report.merge(integrate_implicit(model, params, inputs, metric, dt, to, work));
    } else {
      if (params.method == Method::advected_height) to.depth = work.scalar_a;
      limit_speeds(model, metric, dt, work);
      const SubstepChoice choice = choose_substeps(model, params, metric, dt, to, work);
      if (choice.count < 1) return StepReport::failure("the water is no longer finite");
      integrate_explicit(model, params, inputs, metric, dt, choice.count, to, work);
      report.cfl = dt / choice.count / choice.limit;
    }
    slow_down(params, dt, work);
    store_rates(model, metric, work, to);
  }
  if (params.droplets || !to.drop_volumes.empty()) {
    const ProfileZone zone("surface_water.droplets");
    move_droplets(model, params, inputs, interval, metric, from, to, work);
  }
  to.step_before = dt;
  if (!all_finite(to)) return StepReport::failure("the water is no longer finite");
  return report;
}

}  // namespace selkie::surface_water
