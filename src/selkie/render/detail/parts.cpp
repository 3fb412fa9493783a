// Drawables as meshes, spheres and curves. A water surface given as heights gets walls and a floor, so that
// it reads as a body of water; arrows become shafts with cones. What is not finite is left out with a
// warning; indices and attributes that do not fit are an InputError.
#include "selkie/render/detail/parts.h"

#include <fmt/format.h>

#include "selkie/core/error.h"
#include "selkie/core/log.h"
#include "selkie/render/detail/colour_map.h"

namespace selkie::render::detail {
namespace {

using Triangle = std::array<std::uint32_t, 3>;

const ports::Attribute* find(const std::vector<ports::Attribute>& attributes, std::string_view name) {
  for (const auto& attribute : attributes)
    if (attribute.name == name) return &attribute;
  return nullptr;
}

void check_attribute(const ports::Drawable& drawable, const ports::Attribute& attribute, std::size_t points) {
  const bool fits = attribute.components == 1 || attribute.components == 3;
  if (!fits || attribute.values.size() != points * static_cast<std::size_t>(attribute.components))
    throw InputError(fmt::format("`{}`: attribute `{}` has {} values for {} points", drawable.name,
                                 attribute.name, attribute.values.size(), points),
                     "give 1 or 3 values per point");
}

std::size_t count_unusable(std::span<const Vec3> positions) {
  std::size_t bad = 0;
  for (const Vec3& x : positions) bad += !x.allFinite();
  return bad;
}

void warn_unusable(const ports::Drawable& drawable, std::size_t bad) {
  if (bad > 0)
    log_warning(fmt::format("picture: `{}`: {} points are not finite; what uses them is left out",
                            drawable.name, bad));
}

// Positions relative to the origin; with a shutter, at its opening and closing.
void place(Part& part, std::span<const Vec3> positions, const std::vector<ports::Attribute>& attributes,
           const PartContext& context, const ports::Drawable& drawable) {
  const ports::Attribute* velocity = context.shutter > 0 ? find(attributes, "velocity") : nullptr;
  if (velocity) check_attribute(drawable, *velocity, positions.size());
  if (velocity && velocity->components != 3) velocity = nullptr;
  part.positions.resize(positions.size());
  if (velocity) part.moved.resize(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Vec3 x = positions[i] - context.origin;
    Vec3 half = Vec3::Zero();
    if (velocity) half = 0.5 * context.shutter * Eigen::Map<const Vec3>(velocity->values.data() + 3 * i);
    if (!half.allFinite()) half.setZero();
    part.positions[i] = (x - half).cast<float>();
    if (velocity) part.moved[i] = (x + half).cast<float>();
  }
}

void colour(Part& part, std::size_t points, const std::vector<ports::Attribute>& attributes,
            const PartContext& context, const ports::Drawable& drawable) {
  part.edges = context.overlay->wire && !drawable.backdrop;
  if (context.overlay->attribute.empty()) return;
  const ports::Attribute* attribute = find(attributes, context.overlay->attribute);
  if (!attribute) return;
  check_attribute(drawable, *attribute, points);
  part.colours.resize(points);
  for (std::size_t i = 0; i < points; ++i) {
    const double value = attribute_size(*attribute, i);
    part.colours[i] = std::isfinite(value) ? map_colour(value, context.range) : Rgb(0.3f, 0.3f, 0.3f);
  }
  part.finish.look = ports::Look::matte;  // colours are read best without reflections on top
}

// Drops triangles without area or with a point that is not finite.
void keep_usable(Part& part, std::span<const Triangle> triangles, const ports::Drawable& drawable) {
  part.triangles.reserve(triangles.size());
  for (const Triangle& t : triangles) {
    for (const std::uint32_t v : t)
      if (v >= part.positions.size())
        throw InputError(
            fmt::format("`{}`: a triangle names point {} of {}", drawable.name, v, part.positions.size()),
            "indices count from 0");
    const Vec3f a = part.positions[t[1]] - part.positions[t[0]],
                b = part.positions[t[2]] - part.positions[t[0]];
    if (a.cross(b).squaredNorm() > 0 && part.positions[t[0]].allFinite()) part.triangles.push_back(t);
  }
}

Part mesh_part(const ports::Drawable& drawable, const ports::TriangleSurface& surface, Finish finish,
               const PartContext& context) {
  Part part{.name = drawable.name, .finish = finish};
  warn_unusable(drawable, count_unusable(surface.positions));
  place(part, surface.positions, surface.attributes, context, drawable);
  colour(part, surface.positions.size(), surface.attributes, context, drawable);
  keep_usable(part, surface.triangles, drawable);
  if (part.finish.look == ports::Look::glass) part.finish.thin = !is_closed(part.triangles);
  part.normals = corner_normals(part.positions, part.triangles);
  return part;
}

// The surface as points and triangles, row after row; for clear looks with walls. There is no floor: what
// lies below shows through, without the mirror that a pane of air between water and ground would be.
struct HeightMesh {
  std::vector<Vec3> positions;
  std::vector<Triangle> triangles;
};
HeightMesh height_mesh(const ports::HeightSurface& surface, bool closed) {
  const auto nx = static_cast<std::uint32_t>(surface.samples[0]),
             nz = static_cast<std::uint32_t>(surface.samples[1]);
  HeightMesh mesh;
  double lowest = surface.heights[0];
  for (std::uint32_t j = 0; j < nz; ++j)
    for (std::uint32_t i = 0; i < nx; ++i) {
      const double height = surface.heights[j * nx + i];
      lowest = std::min(lowest, height);
      mesh.positions.push_back(surface.origin + Vec3(i * surface.spacing, height, j * surface.spacing));
    }
  for (std::uint32_t j = 0; j + 1 < nz; ++j)
    for (std::uint32_t i = 0; i + 1 < nx; ++i) {
      const std::uint32_t a = j * nx + i, b = a + 1, c = a + nx, d = c + 1;
      mesh.triangles.push_back({a, c, b});
      mesh.triangles.push_back({b, c, d});
    }
  if (!closed) return mesh;
  std::vector<std::uint32_t> rim;  // around, in the order that turns the walls outwards
  for (std::uint32_t i = 0; i + 1 < nx; ++i) rim.push_back(i);
  for (std::uint32_t j = 0; j + 1 < nz; ++j) rim.push_back(j * nx + nx - 1);
  for (std::uint32_t i = nx - 1; i > 0; --i) rim.push_back((nz - 1) * nx + i);
  for (std::uint32_t j = nz - 1; j > 0; --j) rim.push_back(j * nx);
  const double floor = surface.origin.y() + lowest - water_depth(surface);
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  for (const std::uint32_t v : rim)
    mesh.positions.push_back({mesh.positions[v].x(), floor, mesh.positions[v].z()});
  const auto around = static_cast<std::uint32_t>(rim.size());
  for (std::uint32_t k = 0; k < around; ++k) {
    const std::uint32_t next = (k + 1) % around;
    mesh.triangles.push_back({rim[k], rim[next], first + k});
    mesh.triangles.push_back({rim[next], first + next, first + k});
  }
  return mesh;
}

std::optional<Part> height_part(const ports::Drawable& drawable, const ports::HeightSurface& surface,
                                Finish finish, const PartContext& context) {
  const bool sized = surface.samples[0] > 1 && surface.samples[1] > 1;
  if (!sized) return std::nullopt;
  const std::size_t count =
      static_cast<std::size_t>(surface.samples[0]) * static_cast<std::size_t>(surface.samples[1]);
  if (surface.heights.size() != count)
    throw InputError(
        fmt::format("`{}` has {} heights for {} places", drawable.name, surface.heights.size(), count),
        "give one height per place");
  const HeightMesh mesh = height_mesh(surface, finish.clear());
  Part part{.name = drawable.name, .finish = finish};
  warn_unusable(drawable, count_unusable(mesh.positions));
  place(part, mesh.positions, {}, context, drawable);
  colour(part, count, surface.attributes, context, drawable);
  if (!part.colours.empty()) part.colours.resize(mesh.positions.size(), part.finish.colour);
  keep_usable(part, mesh.triangles, drawable);
  part.normals = corner_normals(part.positions, part.triangles);
  return part;
}

Part sphere_part(const ports::Drawable& drawable, const ports::Points& points, Finish finish,
                 const PartContext& context) {
  Part part{.name = drawable.name, .kind = Kind::spheres, .finish = finish};
  part.radius = static_cast<float>(finish.radius.value_or(point_radius(points.positions, points.radius)));
  warn_unusable(drawable, count_unusable(points.positions));
  place(part, points.positions, points.attributes, context, drawable);
  colour(part, points.positions.size(), points.attributes, context, drawable);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < part.positions.size(); ++i) {
    if (!part.positions[i].allFinite()) continue;
    part.positions[kept] = part.positions[i];
    if (!part.moved.empty()) part.moved[kept] = part.moved[i];
    if (!part.colours.empty()) part.colours[kept] = part.colours[i];
    ++kept;
  }
  part.positions.resize(kept);
  if (!part.moved.empty()) part.moved.resize(kept);
  return part;
}

// Lines that follow one another become one smooth curve through their points: control points in a row, the
// first and the last twice, as Catmull-Rom segments need one more at each end.
Part curve_part(const ports::Drawable& drawable, const ports::Curves& curves, Finish finish,
                const PartContext& context) {
  Part source{.name = drawable.name, .finish = finish};
  warn_unusable(drawable, count_unusable(curves.positions));
  place(source, curves.positions, curves.attributes, context, drawable);
  colour(source, curves.positions.size(), curves.attributes, context, drawable);
  Part part{.name = drawable.name, .kind = Kind::curves, .finish = source.finish};
  part.radius = static_cast<float>(finish.radius.value_or(curve_radius(curves.positions, curves.radius)));
  auto push = [&](std::uint32_t v) {
    part.positions.push_back(source.positions[v]);
    if (!source.moved.empty()) part.moved.push_back(source.moved[v]);
    if (!source.colours.empty()) part.colours.push_back(source.colours[v]);
  };
  std::uint32_t end = ~0u;  // the point the curve so far ends in
  for (const auto& [a, b] : curves.lines) {
    if (a >= source.positions.size() || b >= source.positions.size())
      throw InputError(
          fmt::format("`{}`: a line names a point beyond {}", drawable.name, source.positions.size()),
          "indices count from 0");
    if (!source.positions[a].allFinite() || !source.positions[b].allFinite()) continue;
    if (a != end) {
      if (end != ~0u) push(end);
      push(a);
      push(a);
    }
    part.segments.push_back(static_cast<std::uint32_t>(part.positions.size()) - 2);
    push(b);
    end = b;
  }
  if (end != ~0u) push(end);
  return part;
}

// A shaft and a cone of eight sides along each vector; the longest is a twelfth of the scene's size.
Part arrow_part(const ports::Drawable& drawable, const ports::Vectors& vectors, Finish finish,
                const PartContext& context) {
  if (vectors.origins.size() != vectors.values.size())
    throw InputError(fmt::format("`{}` has {} arrows at {} places", drawable.name, vectors.values.size(),
                                 vectors.origins.size()),
                     "give one value per origin");
  Part part{.name = drawable.name, .finish = finish};
  double longest = 0;
  for (const Vec3& value : vectors.values)
    if (value.allFinite()) longest = std::max(longest, value.norm());
  const double scale = longest > 0 ? context.size / 12 / longest : 0;
  std::vector<Vec3> positions;
  std::vector<Triangle> triangles;
  for (std::size_t k = 0; k < vectors.values.size(); ++k) {
    const Vec3 arrow = vectors.values[k] * scale;
    const double length = arrow.norm();
    if (!arrow.allFinite() || !vectors.origins[k].allFinite() || length < 1e-4 * context.size) continue;
    const Vec3 along = arrow / length, u = along.unitOrthogonal(), v = along.cross(u);
    const double head = std::min(0.4 * length, context.size / 50),
                 thick = std::min(0.05 * length, context.size / 300);
    // Rings: foot, neck, brim, tip.
    const std::array<std::array<double, 2>, 4> rings = {
        {{0, thick}, {length - head, thick}, {length - head, 3 * thick}, {length, 0.05 * thick}}};
    const auto first = static_cast<std::uint32_t>(positions.size());
    for (const auto& [at, radius] : rings)
      for (int s = 0; s < 8; ++s) {
        const double angle = s * std::numbers::pi / 4;
        positions.push_back(vectors.origins[k] + at * along +
                            radius * (std::cos(angle) * u + std::sin(angle) * v));
      }
    for (std::uint32_t ring = 0; ring < 3; ++ring)
      for (std::uint32_t s = 0; s < 8; ++s) {
        const std::uint32_t a = first + 8 * ring + s, b = first + 8 * ring + (s + 1) % 8;
        triangles.push_back({a, b, a + 8});
        triangles.push_back({b, b + 8, a + 8});
      }
  }
  place(part, positions, {}, context, drawable);
  keep_usable(part, triangles, drawable);
  part.normals = corner_normals(part.positions, part.triangles);
  return part;
}

}  // namespace

std::optional<Part> make_part(const ports::Drawable& drawable, const ports::Material& material,
                              const PartContext& context) {
  const std::optional<Box> box = bounds(std::span(&drawable, 1));
  const Finish finish = finish_of(drawable, material, box ? 0.5 * (box->high - box->low).norm() : 1);
  std::optional<Part> part;
  if (const auto* surface = std::get_if<ports::TriangleSurface>(&drawable.shape))
    part = mesh_part(drawable, *surface, finish, context);
  else if (const auto* points = std::get_if<ports::Points>(&drawable.shape))
    part = sphere_part(drawable, *points, finish, context);
  else if (const auto* curves = std::get_if<ports::Curves>(&drawable.shape))
    part = curve_part(drawable, *curves, finish, context);
  else if (const auto* vectors = std::get_if<ports::Vectors>(&drawable.shape))
    part = arrow_part(drawable, *vectors, finish, context);
  else if (const auto* heights = std::get_if<ports::HeightSurface>(&drawable.shape))
    part = height_part(drawable, *heights, finish, context);
  if (part && part->triangles.empty() && part->segments.empty() &&
      (part->kind != Kind::spheres || part->positions.empty()))
    part.reset();
  return part;
}

}  // namespace selkie::render::detail
