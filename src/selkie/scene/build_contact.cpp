// See build_contact.h.
#include "selkie/scene/build_contact.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "selkie/core/error.h"
#include "selkie/core/log.h"
#include "selkie/core/text.h"
#include "selkie/io/read_toml.h"
#include "selkie/sim/systems/contact_coupling.h"

namespace selkie::scene {
namespace {

using Names = std::vector<std::string>;
using Pairs = std::set<std::pair<std::string, std::string>>;

Names touchable(const sim::World& world) {
  Names names;
  for (const auto& system : world.systems())
    if (system->deformable_solid()) names.push_back(system->name());
  return names;
}

ports::DeformableSolid& body_of(const std::string& name, const sim::World& world) {
  return *world.find(name)->deformable_solid();
}

bool has_inside(const std::string& name, const sim::World& world) {
  const ports::DeformableSolid& body = body_of(name, world);
  return !body.tets().empty() || !body.flat_cells().empty();
}

bool any_solid(const Names& names, const sim::World& world) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return has_inside(name, world); });
}

bool share_space(const std::string& a, const std::string& b, const sim::World& world) {
  return coupling::share_space(body_of(a, world), body_of(b, world));
}

std::string where_text(const std::string& name, const sim::World& world) {
  const ports::DeformableSolid& body = body_of(name, world);
  return "'" + name + "' lives " +
         (body.flat_cells().empty() ? "in space"
                                    : "in the plane z = " + number_text(body.rest_positions()[0].z()) + " m");
}

// The first pair of `names` not in `described` that never meets, in words; empty where there is none.
std::string strangers_text(const Names& names, const Pairs& described, const sim::World& world) {
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t k = i + 1; k < names.size(); ++k)
      if (!share_space(names[i], names[k], world) && !described.contains({names[i], names[k]}) &&
          !described.contains({names[k], names[i]}))
        return where_text(names[i], world) + " and " + where_text(names[k], world);
  return {};
}

void warn_of_strangers(const Names& names, const Pairs& described, const sim::World& world) {
  if (const std::string pair = strangers_text(names, described, world); !pair.empty())
    log_warning(pair + ": bodies in the plane touch those in the same plane only");
}

void add_pairs(const Names& names, Pairs& pairs) {
  for (const std::string& a : names)
    for (const std::string& b : names) pairs.emplace(a, b);
}

void check_bodies(const ContactDescription& d, const sim::World& world, const Value& table) {
  for (std::size_t k = 0; k < d.bodies.size(); ++k) {
    sim::System* system = world.find(d.bodies[k]);  // none for a [[rigid]] table, whose bodies share a system
    if (!system || !system->deformable_solid())
      throw InputError(find_place(table, "bodies." + std::to_string(k)).location(),
                       "the contact names '" + d.bodies[k] + "', which is no deformable body",
                       "name [[elastic]], [[mass_spring]], [[position_based]], [[shape_matching]] or "
                       "[[modal]] bodies");
  }
  if (const std::string pair = strangers_text(d.bodies, {}, world); !pair.empty())
    throw InputError(find_place(table, "bodies").location(), pair + ": they never touch",
                     "name bodies of one plane, or bodies in space, in a [[contact]] of their own");
}

// Springs at single vertices are no motion that a few modes could follow.
void check_response(const ContactDescription& d, const Names& bodies, const sim::World& world,
                    const Value& table) {
  if (d.params.response != coupling::ContactResponse::penalty) return;
  for (const std::string& name : bodies)
    if (world.find(name)->kind() == "modal")
      throw InputError(find_place(table, "response").location(),
                       "penalty springs cannot push '" + name + "', which is a modal body",
                       "leave 'response' out, or name the bodies without it");
}

}  // namespace

void add_contacts(const SceneDescription& description, sim::World& world,
                  FunctionRef<const Value&(std::size_t)> table) {
  const Names all = touchable(world);
  Pairs described;
  for (std::size_t i = 0; i < description.contact.size(); ++i) {
    const ContactDescription& d = description.contact[i];
    check_bodies(d, world, table(i));
    const Names bodies = d.bodies.empty() ? all : d.bodies;
    if (!any_solid(bodies, world))
      throw InputError(table(i).place.location(), "the contact joins no body of tetrahedra",
                       "cloth and ropes touch bodies of tetrahedra only");
    check_response(d, bodies, world, table(i));
    warn_of_strangers(bodies, described, world);
    add_pairs(bodies, described);
    world.add(
        std::make_unique<sim::ContactCoupling>("contact-" + std::to_string(i), bodies, d.params, d.self));
  }
  if (!description.scene.contact || all.size() < 2 || !any_solid(all, world)) return;
  // Stitched bodies start with vertices on each other's surfaces, and are meant to.
  for (const CouplingDescription& stitch : description.coupling) add_pairs(stitch.between, described);
  warn_of_strangers(all, described, world);
  for (const std::string& a : all)
    for (const std::string& b : all)
      if (a != b && !described.contains({a, b}) && share_space(a, b, world) &&
          (has_inside(a, world) || has_inside(b, world)))
        return void(world.add(std::make_unique<sim::ContactCoupling>(
            "contact", all, coupling::ContactParams{}, false, described)));
}

}  // namespace selkie::scene
