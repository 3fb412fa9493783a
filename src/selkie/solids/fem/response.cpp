// See response.h.
#include "selkie/solids/fem/response.h"

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/ports/momentum.h"
#include "selkie/solids/fem/constraints.h"
#include "selkie/solids/fem/elements.h"
#include "selkie/solids/fem/integrators.h"
#include "selkie/solids/fem/solve.h"

namespace selkie::fem {
namespace {

SystemWeights weights_of(const Params& params, double h, Answer answer) {
  const double tm = params.mass_damping, tk = params.stiffness_damping;
  switch (answer) {
    case Answer::elastic:
      return {1 + h * tm, h * h + h * tk};
    case Answer::staggered:
      return staggered_weights(params, h);
    case Answer::inert:
      return {1, 0};
    case Answer::damped:
      return {1 + h * tm, h * tk};
  }
  return {};
}

}  // namespace

StepReport prepare_response(const Model& model, const Params& params, double h, const State& state,
                            std::span<const ports::HeldVertex> held, Work& work, Answer answer,
                            TangentKind tangents) {
  const ProfileZone zone("fem.response");
  work.kinematic = state.pinned;
  if (state.grabbed_vertex >= 0) work.kinematic[static_cast<std::size_t>(state.grabbed_vertex)] = 1;
  work.kinematic_vertices.resize(0);
  for (std::uint32_t i = 0; i < work.kinematic.size(); ++i)
    if (work.kinematic[i] != 0) work.kinematic_vertices.push_back(i);
  work.contacts.clear();
  work.attached.of_vertex.resize(0);
  for (const ports::HeldVertex& h_vertex : held) {
    if (work.kinematic[h_vertex.vertex] != 0) continue;
    ContactCandidate contact;
    contact.vertex = h_vertex.vertex;
    contact.normal = h_vertex.normal;
    contact.hold = h_vertex.rests ? ContactCandidate::Hold::stick : ContactCandidate::Hold::slide;
    work.contacts.push_back(contact);
  }
  constrain_contacts(model, work);
  find_tangents(model, params, state.positions, tangents, work.tangent);
  return prepare_solves(model, params, weights_of(params, h, answer), work);
}

StepReport respond(const Model& model, const Params& params, double h, std::span<const Vec3> impulses,
                   std::span<Vec3> changes, Work& work, Answer answer) {
  const ProfileZone zone("fem.response");
  const SystemWeights weights = weights_of(params, h, answer);
  work.rhs.resize(3 * std::size_t{model.vertex_count});
  parallel_for(model.vertex_count, [&](std::size_t i) {
    Eigen::Map<Vec3>(work.rhs.data() + 3 * i) = project(work.constraints, i, impulses[i]);
  });
  const StepReport report = solve_prepared(model, params, weights, work);
  parallel_for(model.vertex_count,
               [&](std::size_t i) { changes[i] = Eigen::Map<const Vec3>(work.solution.data() + 3 * i); });
  if (work.constraints.projectors.empty())
    ports::restore_momentum(impulses, model.masses, weights.mass, changes);
  return report;
}

}  // namespace selkie::fem
