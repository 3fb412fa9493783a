// See build_shape_matching.h.
#include "selkie/scene/build_shape_matching.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "selkie/core/error.h"
#include "selkie/core/random.h"
#include "selkie/core/text.h"
#include "selkie/geometry/tetrahedra/delaunay.h"
#include "selkie/io/read_toml.h"
#include "selkie/scene/build_body.h"
#include "selkie/sim/systems/shape_matching_system.h"

namespace selkie::scene {
namespace {

using shape_matching::BodyInput;

struct Make {
  BodyInput body;
  std::vector<geometry::Segment> lines;  // of bodies without a surface
  std::vector<geometry::Tet> tets;       // what contacts with other systems look into
};

Make make_of(const ShapeMatchingDescription& d, std::size_t k, const Scene& scene, const Value& table) {
  static const Value nowhere{ValueTable{}};
  const Value* list = table.find("body");
  const Value& entry = list && list->is_array() && k < list->array().size() ? list->array()[k] : nowhere;
  const BodySource source{d.name, scene, entry};
  const AnyMesh mesh = make_mesh(d.body[k].mesh, d.body[k].place, {.manifold = false}, source);
  Make make;
  if (const auto* tets = std::get_if<geometry::TetMesh>(&mesh)) {
    make.body = shape_matching::from_tets(*tets, d.density);
    make.tets = tets->tets;
  } else if (const auto* triangles = std::get_if<geometry::TriangleMesh>(&mesh)) {
    make.body = shape_matching::from_triangles(*triangles, d.density, d.thickness);
    if (make.body.has_inside) make.tets = geometry::tets_inside(*triangles);
  } else {
    make.body = shape_matching::from_segments(std::get<geometry::SegmentMesh>(mesh), d.density, d.thickness);
  }
  if (make.body.surface.empty()) make.lines = make.body.edges;
  if (d.radius) make.body.radius = *d.radius;
  return make;
}

// A turn that favours no direction: a random unit quaternion. [Shoemake92]
Eigen::Quaterniond random_turn(RandomStream& random) {
  const double u = random.uniform(), a = 2 * std::numbers::pi * random.uniform(),
               b = 2 * std::numbers::pi * random.uniform();
  return {std::sqrt(1 - u) * std::sin(a), std::sqrt(1 - u) * std::cos(a), std::sqrt(u) * std::sin(b),
          std::sqrt(u) * std::cos(b)};
}

// The n-th body of a crowd: moved from its own middle to its place in the lattice.
BodyInput copy_of(const BodyInput& make, const Copies& copies, std::int64_t n) {
  RandomStream random(static_cast<std::uint64_t>(copies.seed), static_cast<std::uint64_t>(n));
  const auto [nx, nz] = copies.per_layer;
  const std::int64_t layer = n / (std::int64_t{nx} * nz), within = n % (std::int64_t{nx} * nz);
  const Vec3 cell(static_cast<double>(within % nx) - 0.5 * (nx - 1), static_cast<double>(layer),
                  static_cast<double>(within / nx) - 0.5 * (nz - 1));
  Vec3 place = copies.first + copies.spacing * cell;
  for (int c = 0; c < 3; ++c) place[c] += copies.spacing * random.uniform(-copies.jitter, copies.jitter);
  const Mat3 turn = copies.turned ? random_turn(random).toRotationMatrix() : Mat3(Mat3::Identity());
  const Vec3 middle = geometry::bounding_box(make.positions).center();
  BodyInput body = make;
  for (Vec3& x : body.positions) x = place + turn * (x - middle);
  return body;
}

void add_drawn(sim::CrowdPart& part, const Make& make, std::uint32_t first) {
  for (const auto& [a, b, c] : make.body.surface) part.triangles.push_back({first + a, first + b, first + c});
  for (const auto& [a, b] : make.lines) part.lines.push_back({first + a, first + b});
}

}  // namespace

std::vector<Problem> validate(const ShapeMatchingDescription& d) {
  if (d.body.empty()) return {{"body", "is empty", "add [[shape_matching.body]] with a mesh"}};
  return {};
}

std::unique_ptr<sim::System> build_shape_matching(const ShapeMatchingDescription& d, const Scene& scene,
                                                  const Value& table) {
  std::vector<Make> makes;
  std::vector<sim::CrowdPart> parts;
  for (std::size_t k = 0; k < d.body.size(); ++k) {
    makes.push_back(make_of(d, k, scene, table));
    parts.push_back({d.body.size() > 1 ? std::to_string(k + 1) : "", d.body[k].colour, {}, {}});
  }
  std::vector<BodyInput> bodies;
  sim::DeformableBody body;
  std::uint32_t first = 0;
  const std::int64_t count = d.copies ? d.copies->count : static_cast<std::int64_t>(makes.size());
  for (std::int64_t n = 0; n < count; ++n) {
    const std::size_t k = static_cast<std::size_t>(n) % makes.size();
    bodies.push_back(d.copies ? copy_of(makes[k].body, *d.copies, n) : makes[k].body);
    add_drawn(parts[k], makes[k], first);
    for (const auto& [p, q, r, s] : makes[k].tets)
      body.tets.push_back({first + p, first + q, first + r, first + s});
    first += static_cast<std::uint32_t>(bodies.back().positions.size());
  }
  std::erase_if(parts, [](const sim::CrowdPart& p) { return p.triangles.empty() && p.lines.empty(); });

  auto model = [&] {
    try {
      return shape_matching::build_model(bodies, {.vertices = d.cluster, .overlap = d.overlap});
    } catch (const InputError& error) {
      throw InputError(find_place(table, "body").location(), "'" + d.name + "': " + error.problem(),
                       error.remedy());
    }
  }();
  shape_matching::State state = shape_matching::make_state(model);
  std::fill(state.velocities.begin(), state.velocities.end(), d.velocity);
  body.rest_positions = model.rest_positions;
  body.triangles = model.surface;
  body.fixed_step = d.step;
  apply_pins(d.pin, {d.name, scene, table}, state.pinned, body);
  for (std::size_t v = 0; v < state.pinned.size(); ++v)
    if (state.pinned[v]) state.velocities[v].setZero();
  return std::make_unique<sim::ShapeMatchingSystem>(d.name, std::move(model), d.params, std::move(state),
                                                    std::move(body), std::move(parts));
}

}  // namespace selkie::scene
