// See mesher.h.
#include "selkie/geometry/tetrahedra/mesher.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "selkie/core/error.h"
#include "selkie/core/parallel.h"
#include "selkie/core/text.h"
#include "selkie/geometry/closed_surface.h"
#include "selkie/geometry/detail/sliver_peeling.h"
#include "selkie/geometry/detail/sliver_smoothing.h"
#include "selkie/geometry/tetrahedra/delaunay.h"
#include "selkie/geometry/tetrahedra/sampling.h"

namespace selkie::geometry {
namespace {

TetMesh fill_by_lattice(const ClosedSurface& surface, double cell) {
  // An edge that the surface cuts is at most one cell long, so that farther distances do not matter.
  return stuff([&](const Vec3& p) { return surface.signed_distance(p, 1.5 * cell); }, surface.box(), cell);
}

// Leaves out vertices that no tet uses.
void compact(TetMesh& mesh) {
  std::vector<std::uint32_t> number(mesh.positions.size(), 0);
  for (const Tet& tet : mesh.tets)
    for (const std::uint32_t vertex : tet) number[vertex] = 1;
  std::uint32_t used = 0;
  for (std::size_t v = 0; v < number.size(); ++v) {
    if (number[v] == 0) continue;
    mesh.positions[used] = mesh.positions[v];
    number[v] = used++;
  }
  mesh.positions.resize(used);
  for (Tet& tet : mesh.tets)
    for (std::uint32_t& vertex : tet) vertex = number[vertex];
}

TetMesh fill_by_delaunay(const ClosedSurface& surface, double spacing) {
  SolidSamples samples = sample_solid(surface, spacing);
  const std::size_t surface_count = samples.surface.size();
  TetMesh mesh{std::move(samples.surface), {}};
  mesh.positions.insert(mesh.positions.end(), samples.interior.begin(), samples.interior.end());
  if (mesh.positions.size() < 4) return {};
  const std::vector<Tet> hull = delaunay(mesh.positions).tets;
  // Delaunay fills the hull; what belongs to the solid has its middle inside. [RT-14]
  std::vector<std::uint8_t> keep(hull.size(), 0);
  parallel_for(
      hull.size(),
      [&](std::size_t i) {
        const auto& x = mesh.positions;
        const auto& [a, b, c, d] = hull[i];
        // Samples of a flat face are in one plane up to round-off, which makes tets of next to no volume
        // there.
        const bool in_a_face = std::max({a, b, c, d}) < surface_count &&
                               signed_volume(x[a], x[b], x[c], x[d]) < 1e-6 * spacing * spacing * spacing;
        keep[i] = !in_a_face && surface.inside((x[a] + x[b] + x[c] + x[d]) / 4);
      },
      256);
  for (std::size_t i = 0; i < hull.size(); ++i)
    if (keep[i]) mesh.tets.push_back(hull[i]);
  const double flat = 1e-3 * spacing * spacing * spacing;
  detail::peel_slivers(mesh, flat, 8);
  detail::smooth_slivers(mesh, samples.sharp_count, surface_count, surface, 0.2 * spacing);
  detail::peel_slivers(mesh, flat, 8);
  compact(mesh);
  return mesh;
}

}  // namespace

double cell_size(const TriangleMesh& surface, int divisions) {
  return bounding_box(surface.positions).sizes().maxCoeff() / divisions;
}

TetMesh fill_surface(const TriangleMesh& surface, Mesher mesher, int divisions) {
  const double cell = cell_size(surface, divisions);
  require_moderate_lattice(bounding_box(surface.positions), cell);
  const ClosedSurface closed(surface);
  TetMesh mesh = mesher == Mesher::bcc ? fill_by_lattice(closed, cell) : fill_by_delaunay(closed, cell);
  if (mesh.tets.empty())
    throw InputError("no tetrahedron of size " + number_text(cell) + " m fits into the surface",
                     "raise 'divisions'");
  return mesh;
}

MeshingReport report_of(const TetMesh& mesh, const TriangleMesh& surface) {
  return {mesh.positions.size(), mesh.tets.size(), dihedral_angles(mesh), volume(mesh), volume(surface)};
}

std::string MeshingReport::text() const {
  std::ostringstream out;
  out << vertices << " vertices, " << tets << " tetrahedra, dihedral angles " << std::fixed
      << std::setprecision(1) << dihedral.min << " to " << dihedral.max << " degrees, volume "
      << std::defaultfloat << std::setprecision(5) << volume << " m³ of the surface's " << surface_volume;
  return out.str();
}

}  // namespace selkie::geometry
