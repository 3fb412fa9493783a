// State, parameters and scratch: the small functions beside the data.
#include "selkie/solids/fem/state.h"

#include <algorithm>
#include <limits>

#include "selkie/core/text.h"
#include "selkie/solids/fem/params.h"
#include "selkie/solids/fem/work.h"

namespace selkie::fem {

State make_state(const Model& model) {
  State state;
  state.positions.copy_from(model.rest_positions.data(), model.rest_positions.size());
  state.velocities.assign(model.vertex_count, Vec3::Zero());
  state.pinned.assign(model.vertex_count, 0);
  return state;
}

void pin(State& state, std::uint32_t vertex) {
  state.pinned[vertex] = 1;
  state.velocities[vertex] = Vec3::Zero();
}

std::string_view name_of(Integrator integrator) {
  return describe(static_cast<Integrator*>(nullptr))[static_cast<std::size_t>(integrator)];
}
std::string_view name_of(Law law) {
  return describe(static_cast<Law*>(nullptr))[static_cast<std::size_t>(law)];
}

std::vector<Problem> validate(const Params& params) {
  std::vector<Problem> problems;
  if (!(params.poisson < 0.5))
    problems.push_back({"poisson",
                        "is " + number_text(params.poisson) + ", at which nothing could be compressed",
                        "use less than 0.5; above about 0.49 linear elements turn too stiff"});
  if (params.time_budget > 0 && !params.real_time)
    problems.push_back({"time_budget", "has no effect without real_time", "add real_time = true"});
  return problems;
}

namespace {

template <class T, class V>
void fill(Buffer<T>& buffer, const V& value) {
  std::fill(buffer.begin(), buffer.end(), T(value));
}

void poison(TangentField& field) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (Buffer<double>* buffer : {&field.u, &field.v, &field.turned, &field.stretch, &field.flip, &field.twist})
    fill(*buffer, kNan);
  field.mu = field.lambda = kNan;
}

}  // namespace

void poison(Work& work) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const Vec3 nowhere = Vec3::Constant(kNan);
  fill(work.sums, Vec4::Constant(kNan).eval());
  for (Buffer<Vec3>* buffer : {&work.forces, &work.loads, &work.stage_positions, &work.stage_velocities,
                               &work.still, &work.damping, &work.kinematic_velocities})
    fill(*buffer, nowhere);
  for (Buffer<double>* buffer : {&work.rhs, &work.solution, &work.pcg.residual, &work.pcg.preconditioned,
                                 &work.pcg.direction, &work.pcg.product})
    fill(*buffer, kNan);
  for (Buffer<Mat3>* buffer : {&work.diagonal, &work.inverse_diagonal, &work.constraints.projectors})
    fill(*buffer, Mat3::Constant(kNan).eval());
  poison(work.tangent);
  poison(work.damping_tangent);
  fill(work.kinematic, std::uint8_t{0xAB});
  fill(work.kinematic_vertices, 0xABABABABu);
  fill(work.constraints.of_vertex, std::int32_t{0x7b7b7b7b});
  fill(work.chunk_done, 0xABABABABu);
  for (ContactCandidate& contact : work.contacts) contact.normal = contact.velocity = nowhere;
  ports::poison(work.bodies);
  fill(work.attached.of_vertex, std::int32_t{0x7b7b7b7b});
  fill(work.attached.masses, Mat3::Constant(kNan).eval());
  fill(work.attached.momenta, nowhere);
  auto fill_matrix = [&](linalg::BlockSparseSymmetric<3>& matrix) {
    for (Mat3& block : matrix.diagonals()) block.setConstant(kNan);
    for (Mat3& block : matrix.upper_blocks()) block.setConstant(kNan);
  };
  if (work.matrix) fill_matrix(*work.matrix);
  if (!work.coarse) return;
  fill_matrix(work.coarse->matrix);
  fill(work.coarse->rhs, kNan);
  fill(work.coarse->solution, kNan);
}

}  // namespace selkie::fem
