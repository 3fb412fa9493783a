// See build_contact.h.
#include "selkie/scene/build_contact.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "selkie/core/error.h"
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

bool any_solid(const Names& names, const sim::World& world) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return !world.find(name)->deformable_solid()->tets().empty();
  });
}

void add_pairs(const Names& names, Pairs& pairs) {
  for (const std::string& a : names)
    for (const std::string& b : names) pairs.emplace(a, b);
}

void check_bodies(const ContactDescription& d, const sim::World& world, const Value& table) {
  for (std::size_t k = 0; k < d.bodies.size(); ++k)
    if (!world.find(d.bodies[k])->deformable_solid())
      throw InputError(find_place(table, "bodies." + std::to_string(k)).location(),
                       "the contact names '" + d.bodies[k] + "', which is no deformable body",
                       "name [[elastic]] bodies of tetrahedra, [[mass_spring]], [[position_based]], "
                       "[[shape_matching]] or [[modal]] bodies");
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
    add_pairs(bodies, described);
    world.add(
        std::make_unique<sim::ContactCoupling>("contact-" + std::to_string(i), bodies, d.params, d.self));
  }
  if (!description.scene.contact || all.size() < 2 || !any_solid(all, world)) return;
  // Stitched bodies start with vertices on each other's surfaces, and are meant to.
  for (const CouplingDescription& stitch : description.coupling) add_pairs(stitch.between, described);
  for (const std::string& a : all)
    for (const std::string& b : all)
      if (a != b && !described.contains({a, b}))
        return void(world.add(std::make_unique<sim::ContactCoupling>(
            "contact", all, coupling::ContactParams{}, false, described)));
}

}  // namespace selkie::scene
