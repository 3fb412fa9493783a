// Modes, frame and surface of a body; see model.h.
#include "selkie/solids/modal/model.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "selkie/core/check.h"
#include "selkie/core/error.h"
#include "selkie/linalg/eigenmodes.h"

namespace selkie::modal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

bool is_pinned(const ElasticBody& body, std::size_t i) { return !body.pinned.empty() && body.pinned[i] != 0; }

std::vector<std::uint32_t> free_vertices(const ElasticBody& body) {
  std::vector<std::uint32_t> list;
  for (std::uint32_t i = 0; i < body.positions.size(); ++i)
    if (!is_pinned(body, i)) list.push_back(i);
  return list;
}

// Mass, centre and principal axes; of pinned bodies the frame is the mesh's own.
void find_frame(const ElasticBody& body, Model& model) {
  Vec3 centre = Vec3::Zero();
  for (std::size_t i = 0; i < body.positions.size(); ++i) {
    model.mass += body.masses[i];
    centre += body.masses[i] * body.positions[i];
  }
  centre /= model.mass;
  model.mesh_from_body.translation() = centre;
  if (model.pinned) return;
  Mat3 inertia = Mat3::Zero();
  for (std::size_t i = 0; i < body.positions.size(); ++i) {
    const Vec3 x = body.positions[i] - centre;
    inertia += body.masses[i] * (x.squaredNorm() * Mat3::Identity() - x * x.transpose());
  }
  const Eigen::SelfAdjointEigenSolver<Mat3> principal(inertia);
  Mat3 axes = principal.eigenvectors();
  for (int c = 0; c < 3; ++c) {  // the direction of an axis must not hang on the decomposition
    Index largest = 0;
    axes.col(c).cwiseAbs().maxCoeff(&largest);
    if (axes(largest, c) < 0) axes.col(c) *= -1;
  }
  if (axes.determinant() < 0) axes.col(2) *= -1;
  model.mesh_from_body.linear() = axes;
  model.inertia = principal.eigenvalues();
}

// Displacements of the free vertices in the body frame: three translations and three rotations.
MatrixXd rigid_motions(std::span<const Vec3> x) {
  MatrixXd motions(static_cast<Index>(3 * x.size()), 6);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto row = static_cast<Index>(3 * i);
    motions.block<3, 3>(row, 0) = Mat3::Identity();
    motions.block<3, 3>(row, 3) = -skew(x[i]);
  }
  return motions;
}

// About the square of the lowest frequency, from above: the least Rayleigh quotient of bending along one axis
// and across another, u_b = a² and u_a = −2ab, and of plain stretches, with their rigid part taken out.
double slowest_guess(std::span<const Vec3> x, const Eigen::SparseMatrix<double>& lower,
                     const Eigen::VectorXd& masses, const MatrixXd& rigid) {
  const MatrixXd weighted = masses.asDiagonal() * rigid;
  const auto gram = (rigid.transpose() * weighted).eval().ldlt();
  double least = std::numeric_limits<double>::infinity();
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      Eigen::VectorXd u = Eigen::VectorXd::Zero(lower.rows());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto row = static_cast<Index>(3 * i);
        u[row + b] = a == b ? x[i][a] : x[i][a] * x[i][a];
        if (a != b) u[row + a] = -2 * x[i][a] * x[i][b];
      }
      u -= rigid * gram.solve(weighted.transpose() * u);
      const double weight = u.dot(masses.cwiseProduct(u));
      const Eigen::VectorXd force = lower.selfadjointView<Eigen::Lower>() * u;
      if (weight > 0) least = std::min(least, u.dot(force) / weight);
    }
  return least;
}

void check_pins(const ElasticBody& body) {
  std::vector<Vec3> held;
  for (std::size_t i = 0; i < body.positions.size(); ++i)
    if (is_pinned(body, i)) held.push_back(body.positions[i]);
  if (held.size() == body.positions.size())
    throw InputError("every vertex of the body is pinned, so nothing of it can vibrate",
                     "pin fewer vertices");
  const double size = geometry::bounding_box(body.positions).sizes().norm();
  double widest = 0;
  for (const Vec3& p : held)
    widest = std::max(widest, (p - held.front()).cross(held.back() - held.front()).norm());
  if (!(widest > 1e-9 * size * size))
    throw InputError("the pinned vertices lie on one line, about which the body could turn freely",
                     "pin a region with three vertices that are not in line, or none for a free body");
}

// The stiffness of the free vertices in the axes of the body frame.
Eigen::SparseMatrix<double> free_stiffness(const ElasticBody& body, std::span<const std::uint32_t> vertices,
                                           const Mat3& axes) {
  constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::uint32_t> number(body.positions.size(), kNone);
  for (std::uint32_t k = 0; k < vertices.size(); ++k) number[vertices[k]] = k;
  std::vector<Eigen::Triplet<double>> entries;
  auto add = [&](std::uint32_t i, std::uint32_t j, const Mat3& block) {  // i ≥ j
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < (i == j ? r + 1 : 3); ++c)
        entries.emplace_back(static_cast<int>(3 * i) + r, static_cast<int>(3 * j) + c, block(r, c));
  };
  const linalg::BlockPattern& pattern = body.stiffness.pattern();
  for (std::uint32_t i = 0; i < body.positions.size(); ++i) {
    if (number[i] == kNone) continue;
    add(number[i], number[i], axes.transpose() * body.stiffness.diagonal(i) * axes);
    for (std::uint32_t s = pattern.upper_begin()[i]; s < pattern.upper_begin()[i + 1]; ++s) {
      const std::uint32_t j = number[pattern.upper_column()[s]];
      if (j != kNone)
        add(j, number[i], axes.transpose() * body.stiffness.upper_blocks()[s].transpose() * axes);
    }
  }
  const auto size = static_cast<Index>(3 * vertices.size());
  Eigen::SparseMatrix<double> lower(size, size);
  lower.setFromTriplets(entries.begin(), entries.end());
  return lower;
}

linalg::Eigenmodes find_modes(const ElasticBody& body, std::span<const std::uint32_t> vertices,
                              std::span<const Vec3> x, std::size_t mode_count, const Model& model) {
  const Eigen::SparseMatrix<double> lower = free_stiffness(body, vertices, model.mesh_from_body.linear());
  Eigen::VectorXd masses(lower.rows());
  for (std::size_t k = 0; k < vertices.size(); ++k)
    masses.segment<3>(static_cast<Index>(3 * k)).setConstant(body.masses[vertices[k]]);
  linalg::EigenmodeOptions options;
  options.count = mode_count;
  MatrixXd rigid(lower.rows(), 0);
  if (!model.pinned) {
    rigid = rigid_motions(x);
    options.shift = 0.1 * slowest_guess(x, lower, masses, rigid);
  }
  return linalg::lowest_eigenmodes(lower, {masses.data(), static_cast<std::size_t>(masses.size())}, rigid,
                                   options);
}

// Rest shape and modes of the surface vertices, in lanes.
void fill_surface(const ElasticBody& body, std::span<const std::uint32_t> vertices, const MatrixXd& shapes,
                  Model& model) {
  std::vector<std::uint32_t> number(body.positions.size(), UINT32_MAX),
      row(body.positions.size(), UINT32_MAX);
  for (std::uint32_t k = 0; k < vertices.size(); ++k) row[vertices[k]] = k;
  for (const geometry::Triangle& t : body.surface)
    for (const std::uint32_t v : t) number[v] = 0;
  for (std::uint32_t v = 0; v < number.size(); ++v)
    if (number[v] == 0) {
      number[v] = static_cast<std::uint32_t>(model.mesh_vertex.size());
      model.mesh_vertex.push_back(v);
    }
  for (const geometry::Triangle& t : body.surface)
    model.triangles.push_back({number[t[0]], number[t[1]], number[t[2]]});
  model.vertex_count = model.mesh_vertex.size();
  const std::size_t r = model.mode_count;
  model.rest.assign(model.block_count() * 3 * kLanes, 0);
  model.modes.assign(model.block_count() * r * 3 * kLanes, 0);
  model.vertex_modes.assign(model.vertex_count * 3 * model.padded_modes, 0);
  model.reach.assign(r, 0);
  const Eigen::Isometry3d body_from_mesh = model.mesh_from_body.inverse();
  for (std::size_t i = 0; i < model.vertex_count; ++i) {
    const std::size_t block = i / kLanes, lane = i % kLanes;
    const Vec3 x = body_from_mesh * body.positions[model.mesh_vertex[i]];
    model.radius = std::max(model.radius, x.norm());
    for (std::size_t c = 0; c < 3; ++c)
      model.rest[(block * 3 + c) * kLanes + lane] = x[static_cast<Index>(c)];
    const std::uint32_t k = row[model.mesh_vertex[i]];
    if (k == UINT32_MAX) continue;  // pinned: does not move
    for (std::size_t m = 0; m < r; ++m) {
      const Vec3 phi = shapes.block<3, 1>(static_cast<Index>(3 * k), static_cast<Index>(m));
      model.reach[m] = std::max(model.reach[m], phi.norm());
      for (std::size_t c = 0; c < 3; ++c)
        model.modes[((block * r + m) * 3 + c) * kLanes + lane] =
            model.vertex_modes[(3 * i + c) * model.padded_modes + m] = phi[static_cast<Index>(c)];
    }
  }
}

// Seeds as far from one another as can be, one after the other; every vertex joins the nearest.
void find_patches(Model& model) {
  std::vector<double> nearest(model.vertex_count, std::numeric_limits<double>::infinity());
  model.patch.assign(model.vertex_count, 0);
  std::size_t seed = 0;
  for (std::size_t i = 0; i < model.vertex_count; ++i)
    if (model.rest_position(i).squaredNorm() > model.rest_position(seed).squaredNorm()) seed = i;
  for (std::size_t p = 0; p < std::min(kPatches, model.vertex_count); ++p) {
    const Vec3 place = model.rest_position(seed);
    for (std::size_t i = 0; i < model.vertex_count; ++i) {
      const double distance = (model.rest_position(i) - place).squaredNorm();
      if (distance < nearest[i]) nearest[i] = distance, model.patch[i] = static_cast<std::uint8_t>(p);
    }
    seed = static_cast<std::size_t>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin());
  }
}

// Along the axes and the diagonals between them.
void find_extents(Model& model) {
  constexpr double kDiagonal = 0.57735026918962573;
  const std::array<Vec3, kTipAxes> axes{Vec3(1, 0, 0),
                                        Vec3(0, 1, 0),
                                        Vec3(0, 0, 1),
                                        kDiagonal * Vec3(1, 1, 1),
                                        kDiagonal * Vec3(1, 1, -1),
                                        kDiagonal * Vec3(1, -1, 1),
                                        kDiagonal * Vec3(-1, 1, 1)};
  static_assert(kTipAxes <= kLanes);
  model.extents.assign(model.vertex_count * kLanes, 0);
  for (std::size_t i = 0; i < model.vertex_count; ++i)
    for (std::size_t a = 0; a < kTipAxes; ++a)
      model.extents[i * kLanes + a] = axes[a].dot(model.rest_position(i));
}

void find_shape(Model& model) {
  geometry::TriangleMesh mesh{{}, model.triangles};
  for (std::size_t i = 0; i < model.vertex_count; ++i) mesh.positions.push_back(model.rest_position(i));
  model.tree = geometry::TriangleTree(mesh.positions, mesh.triangles);
  model.box = geometry::bounding_box(mesh.positions);
  model.shape = std::make_shared<const geometry::MeshDistance>(std::move(mesh), 0);
}

}  // namespace

std::size_t available_modes(const ElasticBody& body) {
  const std::size_t unknowns = 3 * free_vertices(body).size();
  const bool free = unknowns == 3 * body.positions.size();
  return free ? unknowns - std::min<std::size_t>(unknowns, 6) : unknowns;
}

Model make_model(const ElasticBody& body, std::size_t mode_count) {
  SELKIE_CHECK(body.masses.size() == body.positions.size(), "one mass per vertex");
  const std::vector<std::uint32_t> vertices = free_vertices(body);
  Model model;
  model.pinned = vertices.size() < body.positions.size();
  if (model.pinned) check_pins(body);
  if (mode_count < 1 || mode_count > available_modes(body))
    throw InputError("the body has " + std::to_string(available_modes(body)) + " modes, but " +
                         std::to_string(mode_count) + " are asked for",
                     "ask for fewer modes, or use a finer mesh");
  model.mode_count = mode_count;
  model.padded_modes = (mode_count + kLanes - 1) / kLanes * kLanes;
  find_frame(body, model);
  const Eigen::Isometry3d body_from_mesh = model.mesh_from_body.inverse();
  std::vector<Vec3> x;
  for (const std::uint32_t i : vertices) x.push_back(body_from_mesh * body.positions[i]);
  const linalg::Eigenmodes found = find_modes(body, vertices, x, mode_count, model);
  if (!found.ok)
    throw InputError("the modes of the body cannot be found: " + found.trouble,
                     "check the mesh for parts that hang together by a vertex or an edge only");
  if (!(found.values[0] > 0))
    throw InputError(
        "the body has a motion without force besides the rigid ones",
        "check the mesh for parts that hang together by a vertex or an edge only, or not at all");
  model.eigenvalues.assign(found.values.begin(), found.values.end());
  for (Index m = 0; m < found.values.size(); ++m) {
    Vec3 share = Vec3::Zero();
    Mat3 spread = Mat3::Zero();
    for (std::size_t k = 0; k < vertices.size(); ++k) {
      const Vec3 weighted =
          body.masses[vertices[k]] * found.vectors.block<3, 1>(static_cast<Index>(3 * k), m);
      share += weighted;
      spread += weighted * x[k].transpose();
    }
    model.gravity_share.push_back(model.pinned ? share : Vec3::Zero());
    model.spread.push_back(spread);
  }
  fill_surface(body, vertices, found.vectors, model);
  find_patches(model);
  find_extents(model);
  find_shape(model);
  return model;
}

}  // namespace selkie::modal
