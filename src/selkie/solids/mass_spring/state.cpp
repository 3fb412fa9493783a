// State, parameters and scratch: the small functions beside the data.
#include "selkie/solids/mass_spring/state.h"

#include <algorithm>
#include <limits>
#include <string>

#include "selkie/core/check.h"
#include "selkie/ports/hand.h"
#include "selkie/solids/mass_spring/params.h"
#include "selkie/solids/mass_spring/work.h"

namespace selkie::mass_spring {

State make_state(const Model& model, std::span<const Vec3> positions) {
  SELKIE_CHECK(positions.size() == model.vertex_count, "one position per vertex");
  State state;
  state.positions.copy_from(positions.data(), positions.size());
  state.velocities.assign(positions.size(), Vec3::Zero());
  state.pinned.assign(positions.size(), 0);
  return state;
}

void pin(State& state, std::uint32_t vertex) {
  state.pinned[vertex] |= ports::kPinned;
  state.velocities[vertex] = Vec3::Zero();
}
void unpin(State& state, std::uint32_t vertex) {
  state.pinned[vertex] = static_cast<std::uint8_t>(state.pinned[vertex] & ~ports::kPinned);
}

void grab(State& state, std::uint32_t vertex, const Vec3& target) {
  SELKIE_CHECK(vertex < state.positions.size(), "a vertex of this body");
  release(state);
  state.grabbed_vertex = vertex;
  state.grab_target = target;
}
void release(State& state) { ports::release_hand(state); }

std::string_view name_of(Integrator integrator) {
  return describe(static_cast<Integrator*>(nullptr))[static_cast<std::size_t>(integrator)];
}

std::vector<Problem> validate(const Params& params) {
  std::vector<Problem> problems;
  if (params.damping_kind == DampingKind::fraction && params.damping > 100)
    problems.push_back({"damping", std::to_string(params.damping) + " times critical damping",
                        "use damping_kind = \"absolute\" to give N·s/m"});
  return problems;
}

void poison(Work& work) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const Vec3 nowhere = Vec3::Constant(kNan);
  auto fill = [](auto& buffer, const auto& value) { std::fill(buffer.begin(), buffer.end(), value); };
  fill(work.forces, Vec4::Constant(kNan).eval());
  for (Buffer<Vec3>* buffer :
       {&work.stage_positions, &work.stage_velocities, &work.sum_positions, &work.sum_velocities,
        &work.kinematic_velocities, &work.sliding.normals, &work.contact_loads})
    fill(*buffer, nowhere);
  for (Buffer<double>* buffer : {&work.vertex_stiffness, &work.rhs, &work.solution, &work.downhill,
                                 &work.newton_residuals, &work.sliding.speeds, &work.root_mobilities})
    fill(*buffer, kNan);
  for (auto& bound : work.bounds) bound.fill(kNan);
  for (auto& maxima : work.block_maxima) maxima.fill(kNan);
  ports::poison(work.bodies);
  fill(work.kinematic, std::uint8_t{0xAB});
  fill(work.kinematic_vertices, 0xABABABABu);
  fill(work.chunk_done, 0xABABABABu);
  fill(work.watched.seen, Vec3::Constant(kNan).eval());
  fill(work.watched.tets, 0xABABABABu);
  work.watched.threshold = kNan;
  fill(work.squeezed, 0xABABABABu);
  fill(work.squeezed_in_block, 0xABABABABu);
  fill(work.sliding.projectors, Mat3::Constant(kNan).eval());
  fill(work.candidates,
       ContactCandidate{0xABABABABu, nowhere, nowhere, kNan, 0xABABABABu, kNan, kNan, nowhere});
  fill(work.sliding.of_vertex, std::int32_t{0x7b7b7b7b});
  fill(work.altitudes, ChosenAltitude{Vec3::Constant(kNan), {kNan, kNan, kNan, kNan}, kNan, kNan, kNan});
  if (!work.system) return;
  const Mat3 broken = Mat3::Constant(kNan);
  for (Mat3& block : work.system->matrix.diagonals()) block = broken;
  for (Mat3& block : work.system->matrix.upper_blocks()) block = broken;
  // Factors of a matrix that is not finite: one that a step used without making it anew would be seen.
  work.system->jacobi.refresh(work.system->matrix);
  (void)work.system->incomplete_cholesky.refresh(work.system->matrix);
  if (work.system->cholesky.size() > 0) (void)work.system->cholesky.factorize(work.system->matrix);
  linalg::PcgWork& pcg = work.system->pcg;
  for (Buffer<double>* buffer : {&pcg.residual, &pcg.preconditioned, &pcg.direction, &pcg.product})
    fill(*buffer, kNan);
}

}  // namespace selkie::mass_spring
