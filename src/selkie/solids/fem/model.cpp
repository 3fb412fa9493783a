// Building an elastic body from a mesh (LE-22, LE-24).
#include "selkie/solids/fem/model.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "selkie/core/error.h"
#include "selkie/core/parallel.h"
#include "selkie/core/text.h"
#include "selkie/solids/fem/loads.h"

namespace selkie::fem {
namespace {

template <int D>
using Corners = std::array<std::uint32_t, D + 1>;

template <int D>
std::string name_of_element(std::size_t e, const Corners<D>& corners) {
  std::string text = (D == 3 ? "tetrahedron " : "triangle ") + std::to_string(e) + " (";
  for (std::size_t c = 0; c < corners.size(); ++c) text += (c ? ", " : "") + std::to_string(corners[c]);
  return text + ")";
}

void check_positive(double value, const char* what, const char* unit) {
  if (!(value > 0) || !std::isfinite(value))
    throw InputError(std::string("the ") + what + " of an elastic body is " + number_text(value) + " " + unit,
                     "it must be positive");
}

template <int D>
void check_indices(std::span<const Vec3> positions, std::span<const Corners<D>> elements) {
  if (elements.empty()) throw InputError("an elastic body needs elements, but its mesh has none");
  std::vector<std::uint8_t> used(positions.size(), 0);
  for (std::size_t e = 0; e < elements.size(); ++e)
    for (const std::uint32_t v : elements[e]) {
      if (v >= positions.size())
        throw InputError(name_of_element<D>(e, elements[e]) + " names vertex " + std::to_string(v) +
                             ", but there are " + std::to_string(positions.size()),
                         "vertices count from 0");
      if (!positions[v].allFinite())
        throw InputError("vertex " + std::to_string(v) + " has a position that is not finite");
      used[v] = 1;
    }
  const auto loose = std::find(used.begin(), used.end(), 0);
  if (loose != used.end())
    throw InputError(
        "vertex " + std::to_string(loose - used.begin()) + " belongs to no element, so it has no mass",
        "remove vertices that nothing uses");
}

// Elements by lowest, then by highest corner: neighbours stay close, and chunks meet few others.
template <int D>
std::vector<std::uint32_t> memory_order(std::span<const Corners<D>> elements) {
  std::vector<std::uint32_t> order(elements.size());
  std::iota(order.begin(), order.end(), 0u);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> key;
  for (const auto& corners : elements) {
    const auto [low, high] = std::minmax_element(corners.begin(), corners.end());
    key.emplace_back(*low, *high);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return key[a] < key[b]; });
  return order;
}

// Edge vectors from corner 0 as columns.
template <int D>
Eigen::Matrix<double, D, D> edges_of(std::span<const Vec3> x, const Corners<D>& corners) {
  Eigen::Matrix<double, D, D> edges;
  for (int c = 0; c < D; ++c)
    edges.col(c) = (x[corners[static_cast<std::size_t>(c) + 1]] - x[corners[0]]).template head<D>();
  return edges;
}

// An element thinner than this share of its longest edge is flat: its gradients would drown in round-off.
constexpr double kFlat = 1e-10;

template <int D>
void add_element(Model& model, std::size_t e, std::size_t source, const Corners<D>& corners) {
  const Eigen::Matrix<double, D, D> edges = edges_of<D>(model.rest_positions, corners);
  const double determinant = edges.determinant();
  const double size = edges.colwise().norm().maxCoeff();
  if (!(std::abs(determinant) > kFlat * std::pow(size, D)))
    throw InputError(name_of_element<D>(source, corners) + (D == 3 ? " has no volume" : " has no area"),
                     "remove flat elements, or move their vertices apart");
  if (determinant < 0)
    throw InputError(
        name_of_element<D>(source, corners) + " is turned inside out at rest",
        D == 3 ? "swap two of its vertices" : "list its vertices counter-clockwise seen from +z");
  const Eigen::Matrix<double, D, D> inverse = edges.inverse();
  const std::size_t group = e / kLanes, lane = e % kLanes;
  for (std::size_t c = 0; c <= D; ++c) model.corners[(group * (D + 1) + c) * kLanes + lane] = corners[c];
  for (int r = 0; r < D; ++r)
    for (int c = 0; c < D; ++c)
      model.inverse_rest[(group * D * D + static_cast<std::size_t>(r * D + c)) * kLanes + lane] =
          inverse(r, c);
  const double volume = determinant / (D == 3 ? 6 : 2) * (D == 3 ? 1 : model.thickness);
  model.volumes[e] = volume;
  for (const std::uint32_t v : corners) model.masses[v] += model.density * volume / (D + 1);
  // Heights are the inverse lengths of the gradients.
  double steepest = inverse.colwise().sum().norm();
  for (int r = 0; r < D; ++r) steepest = std::max(steepest, inverse.row(r).norm());
  model.least_altitude = std::min(model.least_altitude, 1 / steepest);
}

template <int D>
void fill_last_group(Model& model) {
  for (std::size_t e = model.element_count; e < model.group_count * kLanes; ++e) {
    const std::size_t group = e / kLanes, lane = e % kLanes, like = (model.element_count - 1) % kLanes;
    for (std::size_t c = 0; c <= D; ++c)
      model.corners[(group * (D + 1) + c) * kLanes + lane] =
          model.corners[(group * (D + 1) + c) * kLanes + like];
    for (std::size_t k = 0; k < D * D; ++k)
      model.inverse_rest[(group * D * D + k) * kLanes + lane] =
          model.inverse_rest[(group * D * D + k) * kLanes + like];
  }
}

template <int D>
Model build(std::span<const Vec3> positions, std::span<const Corners<D>> elements, double density,
            double thickness) {
  check_positive(density, "density", "kg/m³");
  check_positive(thickness, "thickness", "m");
  check_indices<D>(positions, elements);
  Model model;
  model.dimension = D;
  model.density = density;
  model.thickness = thickness;
  model.vertex_count = static_cast<std::uint32_t>(positions.size());
  model.rest_positions.assign(positions.begin(), positions.end());
  model.masses.assign(positions.size(), 0);
  model.element_count = elements.size();
  model.group_count = (elements.size() + kLanes - 1) / kLanes;
  model.corners.resize(model.group_count * (D + 1) * kLanes);
  model.inverse_rest.assign(model.group_count * D * D * kLanes, 0);
  model.volumes.assign(model.group_count * kLanes, 0);
  model.least_altitude = std::numeric_limits<double>::infinity();
  model.source = memory_order<D>(elements);

  std::vector<Corners<D>> sorted;
  std::vector<linalg::VertexPair> pairs;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const Corners<D>& corners = elements[model.source[e]];
    add_element<D>(model, e, model.source[e], corners);
    sorted.push_back(corners);
    for (std::size_t a = 0; a <= D; ++a)
      for (std::size_t b = a + 1; b <= D; ++b) pairs.push_back({corners[a], corners[b]});
  }
  fill_last_group<D>(model);
  for (const double mass : model.masses) model.inverse_masses.push_back(1 / mass);
  model.volume = deterministic_sum(elements.size(), [&](std::size_t e) { return model.volumes[e]; });
  model.schedule = geometry::make_schedule(positions.size(), sorted);
  model.pattern = std::make_shared<const linalg::BlockPattern>(positions.size(), pairs);
  model.slots.assign(model.pattern->edge_slots().begin(), model.pattern->edge_slots().end());
  model.coarse = make_coarse_space(model);
  return model;
}

}  // namespace

Model from_tets(const geometry::TetMesh& mesh, double density) {
  Model model = build<3>(mesh.positions, mesh.tets, density, 1);
  model.surface = geometry::boundary_triangles(mesh.tets);
  model.pressed = pressed_surface(mesh.positions, model.surface);
  return model;
}

Model from_triangles(const geometry::TriangleMesh& mesh, double density, double thickness) {
  if (!mesh.positions.empty()) {
    const geometry::BoundingBox box = geometry::bounding_box(mesh.positions);
    if (!(box.sizes().z() <= 1e-9 * box.sizes().norm()))
      throw InputError(
          "the triangles of an elastic body reach from z = " + number_text(box.min().z()) +
              " to z = " + number_text(box.max().z()),
          "triangles are bodies of plane strain in a plane z = const; fill a closed surface with "
          "mesh = { tetrahedra = { surface = { file = \"...\" } } }");
  }
  Model model = build<2>(mesh.positions, mesh.triangles, density, thickness);
  model.surface = mesh.triangles;
  return model;
}

double total_mass(const Model& model) {
  return deterministic_sum(model.vertex_count, [&](std::size_t i) { return model.masses[i]; });
}

}  // namespace selkie::fem
