// See build_modal.h.
#include "selkie/scene/build_modal.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/error.h"
#include "selkie/core/random.h"
#include "selkie/core/text.h"
#include "selkie/math/rotation.h"
#include "selkie/scene/build_body.h"
#include "selkie/sim/systems/modal_system.h"
#include "selkie/solids/fem/elements.h"

namespace selkie::scene {
namespace {

modal::Model make_model(const AnyMesh& mesh, const Buffer<std::uint8_t>& pinned, const ModalDescription& d) {
  const auto* tets = std::get_if<geometry::TetMesh>(&mesh);
  if (!tets)
    throw InputError("modes are those of solid bodies, but the mesh has no tetrahedra",
                     "use a closed shape, a .msh file with tetrahedra, or fill a closed surface with "
                     "mesh = { tetrahedra = { surface = { file = \"...\" } } }");
  const fem::Model elements = fem::from_tets(*tets, d.density);
  const linalg::BlockSparseSymmetric<3> stiffness = fem::rest_stiffness(elements, d.young, d.poisson);
  return modal::make_model(
      {elements.rest_positions, elements.masses, stiffness, elements.surface, pinned.span()},
      static_cast<std::size_t>(d.modes));
}

// World from mesh, of each copy: turned about the body's centre, then moved.
std::vector<Eigen::Isometry3d> copy_poses(const CopiesDescription& copies, const Vec3& centre) {
  std::vector<Eigen::Isometry3d> poses;
  const auto seed = static_cast<std::uint64_t>(copies.seed);
  for (int z = 0; z < copies.count[2]; ++z)
    for (int y = 0; y < copies.count[1]; ++y)
      for (int x = 0; x < copies.count[0]; ++x) {
        RandomStream random(seed, poses.size());
        const double up = random.uniform(-1, 1), around = random.uniform(0, 2 * M_PI),
                     flat = std::sqrt(1 - up * up);
        const Vec3 axis(flat * std::cos(around), up, flat * std::sin(around));
        const double angle = random.uniform(0, copies.tilt * M_PI / 180);
        Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
        pose.linear() = rotation_from_axis_angle(axis, angle);
        pose.translation() = centre - pose.linear() * centre + copies.spacing.cwiseProduct(Vec3(x, y, z));
        poses.push_back(pose);
      }
  return poses;
}

}  // namespace

std::vector<Problem> validate(const CopiesDescription& copies) {
  const double count = double(copies.count[0]) * copies.count[1] * copies.count[2];
  if (count <= 1e6) return {};
  return {{"count", "makes " + number_text(count) + " bodies", "a million is the most"}};
}

std::vector<Problem> validate(const ModalDescription& body) {
  if (body.poisson < 0.5) return {};
  return {{"poisson", "is " + number_text(body.poisson) + ", at which nothing could be compressed",
           "use less than 0.5; above about 0.49 linear elements turn too stiff"}};
}

std::unique_ptr<sim::System> build_modal(const ModalDescription& d, const Scene& scene, const Value& table) {
  const BodySource source{d.name, scene, table};
  const BodyMesh shape = filled(d.mesh);
  const AnyMesh mesh = make_mesh(shape, d.place, {.manifold = false, .distinct_vertices = true}, source);
  sim::DeformableBody body = make_body(mesh);
  Buffer<std::uint8_t> pinned(body.rest_positions.size(), 0);
  apply_pins(d.pin, source, pinned, body);
  if (!body.motions.empty())
    throw InputError(find_place(table, "pin").location(),
                     "'" + d.name + "': the pins of modal bodies cannot move",
                     "leave 'motion' out, or use [[elastic]]");
  modal::Model model;
  try {
    model = make_model(mesh, pinned, d);
  } catch (const InputError& error) {
    throw InputError(find_place(table, "mesh").location(), "'" + d.name + "': " + error.problem(),
                     error.remedy());
  }
  modal::State state = modal::make_state(model, copy_poses(d.copies, model.mesh_from_body.translation()));
  if (!model.pinned) {
    std::fill(state.velocities.begin(), state.velocities.end(), d.velocity);
    std::fill(state.angular_velocities.begin(), state.angular_velocities.end(), d.spin);
  }
  return std::make_unique<sim::ModalSystem>(d.name, std::move(model), d.params, std::move(state), d.colour);
}

}  // namespace selkie::scene
