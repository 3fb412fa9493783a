// See step.h.
#include "selkie/fluids/vortex_method/step.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/fluids/vortex_method/buoyancy.h"
#include "selkie/grid/loops.h"

namespace selkie::vortex_method {
namespace {

template <class Vector>
struct Particles {
  std::span<Vector> positions, strengths;
};

// x_to = x_from + dt u(x_at), α_to = α_from + dt G α_at, or with Gᵀ.
template <class Real>
void carry(const Model& model, Stretching stretching, const grid::FaceField<Real>& velocity, double dt,
           const Particles<const Vec3>& from, const Particles<const Vec3>& at, const Particles<Vec3>& to) {
  const ProfileZone zone("vortex_method.carry");
  parallel_for(
      from.positions.size(),
      [&](std::size_t p) {
        const FlowAtPoint flow = flow_at(model, velocity, at.positions[p]);
        const Vec3 rate = stretching == Stretching::classic
                              ? Vec3(flow.gradient * at.strengths[p])
                              : Vec3(flow.gradient.transpose() * at.strengths[p]);
        to.positions[p] = reflect_into_box(model.shape, from.positions[p] + dt * flow.velocity);
        to.strengths[p] = from.strengths[p] + dt * rate;
      },
      256);
}

}  // namespace

template <class Real>
StepReport begin(const Model& model, const Params& params, State<Real>& state, Work<Real>& work) {
  return find_flow(model, params, state.positions, state.strengths, state.stream(), work.flow);
}

template <class Real>
StepReport step(const Model& model, const Params& params, Interval interval, const State<Real>& from,
                State<Real>& to, Work<Real>& work, const Vec3& up) {
  const double dt = interval.dt();
  const Particles<const Vec3> start{from.positions, from.strengths};
  // Half a step with the flow of now.
  StepReport report = find_flow(model, params, from.positions, from.strengths, to.stream(), work.flow);
  if (!report.ok) return report;
  work.positions.resize(from.positions.size());
  work.strengths.resize(from.strengths.size());
  carry(model, params.stretching, work.flow.velocity, 0.5 * dt, start, start,
        {work.positions, work.strengths});
  // The whole step with the flow half-way.
  report.merge(find_flow(model, params, work.positions, work.strengths, to.stream(), work.flow));
  if (!report.ok) return report;
  carry(model, params.stretching, work.flow.velocity, dt, start, {work.positions, work.strengths},
        {to.positions, to.strengths});
  {
    const ProfileZone zone("vortex_method.advect_smoke");
    const grid::FaceViews<const Real> velocity = grid::view(model.shape, std::as_const(work.flow.velocity));
    grid::advect<Real>(model.shape, grid::Place::cell, params.advect_smoke, {velocity, dt},
                       grid::view(model.shape, from.density), grid::view(model.shape, to.density),
                       work.advect);
  }
  if (params.buoyancy != 0) {
    const ProfileZone zone("vortex_method.buoyancy");
    if (!add_buoyancy(model, params, up, dt, from, work.cells, to))
      return StepReport::failure("a vortex particle is not finite");
  }
  if (params.viscosity > 0) {
    const ProfileZone zone("vortex_method.diffuse");
    if (!diffuse(model, params.viscosity, dt, work.cells, to))
      return StepReport::failure("a vortex particle is not finite");
  }
  ++to.steps;
  if (params.remesh_every > 0 && to.steps % static_cast<std::uint64_t>(params.remesh_every) == 0) {
    const ProfileZone zone("vortex_method.remesh");
    if (!remesh(model, params.remesh_cutoff, work.cells, to))
      return StepReport::failure("a vortex particle is not finite");
  }
  report.cfl = top_speed(model, work.flow.velocity) * dt / (params.cfl * model.shape.cell_size());
  return report;
}

template <class Real>
double step_limit(const Model& model, const Params& params, const State<Real>& state, Work<Real>& work) {
  const double size = model.shape.cell_size();
  curl<Real>(model, state.stream(), work.flow.velocity);
  const double speed = top_speed(model, work.flow.velocity);
  double push = 0;
  if (params.buoyancy != 0) {
    const auto density = grid::view(model.shape, state.density);
    push = std::abs(params.buoyancy) *
           grid::max_rows(grid::sample_box(model.shape, grid::Place::cell), [&](int j, int k) {
             double largest = 0;
             for (int i = 0; i < model.shape.cells()[0]; ++i)
               largest = std::max(largest, std::abs(double(density(i, j, k))));
             return largest;
           });
  }
  // (speed + push dt) dt = reach
  const double reach = params.cfl * size;
  double limit = std::numeric_limits<double>::infinity();
  if (speed > 0 || push > 0) limit = 2 * reach / (speed + std::sqrt(speed * speed + 4 * push * reach));
  if (params.viscosity > 0)
    limit = std::min(limit, kDiffusePasses * kDiffusePerPass * size * size / params.viscosity);
  return limit;
}

template <class Real>
void poison(Work<Real>& work) {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  const Vec3 no_vector = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
  for (auto* fields : {&work.flow.vorticity, &work.flow.velocity.component})
    for (Buffer<Real>& field : *fields) field.assign(field.size(), nan);
  for (Buffer<Real>* field : {&work.advect.field, &work.advect.upper}) field->assign(field->size(), nan);
  for (Buffer<Vec3>* vectors :
       {&work.positions, &work.strengths, &work.cells.strength, &work.cells.next, &work.cells.first})
    vectors->assign(vectors->size(), no_vector);
  work.cells.cover.assign(work.cells.cover.size(), no_vector.x());
  for (Layers* layers : {&work.flow.layers, &work.cells.layers})
    for (Buffer<std::uint32_t>* numbers : {&layers->order, &layers->first, &layers->layer})
      numbers->assign(numbers->size(), ~std::uint32_t{0});
  work.flow.built = false;
}

#define SELKIE_INSTANTIATE(Real)                                                                          \
  template StepReport begin<Real>(const Model&, const Params&, State<Real>&, Work<Real>&);                \
  template StepReport step<Real>(const Model&, const Params&, Interval, const State<Real>&, State<Real>&, \
                                 Work<Real>&, const Vec3&);                                               \
  template double step_limit<Real>(const Model&, const Params&, const State<Real>&, Work<Real>&);         \
  template void poison<Real>(Work<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::vortex_method
