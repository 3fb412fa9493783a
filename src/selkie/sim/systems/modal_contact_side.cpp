// See modal_contact_side.h.
#include "selkie/sim/systems/modal_contact_side.h"

#include <algorithm>
#include <numeric>

#include "selkie/geometry/tetrahedra/delaunay.h"
#include "selkie/solids/modal/skin.h"

namespace selkie::sim {
namespace {

bool is_still(std::span<const Vec3> vectors) {
  return std::all_of(vectors.begin(), vectors.end(), [](const Vec3& v) { return v.isZero(0); });
}

// 1/kg, how easily a vertex moves, without regard to directions: what the frame does, or, where that stays,
// the modes. The solve of the contacts measures its steps by this.
double mobility(const modal::Model& model, std::size_t vertex) {
  double sum = 0;
  if (model.pinned) {
    for (std::size_t k = 0; k < model.mode_count; ++k) sum += model.mode(k, vertex).squaredNorm();
    return sum / 3;
  }
  const Mat3 arm = skew(model.rest_position(vertex));
  return 1 / model.mass - (arm * model.inertia.cwiseInverse().asDiagonal() * arm).trace() / 3;
}

}  // namespace

ModalContactSide::ModalContactSide(const modal::Model& model, const modal::Params& params,
                                   const modal::State& start, modal::State& state,
                                   const ContactSurroundings& surroundings,
                                   std::span<const geometry::Triangle> triangles)
    : model_(model),
      params_(params),
      start_(start),
      state_(state),
      surroundings_(surroundings),
      triangles_(triangles) {}

void ModalContactSide::begin() const {
  surfaces_.vertices.resize(state_.count() * model_.vertex_count);
  std::iota(surfaces_.vertices.begin(), surfaces_.vertices.end(), 0u);
  std::vector<double> of_one;
  for (std::size_t i = 0; i < model_.vertex_count; ++i) of_one.push_back(mobility(model_, i));
  for (std::size_t b = 0; b < state_.count(); ++b)
    surfaces_.inverse_masses.insert(surfaces_.inverse_masses.end(), of_one.begin(), of_one.end());
}

const ModalContactSide::Surfaces& ModalContactSide::now() const {
  if (fresh_) return surfaces_;
  const bool first = surfaces_.vertices.empty();
  if (first) begin();
  for (std::vector<Vec3>* array : {&surfaces_.start_positions, &surfaces_.positions, &surfaces_.velocities})
    array->resize(surfaces_.vertices.size());
  modal::skin_all(model_, start_, 1, surfaces_.start_positions);
  modal::skin_all(model_, state_, 1, surfaces_.positions);
  modal::skin_velocities(model_, state_, surfaces_.positions, surfaces_.velocities);
  if (first) surfaces_.rest_positions = surfaces_.positions;
  fresh_ = true;
  return surfaces_;
}

std::span<const geometry::Tet> ModalContactSide::tets() const {
  if (tets_) return *tets_;
  tets_.emplace();
  const std::vector<geometry::Tet> one = geometry::tets_inside(model_.shape->mesh());
  for (std::size_t b = 0; b < state_.count(); ++b) {
    const auto first = static_cast<std::uint32_t>(b * model_.vertex_count);
    for (const auto& [i, j, k, l] : one) tets_->push_back({first + i, first + j, first + k, first + l});
  }
  return *tets_;
}

StepReport ModalContactSide::prepare(double dt) {
  dt_ = dt;
  answers_.assign(state_.count(), std::nullopt);
  return {};
}

const modal::BodyAnswer& ModalContactSide::answer_of(std::size_t body) {
  std::optional<modal::BodyAnswer>& answer = answers_[body];
  if (answer) return *answer;
  const std::size_t n = model_.vertex_count, first = body * n;
  std::vector<ports::HeldVertex> held;
  surroundings_.find_held(surface_vertices().subspan(first, n), positions(), velocities(), dt_, held);
  for (ports::HeldVertex& vertex : held) vertex.vertex -= static_cast<std::uint32_t>(first);
  answer = modal::make_answer(model_, params_, dt_, state_, body, positions().subspan(first, n), held);
  return *answer;
}

StepReport ModalContactSide::respond(std::span<const Vec3> impulses, std::span<Vec3> changes) {
  const std::size_t n = model_.vertex_count;
  for (std::size_t b = 0; b < state_.count(); ++b) {
    const std::span<const Vec3> given = impulses.subspan(b * n, n);
    const std::span<Vec3> changed = changes.subspan(b * n, n);
    if (is_still(given)) {
      std::fill(changed.begin(), changed.end(), Vec3::Zero());
      continue;
    }
    const modal::BodyAnswer& answer = answer_of(b);
    modal::velocities_of(model_, answer, modal::motion_by(model_, answer, given), changed);
  }
  return {};
}

void ModalContactSide::move(std::span<const Vec3> velocity_changes, std::span<const Vec3> displacements) {
  const std::size_t n = model_.vertex_count;
  for (std::size_t b = 0; b < state_.count(); ++b) {
    const std::span<const Vec3> faster = velocity_changes.subspan(b * n, n),
                                moved = displacements.subspan(b * n, n);
    if (!is_still(faster))
      modal::add_velocity(model_, modal::fitted_motion(model_, answer_of(b), faster), b, state_);
    if (!is_still(moved))
      modal::add_displacement(model_, modal::fitted_motion(model_, answer_of(b), moved), b, state_);
  }
}

}  // namespace selkie::sim
