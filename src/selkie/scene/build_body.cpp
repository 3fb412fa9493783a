// See build_body.h.
#include "selkie/scene/build_body.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "selkie/core/error.h"
#include "selkie/core/log.h"
#include "selkie/core/text.h"
#include "selkie/geometry/shape_choice.h"
#include "selkie/io/read_mesh.h"
#include "selkie/scene/paths.h"

namespace selkie::scene {
namespace {

using geometry::TetMesh;
using geometry::TriangleMesh;

TriangleMesh made_surface(const EnclosingSurface& s) {
  return geometry::make_surface({{}, s.box, s.ball, s.icosphere, s.cylinder, s.torus, s.shell, s.creature});
}

// The closed surface, placed but not yet checked.
TriangleMesh enclosing_surface(const EnclosingSurface& s, const std::optional<geometry::Placement>& place,
                               const BodySource& source) {
  TriangleMesh surface;
  if (s.file) {
    const Place file = find_place(source.table, "mesh.tetrahedra.surface.file");
    surface = io::read_triangle_mesh(existing_file(*s.file, source.scene.folder, file));
  } else {
    surface = made_surface(s);
  }
  if (place) geometry::place(surface, *place);
  return surface;
}

// What is wrong with the surface is said at its place in the scene.
TetMesh fill(const TetrahedraSource& tetrahedra, const std::optional<geometry::Placement>& place,
             const BodySource& source) {
  const Place at = find_place(source.table, "mesh.tetrahedra.surface");
  const TriangleMesh surface = enclosing_surface(tetrahedra.surface, place, source);
  const std::string name = tetrahedra.surface.file ? "'" + *tetrahedra.surface.file + "'" : "the surface";
  if (surface.triangles.empty())
    throw InputError(at.location(), name + " of '" + source.name + "' has no triangles");
  const geometry::MeshReport report = geometry::check_mesh(surface, geometry::kSolidSurface);
  if (!report.clean())
    throw InputError(at.location(), name + " cannot enclose '" + source.name + "': it has " + report.text(),
                     report.remedy());
  try {
    TetMesh mesh = geometry::fill_surface(surface, tetrahedra.mesher, tetrahedra.divisions);
    log_info("'" + source.name + "': " + geometry::report_of(mesh, surface).text());
    return mesh;
  } catch (const InputError& error) {
    throw InputError(at.location(), "'" + source.name + "': " + error.problem(), error.remedy());
  }
}

AnyMesh generate(const BodyMesh& m) {
  if (m.sheet) return geometry::sheet(*m.sheet);
  if (m.box) return geometry::box_surface(*m.box);
  if (m.ball) return geometry::ball_surface(*m.ball);
  if (m.icosphere) return geometry::icosphere(*m.icosphere);
  if (m.cylinder) return geometry::cylinder_surface(*m.cylinder);
  if (m.torus) return geometry::torus_surface(*m.torus);
  if (m.shell) return geometry::shell_surface(*m.shell);
  if (m.creature) return geometry::creature(*m.creature);
  if (m.tet_box) return geometry::tet_box(*m.tet_box);
  if (m.tet_ball) return geometry::tet_ball(*m.tet_ball);
  if (m.tet_spoon) return geometry::tet_spoon(*m.tet_spoon);
  if (m.tet_torus) return geometry::tet_torus(*m.tet_torus);
  return geometry::chain(*m.chain);
}

AnyMesh generate_or_read(const BodyMesh& m, const Scene& scene, const Place& place) {
  if (m.file) return io::read_any_mesh(existing_file(*m.file, scene.folder, place));
  try {
    return generate(m);
  } catch (const InputError& error) {
    throw InputError(place.location(), error.problem(), error.remedy());
  }
}

bool holds(const PinDescription& pin, const Vec3& point, std::int64_t vertex) {
  if (pin.box) return geometry::contains(*pin.box, point);
  if (!pin.vertices.empty())
    return std::find(pin.vertices.begin(), pin.vertices.end(), vertex) != pin.vertices.end();
  return geometry::contains(geometry::Region{{}, pin.ball, pin.cylinder, pin.half_space}, point);
}

}  // namespace

std::vector<Problem> validate(const BodyMesh& mesh) {
  if (!mesh.tet_box) return {};
  std::vector<Problem> problems = geometry::validate_solid(*mesh.tet_box);
  for (Problem& problem : problems) problem.member = "tet_box." + problem.member;
  return problems;
}

BodyMesh filled(const BodyMesh& mesh) {
  BodyMesh solid;
  if (mesh.box) {
    solid.tet_box = mesh.box;
    return solid;
  }
  const EnclosingSurface surface{{},         mesh.ball,  mesh.icosphere, mesh.cylinder,
                                 mesh.torus, mesh.shell, mesh.creature,  {}};
  if (!surface.ball && !surface.icosphere && !surface.cylinder && !surface.torus && !surface.shell &&
      !surface.creature)
    return mesh;
  solid.tetrahedra = TetrahedraSource{surface};
  const TriangleMesh triangles = made_surface(surface);
  const double size = geometry::bounding_box(triangles.positions).sizes().maxCoeff();
  double length = 0;
  const std::vector<geometry::Segment> edges = geometry::unique_edges(triangles.triangles);
  for (const auto& [a, b] : edges) length += (triangles.positions[a] - triangles.positions[b]).norm();
  const double cells = size * static_cast<double>(edges.size()) / length;
  solid.tetrahedra->divisions = static_cast<int>(std::clamp(std::round(cells), 2.0, 1000.0));
  return solid;
}

AnyMesh make_mesh(const BodyMesh& mesh, const std::optional<geometry::Placement>& place,
                  const geometry::MeshRequirements& want, const BodySource& source) {
  const Place mesh_place = find_place(source.table, mesh.file ? "mesh.file" : "mesh");
  // Tetrahedra are made in place: their size and shape would suffer from stretching afterwards.
  AnyMesh made = mesh.tetrahedra ? fill(*mesh.tetrahedra, place, source)
                                 : generate_or_read(mesh, source.scene, mesh_place);
  const std::string mesh_name =
      mesh.file ? (source.scene.folder / *mesh.file).string() : mesh_place.location().text();
  std::visit(
      [&](auto& m) {
        if (place && !mesh.tetrahedra) geometry::place(m, *place);
        geometry::require_valid(m, mesh_name, want);
        if (m.positions.empty())
          throw InputError(mesh_place.location(), "the mesh of '" + source.name + "' has no vertices");
      },
      made);
  return made;
}

sim::DeformableBody make_body(const AnyMesh& mesh) {
  sim::DeformableBody body;
  std::visit([&](const auto& m) { body.rest_positions = m.positions; }, mesh);
  if (const auto* triangles = std::get_if<TriangleMesh>(&mesh)) body.triangles = triangles->triangles;
  if (const auto* tets = std::get_if<TetMesh>(&mesh)) {
    body.tets = tets->tets;
    body.triangles = geometry::boundary_triangles(tets->tets);
  }
  return body;
}

void add_skin(const BodyMesh& description, const std::optional<geometry::Placement>& place,
              const AnyMesh& mesh, const BodySource& source, sim::DeformableBody& body) {
  if (!description.tetrahedra || !description.tetrahedra->skin) return;
  TriangleMesh surface = enclosing_surface(description.tetrahedra->surface, place, source);
  body.skin = sim::DeformableBody::Skin{geometry::make_skin(std::get<TetMesh>(mesh), surface.positions),
                                        std::move(surface.triangles)};
}

std::vector<std::uint8_t> vertices_held(const PinDescription& pin, const BodySource& source,
                                        const std::string& path, const std::string& what,
                                        std::span<const Vec3> positions) {
  const std::size_t count = positions.size();
  for (std::size_t k = 0; k < pin.vertices.size(); ++k)
    if (static_cast<std::size_t>(pin.vertices[k]) >= count)
      throw InputError(find_place(source.table, path + ".vertices." + std::to_string(k)).location(),
                       "the " + what + " names vertex " + std::to_string(pin.vertices[k]) + ", but '" +
                           source.name + "' has " + std::to_string(count) + " vertices",
                       "use numbers from 0 to " + std::to_string(count - 1));
  std::vector<std::uint8_t> held(count);
  for (std::size_t v = 0; v < count; ++v) held[v] = holds(pin, positions[v], static_cast<std::int64_t>(v));
  return held;
}

std::string extent_text(std::span<const Vec3> positions) {
  const geometry::BoundingBox box = geometry::bounding_box(positions);
  auto text = [](const Vec3& x) { return numbers_text({x.data(), 3}); };
  return "the body reaches from " + text(box.min()) + " to " + text(box.max());
}

void apply_pins(std::span<const PinDescription> pins, const BodySource& source, Buffer<std::uint8_t>& pinned,
                sim::DeformableBody& body) {
  const std::size_t count = body.rest_positions.size();
  for (std::size_t p = 0; p < pins.size(); ++p) {
    const PinDescription& pin = pins[p];
    const std::string path = "pin." + std::to_string(p);
    const std::vector<std::uint8_t> held = vertices_held(pin, source, path, "pin", body.rest_positions);
    std::int32_t motion = -1;
    if (pin.motion) {
      motion = static_cast<std::int32_t>(body.motions.size());
      body.motions.emplace_back(*pin.motion);
      if (body.motion_of_vertex.empty()) body.motion_of_vertex.assign(count, -1);
    }
    for (std::size_t v = 0; v < count; ++v) {
      if (held[v] == 0) continue;
      pinned[v] = 1;
      if (!body.motion_of_vertex.empty()) body.motion_of_vertex[v] = motion;
    }
    if (std::find(held.begin(), held.end(), 1) == held.end())
      throw InputError(find_place(source.table, path).location(),
                       "the pin holds no vertex of '" + source.name + "'", extent_text(body.rest_positions));
  }
}

}  // namespace selkie::scene
