// See build_coupling.h.
#include "selkie/scene/build_coupling.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "selkie/core/error.h"
#include "selkie/core/text.h"
#include "selkie/scene/wet_rules.h"
#include "selkie/sim/systems/elastic_system.h"
#include "selkie/sim/systems/liquid_body_coupling.h"
#include "selkie/sim/systems/liquid_system.h"
#include "selkie/sim/systems/rigid_system.h"
#include "selkie/sim/systems/stitch_coupling.h"

namespace selkie::scene {
namespace {

std::unique_ptr<sim::Coupling> build_stitch(const CouplingDescription& d, const sim::World& world,
                                            const Value& table) {
  for (const std::string& name : d.between)
    if (!world.find(name) || !world.find(name)->surface_samples())
      throw InputError(table.place.location(), "the stitch names '" + name + "', which has no points to join",
                       "name two bodies");
  const auto a = world.find(d.between[0])->surface_samples(), b = world.find(d.between[1])->surface_samples();
  std::vector<coupling::StitchPair> pairs = coupling::find_stitches(a->positions, b->positions, d.distance);
  if (pairs.empty())
    throw InputError(table.place.location(),
                     "the stitch joins nothing: no points of '" + d.between[0] + "' and '" + d.between[1] +
                         "' start closer than " + number_text(d.distance) + " m",
                     "raise 'distance' or move the bodies together");
  return std::make_unique<sim::StitchCoupling>(d.between[0] + "-" + d.between[1], d.between, std::move(pairs),
                                               d.gap_share);
}

// Tables of rigid bodies are no systems of their own.
std::string_view kind_of(const sim::World& world, const std::string& name) {
  const sim::System* system = world.find(name);
  return system ? system->kind() : "rigid";
}

ports::WetShares shares_of(CouplingShares shares) {
  if (shares == CouplingShares::distance) return ports::WetShares::distance;
  return shares == CouplingShares::exact ? ports::WetShares::exact : ports::WetShares::voxels;
}

// The two that a coupling of a liquid joins, rigid bodies by their system; nothing where it names no liquid
// or two.
struct Joined {
  std::string liquid, body;
};
std::optional<Joined> joined_by(const CouplingDescription& d, const sim::World& world) {
  const bool first = kind_of(world, d.between[0]) == "liquid",
             second = kind_of(world, d.between[1]) == "liquid";
  if (d.kind == CouplingKind::stitch || first == second) return std::nullopt;
  const std::string& body = d.between[first ? 1 : 0];
  return Joined{d.between[first ? 0 : 1], kind_of(world, body) == "rigid" ? sim::kThrown : body};
}

// A second coupling of the same two would push twice, and a body knows one tank.
void check_repeats(const SceneDescription& scene, std::size_t i, const sim::World& world,
                   const Value& table) {
  const std::optional<Joined> own = joined_by(scene.coupling[i], world);
  for (std::size_t j = 0; j < i && own; ++j) {
    const std::optional<Joined> other = joined_by(scene.coupling[j], world);
    if (!other || other->body != own->body) continue;
    const bool rigid = own->body == sim::kThrown;
    const std::string who = rigid ? "the rigid bodies" : "'" + own->body + "'";
    const auto place = find_place(table, "between").location();
    if (other->liquid == own->liquid)
      throw InputError(
          place,
          fmt::format("{} and '{}' are coupled twice, first by the coupling of '{}' and '{}'{}", who,
                      own->liquid, scene.coupling[j].between[0], scene.coupling[j].between[1],
                      rigid ? ": one coupling wets all rigid bodies" : ""),
          "take one of the two [[coupling]] tables out");
    throw InputError(
        place,
        fmt::format("{} cannot be in '{}', being in '{}' by the coupling of '{}' and '{}'{}", who,
                    own->liquid, other->liquid, scene.coupling[j].between[0], scene.coupling[j].between[1],
                    rigid ? ": one coupling wets all rigid bodies" : ""),
        "couple with one liquid only; one [[liquid]] can be filled in several places");
  }
}

// A weak coupling staggers the whole of its Group: what shares systems with it, directly or through others,
// has to be weak too.
void check_modes(const SceneDescription& scene, std::size_t i, const sim::World& world, const Value& table) {
  auto system_of = [&](const std::string& name) -> std::string {
    return kind_of(world, name) == "rigid" ? sim::kThrown : name;
  };
  std::set<std::string> group;
  for (const std::string& name : scene.coupling[i].between) group.insert(system_of(name));
  const bool weak = scene.coupling[i].mode == CouplingMode::weak;
  for (std::size_t grown = 0; grown != group.size();) {
    grown = group.size();
    for (std::size_t j = 0; j < i; ++j) {
      const CouplingDescription& other = scene.coupling[j];
      if (other.kind == CouplingKind::stitch ||
          std::none_of(other.between.begin(), other.between.end(),
                       [&](const std::string& name) { return group.contains(system_of(name)); }))
        continue;
      if ((other.mode == CouplingMode::weak) != weak)
        throw InputError(
            find_place(table, "mode").location(),
            fmt::format("the couplings of '{}' and '{}' and of '{}' and '{}' are one solve, but only one "
                        "of them is weak",
                        other.between[0], other.between[1], scene.coupling[i].between[0],
                        scene.coupling[i].between[1]),
            "give both mode = \"weak\", or neither");
      for (const std::string& name : other.between) group.insert(system_of(name));
    }
  }
}

std::unique_ptr<sim::Coupling> build_liquid_body(const CouplingDescription& d, const sim::World& world,
                                                 const Value& table) {
  const bool rigid = d.kind == CouplingKind::liquid_rigid;
  const std::string_view kind = rigid ? "liquid-rigid" : "liquid-elastic",
                         body_kind = rigid ? "rigid" : "elastic";
  const bool liquid_first = kind_of(world, d.between[0]) == "liquid";
  const std::string &liquid_name = d.between[liquid_first ? 0 : 1],
                    &body_name = d.between[liquid_first ? 1 : 0];
  if (kind_of(world, liquid_name) != "liquid" || kind_of(world, body_name) != body_kind)
    throw InputError(table.place.location(),
                     "a coupling of kind '" + std::string(kind) + "' joins '" + d.between[0] + "' (" +
                         std::string(kind_of(world, d.between[0])) + ") and '" + d.between[1] + "' (" +
                         std::string(kind_of(world, d.between[1])) + ")",
                     "name one [[liquid]] and one [[" + std::string(body_kind) + "]] body");
  auto& liquid = dynamic_cast<sim::LiquidSystem&>(*world.find(liquid_name));
  const Tank tank(liquid, world, table);
  std::string body = body_name;
  // Markers that the body runs into find their way out on the side they came from while a step is shorter
  // than half of it; a user who lets the liquid go further lets the body, too.
  auto wetting = [&](double thickness) {
    const double cell = liquid.model().shape.cell_size(), half = 0.45 * std::max(thickness, cell);
    const double share = std::min(1.0, half / (liquid::Params{}.cfl * cell));
    return sim::Wetting{shares_of(d.shares), d.shares == CouplingShares::sticking, tank.walls(), tank.plane(),
                        [&liquid, share] { return share * liquid.reach(); }};
  };
  auto refuse_iterations = [&](const std::string& why, const std::string& remedy) {
    throw InputError(table.find("iterations")->place.location(),
                     "'iterations' is " + std::to_string(d.iterations) + ", but " + why, remedy);
  };
  if (rigid) {
    if (d.iterations > 1)
      refuse_iterations("rigid bodies answer forces in proportion",
                        "leave 'iterations' out, it changes nothing");
    if (d.mode == CouplingMode::damping_only)
      throw InputError(table.place.location(),
                       "mode = \"damping-only\" leaves out a stiffness that rigid bodies lack",
                       "use \"full\" or \"weak\"");
    body = sim::kThrown;
    auto& bodies = dynamic_cast<sim::RigidSystem&>(*world.find(body));
    bodies.wet(wetting(tank.check(bodies, body_name)));
    liquid.make_room(bodies.wet_field());
  } else {
    auto& elastic = dynamic_cast<sim::ElasticSystem&>(*world.find(body));
    if (liquid.model().shape.dims() != elastic.model().dimension)
      throw InputError(table.place.location(),
                       "'" + liquid_name + "' has " + std::to_string(liquid.model().shape.dims()) +
                           " dimensions, but '" + body + "' " + std::to_string(elastic.model().dimension),
                       "use tetrahedra in three dimensions, and a sheet where the domain has no depth");
    const auto& params = *static_cast<const fem::Params*>(elastic.params());
    if (d.iterations > 1 && params.integrator != fem::Integrator::backward_euler_newton)
      refuse_iterations("the integrator of '" + body + "' is linearised once a step",
                        "give it integrator = \"backward-euler-newton\", or leave 'iterations' out");
    elastic.wet(wetting(tank.check(elastic)),
                d.mode == CouplingMode::damping_only ? fem::Answer::damped : fem::Answer::elastic);
    liquid.make_room(elastic.wet_field());
  }
  return std::make_unique<sim::LiquidBodyCoupling>(
      d.between[0] + "-" + d.between[1], std::vector<std::string>{liquid_name, body}, kind,
      sim::LiquidBodyCoupling::Settings{
          d.linear_load ? coupling::LoadOrder::linear : coupling::LoadOrder::cell,
          d.mode == CouplingMode::weak, d.tolerance, d.iterations});
}

}  // namespace

std::unique_ptr<sim::Coupling> build_coupling(const SceneDescription& scene, std::size_t i,
                                              const sim::World& world, const Value& table) {
  const CouplingDescription& d = scene.coupling[i];
  if (d.kind == CouplingKind::stitch) return build_stitch(d, world, table);
  check_repeats(scene, i, world, table);
  check_modes(scene, i, world, table);
  return build_liquid_body(d, world, table);
}

}  // namespace selkie::scene
