// See rigid_shapes.h.
#include "selkie/scene/rigid_shapes.h"

#include <cmath>
#include <numbers>

#include "selkie/core/error.h"
#include "selkie/core/text.h"
#include "selkie/geometry/creature.h"
#include "selkie/geometry/mesh_check.h"
#include "selkie/io/read_mesh.h"
#include "selkie/io/read_toml.h"
#include "selkie/scene/paths.h"
#include "selkie/scene/rigid_copies.h"
#include "selkie/solids/rigid/mass.h"

namespace selkie::scene {
namespace {

using contact::Kind;
using geometry::TriangleMesh;

TriangleMesh lathe(const LatheShape& shape) {
  TriangleMesh mesh;
  const auto around = static_cast<std::uint32_t>(shape.around);
  auto vertex = [&](std::size_t p, std::uint32_t k) {
    return static_cast<std::uint32_t>(p) * around + k % around;
  };
  for (const auto& [radius, height] : shape.profile)
    for (std::uint32_t k = 0; k < around; ++k) {
      const double angle = 2 * std::numbers::pi * k / around;
      mesh.positions.emplace_back(radius * std::cos(angle), height, -radius * std::sin(angle));
    }
  for (std::size_t p = 0; p + 1 < shape.profile.size(); ++p)
    for (std::uint32_t k = 0; k < around; ++k) {
      const std::uint32_t a = vertex(p, k), b = vertex(p, k + 1), c = vertex(p + 1, k),
                          d = vertex(p + 1, k + 1);
      if (shape.profile[p][0] > 0) mesh.triangles.push_back({a, b, d});
      if (shape.profile[p + 1][0] > 0) mesh.triangles.push_back({a, d, c});
    }
  return mesh;
}

struct Maker {
  const RigidDescription& d;
  const Scene& scene;
  const Value& table;

  SourceLocation place(const std::string& path) const { return find_place(table, path).location(); }

  TriangleMesh surface(const RigidSurface& s, const std::string& path) const {
    if (s.box) return geometry::box_surface(*s.box);
    if (s.icosphere) return geometry::icosphere(*s.icosphere);
    if (s.cylinder) return geometry::cylinder_surface(*s.cylinder);
    if (s.torus) return geometry::torus_surface(*s.torus);
    if (s.shell) return geometry::shell_surface(*s.shell);
    if (s.creature) return geometry::creature(*s.creature);
    if (s.sheet) return geometry::sheet(*s.sheet);
    if (s.lathe) return lathe(*s.lathe);
    return io::read_triangle_mesh(existing_file(*s.file, scene.folder, find_place(table, path + ".file")));
  }

  std::shared_ptr<contact::Form> hull(const RigidHull& h, const std::string& path) const {
    const std::vector<Vec3> points = h.surface ? surface(*h.surface, path + ".surface").positions : h.points;
    auto made = contact::make_hull(points);
    if (!made)
      throw InputError(place(path), "the hull of '" + d.name + "' encloses no volume",
                       "give at least four points that do not lie in one plane");
    return contact::hull_form(std::move(*made));
  }

  template <class Described>
  contact::Shape convex(const Described& s, const std::string& path,
                        std::shared_ptr<contact::Form>& form) const {
    if (s.ball) return {Kind::ball, Vec3::Constant(s.ball->radius), nullptr};
    if (s.box) return {Kind::box, 0.5 * s.box->size, nullptr};
    if (s.capsule)
      return {Kind::capsule,
              Vec3(s.capsule->radius, 0.5 * s.capsule->length + s.capsule->radius, s.capsule->radius),
              nullptr};
    if (s.cylinder)
      return {Kind::cylinder, Vec3(s.cylinder->radius, 0.5 * s.cylinder->length, s.cylinder->radius),
              nullptr};
    form = hull(*s.hull, path + ".hull");
    return {Kind::hull, form->half_size, form.get()};
  }

  std::shared_ptr<contact::Form> compound() const {
    std::vector<contact::Child> children;
    std::vector<std::shared_ptr<const contact::Form>> owned;
    for (std::size_t k = 0; k < d.shape.compound->size(); ++k) {
      const RigidPart& part = (*d.shape.compound)[k];
      std::shared_ptr<contact::Form> form;
      contact::Child child;
      child.shape = convex(part, "shape.compound." + std::to_string(k), form);
      child.pose = Eigen::Translation3d(part.position) * turned(part.rotate);
      if (form) owned.push_back(form);
      children.push_back(child);
    }
    if (children.empty())
      throw InputError(place("shape"), "'" + d.name + "' is a compound of nothing", "list its parts");
    return contact::compound_form(std::move(children), std::move(owned));
  }

  TriangleMesh closed_mesh() const {
    const TriangleMesh mesh = surface(d.shape.mesh->surface, "shape.mesh.surface");
    const geometry::MeshReport report = geometry::check_mesh(mesh, geometry::kWatertight);
    if (!report.clean())
      throw InputError(place("shape.mesh"),
                       "the mesh of '" + d.name + "' encloses no body: it has " + report.text(),
                       report.remedy());
    const double box = geometry::bounding_box(mesh.positions).volume();
    if (!(geometry::volume(mesh) > 1e-9 * box))
      throw InputError(place("shape.mesh"), "the mesh of '" + d.name + "' encloses no volume",
                       "a body that moves needs a closed surface with an inside");
    return mesh;
  }
};

// Moves the form to the centre of mass and its principal axes.
std::shared_ptr<contact::Form> moved(const contact::Form& form, const Eigen::Isometry3d& inverse) {
  std::vector<Vec3> points = form.kind == Kind::hull ? form.hull.points : form.mesh.positions;
  for (Vec3& p : points) p = inverse * p;
  if (form.kind == Kind::hull) {
    contact::Hull hull = form.hull;
    hull.points = points;
    for (Vec3& n : hull.normals) n = inverse.linear() * n;
    return contact::hull_form(std::move(hull));
  }
  if (form.kind == Kind::compound) {
    std::vector<contact::Child> children = form.children;
    for (contact::Child& child : children) child.pose = inverse * child.pose;
    return contact::compound_form(std::move(children), form.owned);
  }
  return contact::solid_mesh_form({points, form.mesh.triangles});
}

void finish(const RigidDescription& d, const std::shared_ptr<contact::Form>& form,
            const SourceLocation& place, BodyShape& body) {
  rigid::MassProperties mass = rigid::mass_properties(body.shape, d.density.value_or(1000));
  if (d.mass) mass.inertia *= *d.mass / mass.mass, mass.mass = *d.mass;
  const rigid::PrincipalAxes axes = rigid::principal_axes(mass.inertia);
  if (form) {
    body.center = Eigen::Translation3d(mass.center) * Quat(axes.axes).normalized();
    body.form = moved(*form, body.center.inverse());
    body.shape.form = body.form.get();
    body.shape.size = body.form->half_size;
  }
  if (d.role != RigidRole::dynamic) return;
  body.mass = mass.mass, body.inertia = axes.moments;
  const auto usable = [](double value) {
    return value > 0 && std::isfinite(value) && std::isfinite(1 / value);
  };
  const double least = body.inertia.minCoeff(), greatest = body.inertia.maxCoeff();
  if (usable(body.mass) && body.inertia.allFinite() && usable(least) && usable(greatest)) return;
  const std::string moments = body.inertia.allFinite() ? "moments of inertia from " + number_text(least) +
                                                             " to " + number_text(greatest) + " kg m²"
                                                       : "moments of inertia that are not finite";
  throw InputError(place, "'" + d.name + "' has a mass of " + number_text(body.mass) + " kg and " + moments,
                   "a body that moves needs both, and finite; change its size or its density");
}

}  // namespace

BodyShape make_shape(const RigidDescription& d, const Scene& scene, const Value& table) {
  const Maker maker{d, scene, table};
  BodyShape body;
  if (d.shape.plane) {
    if (d.role != RigidRole::fixed)
      throw InputError(maker.place("shape"), "'" + d.name + "' is a plane that should move",
                       "set role = \"fixed\"");
    body.shape = {Kind::plane, Vec3::Ones(), nullptr};
    return body;
  }
  std::shared_ptr<contact::Form> form;
  if (d.shape.mesh && d.role == RigidRole::dynamic) {
    form = contact::solid_mesh_form(maker.closed_mesh());
  } else if (d.shape.mesh) {
    TriangleMesh mesh = maker.surface(d.shape.mesh->surface, "shape.mesh.surface");
    geometry::MeshRequirements want = geometry::kReadable;
    want.non_degenerate = true;
    geometry::require_valid(mesh, maker.place("shape.mesh").text(), want);
    body.form = contact::mesh_form(std::move(mesh), d.shape.mesh->two_sided);
    body.shape = {Kind::mesh, body.form->half_size, body.form.get()};
    return body;
  } else if (d.shape.compound) {
    form = maker.compound();
  } else {
    body.shape = maker.convex(d.shape, "shape", form);
  }
  if (form) body.shape = {form->kind, form->half_size, form.get()};
  finish(d, form, maker.place("shape"), body);
  return body;
}

}  // namespace selkie::scene
