// What a mass-spring state says of itself: forces, their derivatives, tensions, energies and momenta. None of
// it uses the scratch of the steps, so that a function which a step calls may ask, too.
#include <algorithm>
#include <array>
#include <cmath>

#include "bindings.h"
#include "mass_spring_handle.h"
#include "selkie/solids/mass_spring/altitude_springs.h"
#include "selkie/solids/mass_spring/diagnostics.h"
#include "selkie/solids/mass_spring/forces.h"
#include "selkie/solids/mass_spring/spring_law.h"
#include "selkie/solids/mass_spring/tangent.h"
#include "solver_classes.h"

namespace selkie::python {
namespace {

using mass_spring::Geometric;
using mass_spring::Model;
using mass_spring::Params;
using ModelPtr = std::shared_ptr<Model>;
using StatePtr = std::shared_ptr<MassSpringHandle>;

double at_least_zero(double value, const std::string& name) {
  if (!(value >= 0 && std::isfinite(value)))
    throw InputError("'" + name + "' is " + number_text(value), "use a finite value of at least 0");
  return value;
}

// ---- forces, energy, tension ----

py::array forces_of(const ModelPtr& model, const Params& params, const StatePtr& handle, bool elastic_only) {
  require_same_model(model, *handle);
  mass_spring::Work work;
  mass_spring::choose_altitudes(*model, params, handle->state.positions, work);
  Buffer<Vec4> padded;
  mass_spring::accumulate_forces(
      *model, params, handle->state.positions, handle->state.velocities, padded, work,
      elastic_only ? mass_spring::ForceTerms::elastic_only : mass_spring::ForceTerms::all);
  std::vector<Vec3> forces(padded.size());
  for (std::size_t i = 0; i < forces.size(); ++i) forces[i] = padded[i].head<3>();
  return to_numpy(forces);
}

double energy_of(const ModelPtr& model, const Params& params, const StatePtr& handle) {
  require_same_model(model, *handle);
  return mass_spring::diagnose(*model, params, Vec3::Zero(), handle->state).elastic_energy;
}

py::array tension_of(const ModelPtr& model, const Params& params, const StatePtr& handle) {
  require_same_model(model, *handle);
  const Buffer<Vec3>& x = handle->state.positions;
  std::vector<double> tensions(model->spring_count());
  for (std::size_t s = 0; s < tensions.size(); ++s) {
    const auto [i, j] = model->springs[s];
    tensions[s] = mass_spring::tension(params, params.stiffness * model->relative_stiffness[s],
                                       model->rest_lengths[s], (x[j] - x[i]).norm());
  }
  return to_numpy(tensions);
}

py::dict law_of(const Params& params, const py::object& lengths, double rest_length,
                const py::object& stiffness) {
  at_least_zero(rest_length, "rest_length");
  const double k = stiffness.is_none()
                       ? params.stiffness
                       : at_least_zero(argument_from<double>(stiffness, "stiffness"), "stiffness");
  const std::vector<double> l = numbers_from(lengths, "lengths");
  std::vector<double> tension(l.size()), slope(l.size()), energy(l.size());
  for (std::size_t n = 0; n < l.size(); ++n) {
    at_least_zero(l[n], "lengths[" + std::to_string(n) + "]");
    tension[n] = mass_spring::tension(params, k, rest_length, l[n]);
    slope[n] = mass_spring::tension_slope(params, k, rest_length, l[n]);
    energy[n] = mass_spring::elastic_energy(params, k, rest_length, l[n]);
  }
  py::dict law;
  law["tension"] = to_numpy(tension), law["slope"] = to_numpy(slope), law["energy"] = to_numpy(energy);
  return law;
}

// ---- tangent ----

// A matrix of 9 n² numbers for n vertices: 1.2 GB at this many.
constexpr std::size_t kLargestDense = 4000;

Geometric geometric_from(const std::string& name) {
  constexpr std::array<std::string_view, 4> kNames{"none", "positive", "absolute", "exact"};
  for (std::size_t k = 0; k < kNames.size(); ++k)
    if (kNames[k] == name) return static_cast<Geometric>(k);
  throw InputError("'geometric' is \"" + name + "\"", "use exact, positive, absolute or none");
}
static_assert(static_cast<int>(Geometric::none) == 0 && static_cast<int>(Geometric::positive) == 1 &&
              static_cast<int>(Geometric::absolute) == 2 && static_cast<int>(Geometric::exact) == 3);

using Matrix = linalg::BlockSparseSymmetric<3>;

// (rows, columns, blocks): every block of both halves once, row by row, columns ascending.
py::tuple blocks_of(const Matrix& matrix) {
  const linalg::BlockPattern& pattern = matrix.pattern();
  const auto count = static_cast<py::ssize_t>(pattern.vertex_count() + 2 * pattern.slot_count());
  py::array_t<std::int64_t> rows(count), columns(count);
  py::array_t<double> blocks({count, py::ssize_t{3}, py::ssize_t{3}});
  std::int64_t *row = rows.mutable_data(), *column = columns.mutable_data();
  double* entry = blocks.mutable_data();
  auto add = [&](std::size_t i, std::size_t j, const Mat3& a) {
    *row++ = static_cast<std::int64_t>(i), *column++ = static_cast<std::int64_t>(j);
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) *entry++ = a(r, c);
  };
  for (std::size_t i = 0; i < pattern.vertex_count(); ++i) {
    for (std::uint32_t e = pattern.lower_begin()[i]; e < pattern.lower_begin()[i + 1]; ++e) {
      const auto [j, slot] = pattern.lower()[e];
      add(i, j, matrix.upper_blocks()[slot].transpose());
    }
    add(i, i, matrix.diagonal(i));
    for (std::uint32_t slot = pattern.upper_begin()[i]; slot < pattern.upper_begin()[i + 1]; ++slot)
      add(i, pattern.upper_column()[slot], matrix.upper_blocks()[slot]);
  }
  return py::make_tuple(rows, columns, blocks);
}

py::array dense_of(const Matrix& matrix) {
  const Eigen::MatrixXd dense = matrix.dense();
  py::array_t<double> array({dense.rows(), dense.cols()});
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<Rows> rows(array.mutable_data(), dense.rows(), dense.cols());
  rows = dense;
  return array;
}

py::object tangent_of(const ModelPtr& model, const Params& params, const StatePtr& handle, double stiffness,
                      double damping, double mass, const std::string& geometric, bool dense) {
  require_same_model(model, *handle);
  const mass_spring::TangentWeights weights{.stiffness = at_least_zero(stiffness, "stiffness"),
                                            .damping = at_least_zero(damping, "damping"),
                                            .geometric = geometric_from(geometric)};
  at_least_zero(mass, "mass");
  if (dense && model->vertex_count > kLargestDense)
    throw InputError("a dense tangent of " + std::to_string(model->vertex_count) + " vertices would take " +
                         bytes_text(9.0 * sizeof(double) * model->vertex_count * model->vertex_count),
                     "use the blocks, or at most " + std::to_string(kLargestDense) + " vertices");
  // The assembled matrix holds all of the mass. Taking it away again would leave its round-off behind.
  Model massless = *model;
  std::fill(massless.masses.begin(), massless.masses.end(), 0.0);
  mass_spring::Work work;
  mass_spring::choose_altitudes(*model, params, handle->state.positions, work);
  mass_spring::assemble_tangent(massless, params, handle->state.positions, weights, work);
  Matrix& matrix = work.system->matrix;
  for (std::size_t i = 0; i < model->vertex_count; ++i)
    matrix.add_diagonal(i, mass * model->masses[i] * Mat3::Identity());
  if (dense) return dense_of(matrix);
  return blocks_of(matrix);
}

void bind_forces(py::module_& m) {
  m.def("forces", &forces_of, py::arg("model"), py::arg("params"), py::arg("state"),
        py::arg("elastic_only") = false,
        "Forces inside the body (n, 3) in N, without gravity: springs of all kinds, inversion guard.\n\n"
        "elastic_only: without damping; minus the gradient of energy().");
  m.def("energy", &energy_of, py::arg("model"), py::arg("params"), py::arg("state"),
        "Elastic energy in J: of springs, altitude springs and inversion guard.");
  m.def("tension", &tension_of, py::arg("model"), py::arg("params"), py::arg("state"),
        "Elastic tension of each spring (m,) in N, in the order of model.springs; negative when it pushes.");
  m.def(
      "spring_law", &law_of, py::arg("params"), py::arg("lengths"), py::arg("rest_length") = 1.0,
      py::arg("stiffness") = py::none(),
      "The law of one spring at `lengths` (k,) in m: a dict of tension (N), slope (N/m, its derivative) and\n"
      "energy (J), each (k,).\n\n"
      "stiffness: spring constant, N/m; default params.stiffness.");
  m.def(
      "tangent", &tangent_of, py::arg("model"), py::arg("params"), py::arg("state"), py::kw_only(),
      py::arg("stiffness") = 1.0, py::arg("damping") = 0.0, py::arg("mass") = 0.0,
      py::arg("geometric") = "exact", py::arg("dense") = false,
      "The matrix mass·M + stiffness·K + damping·D, with K = -d forces / d positions and\n"
      "D = -d forces / d velocities, as (rows, columns, blocks): block k, (3, 3), joins vertex rows[k] to\n"
      "vertex columns[k]. Every block of the symmetric matrix is there once, sorted by row, then column.\n\n"
      "Implicit Euler solves with mass=1, stiffness=dt**2, damping=dt, geometric=\"positive\".\n"
      "geometric: what springs do across their direction. \"exact\" is the derivative of the elastic\n"
      "forces, \"positive\" keeps the matrix positive semidefinite, \"absolute\" does, too, with more\n"
      "stiffness across, \"none\" leaves directions frozen. K has no damping forces in it, pinned vertices\n"
      "are not left out, and altitude springs keep the direction and weights they have in `state`, as they\n"
      "do for a step.\n"
      "dense: a (3n, 3n) array instead, of up to 4000 vertices.");
}

void bind_diagnostics(py::module_& m) {
  using D = mass_spring::Diagnostics;
  py::class_<D>(m, "Diagnostics", "Energies, momenta and extremes of a body.")
      .def_readonly("kinetic_energy", &D::kinetic_energy, "J")
      .def_readonly("elastic_energy", &D::elastic_energy, "J")
      .def_readonly("gravitational_energy", &D::gravitational_energy, "J")
      .def_property_readonly("total_energy", &D::total_energy, "J")
      .def_property_readonly(
          "momentum", [](const D& d) { return to_numpy(d.momentum); }, "(3,) kg·m/s")
      .def_property_readonly(
          "angular_momentum", [](const D& d) { return to_numpy(d.angular_momentum); },
          "(3,) kg·m²/s, about the origin")
      .def_property_readonly(
          "centre_of_mass", [](const D& d) { return to_numpy(d.centre_of_mass); }, "(3,) m")
      .def_readonly("max_stretch", &D::max_stretch, "Largest l/l0 - 1, at least 0")
      .def_readonly("max_compression", &D::max_compression, "Largest 1 - l/l0, at least 0")
      .def_readonly("max_speed", &D::max_speed, "m/s");
  m.def(
      "diagnose",
      [](const ModelPtr& model, const Params& params, const StatePtr& s, const py::object& gravity) {
        require_same_model(model, *s);
        return mass_spring::diagnose(*model, params, vector_from(gravity, "gravity"), s->state);
      },
      py::arg("model"), py::arg("params"), py::arg("state"),
      py::arg("gravity") = py::make_tuple(0.0, -9.81, 0.0), "Diagnostics of a state.");
}

}  // namespace

void bind_mass_spring_forces(py::module_& m) {
  bind_forces(m);
  bind_diagnostics(m);
}

}  // namespace selkie::python
