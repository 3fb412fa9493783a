// See build_surface_water.h.
#include "selkie/scene/build_surface_water.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/error.h"
#include "selkie/core/expression.h"
#include "selkie/core/text.h"
#include "selkie/io/read_character.h"
#include "selkie/io/read_mesh.h"
#include "selkie/scene/paths.h"
#include "selkie/sim/systems/surface_water_system.h"

namespace selkie::scene {

namespace sw = surface_water;

namespace {

const std::vector<std::string> kPlace{"x", "y", "z"}, kPlaceTime{"x", "y", "z", "t"}, kTime{"t"};

void check(const std::string& key, const std::string& formula, const std::vector<std::string>& variables,
           std::vector<Problem>& problems) {
  try {
    const std::vector<double> zeros(variables.size(), 0.0);
    const Expression expression(formula, variables);
    expression(zeros);
  } catch (const InputError& error) {
    problems.push_back(
        {key, "is not a formula in " + join_choices(variables) + ": " + std::string(error.what())});
  }
}

void check_three(const std::string& key, const std::vector<std::string>& formulas,
                 const std::vector<std::string>& variables, std::vector<Problem>& problems) {
  if (formulas.empty()) return;
  if (formulas.size() != 3)
    return problems.push_back(
        {key, "has " + std::to_string(formulas.size()) + " formulas", "give three: x, y and z"});
  for (std::size_t i = 0; i < 3; ++i) check(key + "." + std::to_string(i), formulas[i], variables, problems);
}

std::vector<Expression> compile(const std::vector<std::string>& formulas,
                                const std::vector<std::string>& variables) {
  std::vector<Expression> made;
  for (const std::string& formula : formulas) made.emplace_back(formula, variables);
  return made;
}

// A mesh, and a skeleton where it has one.
geometry::Figure make_mesh(const SurfaceWaterDescription& d, const Scene& scene, const Value& source) {
  const WaterMesh& m = d.mesh;
  geometry::Figure made;
  if (m.figure) return geometry::figure(*m.figure);
  if (m.icosphere) made.mesh = geometry::icosphere(*m.icosphere);
  if (m.ball) made.mesh = geometry::ball_surface(*m.ball);
  if (m.box) made.mesh = geometry::box_surface(*m.box);
  if (m.cylinder) made.mesh = geometry::cylinder_surface(*m.cylinder);
  if (m.torus) made.mesh = geometry::torus_surface(*m.torus);
  if (m.creature) made.mesh = geometry::creature(*m.creature);
  if (m.letters) made.mesh = geometry::letters(*m.letters);
  if (m.sheet) made.mesh = geometry::sheet(*m.sheet);
  if (m.file) {
    const std::filesystem::path path = existing_file(*m.file, scene.folder, find_place(source, "mesh.file"));
    if (!d.clip.empty()) return io::read_character(path);
    made.mesh = io::read_triangle_mesh(path);
  }
  if (d.place) geometry::place(made.mesh, *d.place);
  return made;
}

// The skeleton's part of the motion, its weights in the order of the model's vertices.
void add_skeleton(const SurfaceWaterDescription& d, const geometry::Figure& made, const sw::Model& model,
                  const Value& source, sim::SurfaceMotion& motion) {
  if (d.clip.empty()) return;
  const Place place = find_place(source, "clip");
  if (made.skeleton.joints.empty())
    throw InputError(place.location(), "'" + d.name + "' has clips, but its mesh has no skeleton",
                     "use the figure, or a glTF file with a skeleton");
  motion.skeleton = made.skeleton;
  for (const std::uint32_t old : model.original) motion.skin.push_back(made.skin[old]);
  std::vector<std::string> names;
  for (const geometry::Clip& clip : made.skeleton.clips) names.push_back(clip.name);
  std::vector<std::string> weights(names.size(), "0");
  for (std::size_t i = 0; i < d.clip.size(); ++i) {
    const auto at = std::find(names.begin(), names.end(), d.clip[i].name);
    if (at == names.end())
      throw InputError(find_place(source, "clip." + std::to_string(i) + ".name").location(),
                       "the skeleton has no clip \"" + d.clip[i].name + "\"",
                       "it has " + (names.empty() ? "none" : join_choices(names)));
    weights[static_cast<std::size_t>(at - names.begin())] = d.clip[i].weight;
  }
  motion.clip_weights = compile(weights, kTime);
}

void add_sequence(const SurfaceWaterDescription& d, const Scene& scene, const geometry::TriangleMesh& first,
                  const sw::Model& model, const Value& source, sim::SurfaceMotion& motion) {
  if (!d.sequence) return;
  const sw::Complex in_file = sw::make_complex(first, d.name, d.open);
  motion.sequence_rate = d.sequence->fps;
  for (std::size_t f = 0; f < d.sequence->files.size(); ++f) {
    const std::string& file = d.sequence->files[f];
    const Place place = find_place(source, "sequence.files." + std::to_string(f));
    const std::filesystem::path path = existing_file(file, scene.folder, place);
    geometry::TriangleMesh frame = io::read_triangle_mesh(path);
    if (d.place) geometry::place(frame, *d.place);
    sw::require_same_topology(in_file, frame, path.string());
    std::vector<Vec3>& positions = motion.sequence.emplace_back();
    for (const std::uint32_t old : model.original) positions.push_back(frame.positions[old]);
  }
}

double value_at(const Expression& formula, const Vec3& p, const char* what, const Place& place) {
  const std::array<double, 3> at{p.x(), p.y(), p.z()};
  const double value = formula(at);
  if (!std::isfinite(value) || std::abs(value) > 1e6)
    throw InputError(place.location(),
                     std::string("the ") + what + " at a vertex is " + number_text(value) + " m",
                     "every value must be a number between -1e6 and 1e6 m");
  return value;
}

sw::State make_state(const SurfaceWaterDescription& d, const sw::Model& model, const Value& source) {
  sw::State state = sw::make_state(model, 0);
  const Expression water(d.water, kPlace);
  for (std::size_t v = 0; v < state.depth.size(); ++v)
    state.depth[v] = value_at(water, model.rest[v], "depth of the water", find_place(source, "water"));
  if (d.velocity.empty()) return state;
  const std::vector<Expression> velocity = compile(d.velocity, kPlace);
  const Place place = find_place(source, "velocity");
  for (std::size_t f = 0; f < model.complex.face_count; ++f) {
    Vec3 middle = Vec3::Zero();
    for (std::size_t c = 0; c < 3; ++c) middle += model.rest[model.complex.vertex[c][f]] / 3;
    const Vec3 v(value_at(velocity[0], middle, "velocity", place),
                 value_at(velocity[1], middle, "velocity", place),
                 value_at(velocity[2], middle, "velocity", place));
    const Vec2 rates =
        sw::rates_of(model.metric, f, sw::frame_of(model.complex, model.metric, model.rest, f).to_plane(v));
    state.rate_1[f] = rates[0], state.rate_2[f] = rates[1];
  }
  return state;
}

void add_sources(const SurfaceWaterDescription& d, const sw::Model& model, const Value& source,
                 sim::SurfaceWaterScene& scene) {
  for (std::size_t i = 0; i < d.source.size(); ++i) {
    std::vector<std::uint32_t> vertices;
    for (std::uint32_t v = 0; v < model.complex.vertex_count; ++v)
      if (geometry::contains(d.source[i].region, model.rest[v])) vertices.push_back(v);
    if (vertices.empty())
      throw InputError(find_place(source, "source." + std::to_string(i)).location(),
                       "the source covers no vertex of '" + d.name + "'",
                       "make the region larger or move it");
    scene.source_vertices.push_back(std::move(vertices));
    scene.source_rates.emplace_back(d.source[i].rate, kTime);
  }
}

}  // namespace

std::vector<Problem> validate(const SurfaceWaterDescription& water) {
  std::vector<Problem> problems;
  check("bottom", water.bottom, kPlace, problems);
  check("water", water.water, kPlace, problems);
  check("rim_depth", water.rim_depth, kTime, problems);
  check_three("velocity", water.velocity, kPlace, problems);
  check_three("deform", water.deform, kPlaceTime, problems);
  check_three("acceleration", water.acceleration, kPlaceTime, problems);
  for (std::size_t i = 0; i < water.source.size(); ++i)
    check("source." + std::to_string(i) + ".rate", water.source[i].rate, kTime, problems);
  for (std::size_t i = 0; i < water.clip.size(); ++i)
    check("clip." + std::to_string(i) + ".weight", water.clip[i].weight, kTime, problems);
  if (water.place && (water.mesh.figure || !water.clip.empty()))
    problems.push_back(
        {"place", "does not go with a skeleton", "use 'motion', or the figure's foot, heading and height"});
  if (water.sequence && !water.clip.empty())
    problems.push_back({"sequence", "and 'clip' exclude each other", "keep one of the two"});
  return problems;
}

std::unique_ptr<sim::System> build_surface_water(const SurfaceWaterDescription& d, const Scene& scene,
                                                 const Value& source) {
  const geometry::Figure made = make_mesh(d, scene, source);
  const Place place = find_place(source, d.mesh.file ? "mesh.file" : "mesh");
  const std::string mesh_name =
      d.mesh.file ? (scene.folder / *d.mesh.file).string() : place.location().text();
  sw::Model model = sw::make_model(made.mesh, 0, d.params.least_angle, mesh_name, d.open);
  model.rim = d.rim;
  const Expression bottom(d.bottom, kPlace);
  for (std::size_t v = 0; v < model.bottom.size(); ++v)
    model.bottom[v] = value_at(bottom, model.rest[v], "depth of the bottom", find_place(source, "bottom"));
  sim::SurfaceWaterScene extras;
  extras.motion.rest.assign(model.rest.begin(), model.rest.end());
  add_skeleton(d, made, model, source, extras.motion);
  add_sequence(d, scene, made.mesh, model, source, extras.motion);
  extras.motion.deform = compile(d.deform, kPlaceTime);
  if (d.motion) extras.motion.motion = sim::Motion(*d.motion);
  extras.acceleration = compile(d.acceleration, kPlaceTime);
  add_sources(d, model, source, extras);
  if (d.rim == sw::RimKind::level) extras.rim_depth = compile({d.rim_depth}, kTime);
  extras.show = d.show;
  extras.colour = d.colour, extras.mesh_colour = d.mesh_colour;
  sw::State state = make_state(d, model, source);
  return std::make_unique<sim::SurfaceWaterSystem>(d.name, std::move(model), d.params, std::move(state),
                                                   std::move(extras));
}

}  // namespace selkie::scene
