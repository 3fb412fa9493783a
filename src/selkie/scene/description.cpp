// Rules across members of a scene: names used twice, unknown references, contradictory keys.
#include "selkie/scene/description.h"

#include <algorithm>
#include <set>

#include "selkie/core/text.h"

namespace selkie::scene {

std::vector<Problem> validate(const PinDescription& pin) {
  const int regions = int(pin.box.has_value()) + int(pin.ball.has_value()) + int(pin.cylinder.has_value()) +
                      int(pin.half_space.has_value()) + int(!pin.vertices.empty());
  if (regions == 1) return {};
  return {{"", "must name one region or a list of vertices, but names " + std::to_string(regions),
           "choose one of box, ball, cylinder, half_space or vertices"}};
}

std::vector<Problem> validate(const MassSpringDescription& body) {
  std::vector<Problem> problems;
  if (body.density && body.mass)
    problems.push_back({"mass", "and 'density' exclude each other", "keep one of the two"});
  return problems;
}

std::vector<Problem> validate(const PositionBasedDescription& body) {
  std::vector<Problem> problems;
  if (body.density && body.mass)
    problems.push_back({"mass", "and 'density' exclude each other", "keep one of the two"});
  return problems;
}

namespace {

// The default output folder carries the scene's name.
void check_scene_name(const std::string& name, std::vector<Problem>& problems) {
  const bool control = std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20; });
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos || control)
    problems.push_back({"scene.name", "is \"" + name + "\", which cannot name a folder",
                        "use at least one character, and no '/'"});
}

// Why a system or collider may not be called so; empty: it may. --set takes some names for tables of the
// scene, and "thrown" is what users throw.
std::string reserved_for(const std::string& name) {
  if (name == "thrown") return "the bodies that users throw";
  const bool table =
      name == "scene" || name == "output" || name == "bodies" || name == "camera" || name == "light" || name == "material";
  return table ? "a table of the scene" : "";
}

// A system's name stands in file names, and is its own.
void check_system_name(const std::string& name, const std::string& path, std::set<std::string>& used,
                       std::vector<std::string>& names, std::vector<Problem>& problems) {
  if (name.empty() ||
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") !=
          std::string::npos)
    problems.push_back({path, "is \"" + name + "\", which cannot name files",
                        "use letters, digits, '-' and '_' only, at least one"});
  else if (const std::string taken = reserved_for(name); !taken.empty())
    problems.push_back({path, "is \"" + name + "\", which is taken by " + taken, "choose another name"});
  else if (!used.insert(name).second)
    problems.push_back(
        {path, "is \"" + name + "\", which another system already has", "give each system its own name"});
  names.push_back(name);
}

// --set and messages address systems and colliders by name, so no two may share one.
void check_collider_names(const SceneDescription& scene, std::set<std::string>& used,
                          std::vector<Problem>& problems) {
  for (std::size_t i = 0; i < scene.collider.size(); ++i) {
    const std::string& name = scene.collider[i].name;
    const std::string path = "collider." + std::to_string(i) + ".name";
    if (const std::string taken = reserved_for(name); !taken.empty())
      problems.push_back({path, "is \"" + name + "\", which is taken by " + taken, "choose another name"});
    else if (!name.empty() && !used.insert(name).second)
      problems.push_back({path, "is \"" + name + "\", which another system or collider already has",
                          "give each its own name"});
  }
}

// A material names a system or collider, or a part of a system ("water-spray").
void check_materials(const SceneDescription& scene, const std::set<std::string>& used,
                     std::vector<Problem>& problems) {
  for (std::size_t i = 0; i < scene.material.size(); ++i) {
    const std::string& of = scene.material[i].of;
    const bool known = std::any_of(used.begin(), used.end(), [&](const std::string& name) {
      return of == name || of.starts_with(name + "-");
    });
    if (known || of == "thrown") continue;
    const std::vector<std::string> names(used.begin(), used.end());
    const std::string nearest = nearest_word(of, names);
    problems.push_back({"material." + std::to_string(i) + ".of",
                        "names \"" + of + "\", which is no system or collider",
                        (nearest.empty() ? "" : "did you mean \"" + nearest + "\"? ") +
                            "Known: " + (names.empty() ? "none" : join_choices(names))});
  }
}

Problem unknown_system(const std::string& path, const std::string& name,
                       const std::vector<std::string>& names) {
  const std::string nearest = nearest_word(name, names);
  return {path, "names the unknown system \"" + name + "\"",
          (nearest.empty() ? "" : "did you mean \"" + nearest + "\"? ") +
              "Known: " + (names.empty() ? "none" : join_choices(names))};
}

void check_contacts(const SceneDescription& scene, const std::set<std::string>& systems,
                    const std::vector<std::string>& names, std::vector<Problem>& problems) {
  for (std::size_t i = 0; i < scene.contact.size(); ++i) {
    std::set<std::string> used;
    const std::vector<std::string>& bodies = scene.contact[i].bodies;
    const std::string path = "contact." + std::to_string(i) + ".bodies";
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      if (!systems.contains(bodies[k]))
        problems.push_back(unknown_system(path + "." + std::to_string(k), bodies[k], names));
      else if (!used.insert(bodies[k]).second)
        problems.push_back({path + "." + std::to_string(k), "names \"" + bodies[k] + "\" twice",
                            "name each body once; 'self = true' lets it touch itself"});
    }
    if (bodies.size() == 1 && !scene.contact[i].self)
      problems.push_back({path, "names one body only, which has nothing to touch",
                          "name another one, or set 'self = true'"});
  }
}

void check_joints(const SceneDescription& scene, std::vector<Problem>& problems) {
  std::vector<std::string> names;
  for (const RigidDescription& body : scene.rigid) names.push_back(body.name);
  for (std::size_t i = 0; i < scene.joint.size(); ++i)
    for (std::size_t k = 0; k < scene.joint[i].between.size(); ++k) {
      const std::string& name = scene.joint[i].between[k];
      if (std::find(names.begin(), names.end(), name) == names.end())
        problems.push_back(
            unknown_system("joint." + std::to_string(i) + ".between." + std::to_string(k), name, names));
    }
}

void check_cameras(const SceneDescription& scene, std::vector<Problem>& problems) {
  std::set<std::string> used;
  for (std::size_t i = 0; i < scene.camera.size(); ++i)
    if (!used.insert(scene.camera[i].name).second)
      problems.push_back({"camera." + std::to_string(i) + ".name",
                          "is \"" + scene.camera[i].name + "\", which another camera already has",
                          "give each camera its own name"});
}

}  // namespace

std::vector<Problem> validate(const SceneDescription& scene) {
  std::vector<Problem> problems;
  std::vector<std::string> names;
  std::set<std::string> used;
  check_scene_name(scene.scene.name, problems);
  for (std::size_t i = 0; i < scene.mass_spring.size(); ++i)
    check_system_name(scene.mass_spring[i].name, "mass_spring." + std::to_string(i) + ".name", used, names,
                      problems);
  for (std::size_t i = 0; i < scene.elastic.size(); ++i)
    check_system_name(scene.elastic[i].name, "elastic." + std::to_string(i) + ".name", used, names, problems);
  for (std::size_t i = 0; i < scene.position_based.size(); ++i)
    check_system_name(scene.position_based[i].name, "position_based." + std::to_string(i) + ".name", used,
                      names, problems);
  for (std::size_t i = 0; i < scene.modal.size(); ++i)
    check_system_name(scene.modal[i].name, "modal." + std::to_string(i) + ".name", used, names, problems);
  for (std::size_t i = 0; i < scene.shape_matching.size(); ++i)
    check_system_name(scene.shape_matching[i].name, "shape_matching." + std::to_string(i) + ".name", used,
                      names, problems);
  for (std::size_t i = 0; i < scene.rigid.size(); ++i)
    check_system_name(scene.rigid[i].name, "rigid." + std::to_string(i) + ".name", used, names, problems);
  check_joints(scene, problems);
  for (std::size_t i = 0; i < scene.smoke.size(); ++i)
    check_system_name(scene.smoke[i].name, "smoke." + std::to_string(i) + ".name", used, names, problems);
  for (std::size_t i = 0; i < scene.liquid.size(); ++i)
    check_system_name(scene.liquid[i].name, "liquid." + std::to_string(i) + ".name", used, names, problems);
  for (std::size_t i = 0; i < scene.lattice_boltzmann.size(); ++i)
    check_system_name(scene.lattice_boltzmann[i].name, "lattice_boltzmann." + std::to_string(i) + ".name",
                      used, names, problems);
  for (std::size_t i = 0; i < scene.vortex_method.size(); ++i)
    check_system_name(scene.vortex_method[i].name, "vortex_method." + std::to_string(i) + ".name", used,
                      names, problems);
  for (std::size_t i = 0; i < scene.shallow_water.size(); ++i)
    check_system_name(scene.shallow_water[i].name, "shallow_water." + std::to_string(i) + ".name", used,
                      names, problems);
  for (std::size_t i = 0; i < scene.surface_water.size(); ++i)
    check_system_name(scene.surface_water[i].name, "surface_water." + std::to_string(i) + ".name", used,
                      names, problems);
  const std::set<std::string> systems = used;
  check_collider_names(scene, used, problems);
  check_materials(scene, used, problems);
  check_cameras(scene, problems);
  for (std::size_t i = 0; i < scene.coupling.size(); ++i) {
    const std::vector<std::string>& between = scene.coupling[i].between;
    const std::string path = "coupling." + std::to_string(i) + ".between";
    if (between.size() != 2)
      problems.push_back({path, "must name two systems, but names " + std::to_string(between.size()),
                          "for example between = [\"skirt\", \"belt\"]"});
    else if (between[0] == between[1])
      problems.push_back(
          {path, "names \"" + between[0] + "\" twice", "a coupling joins two different systems"});
    for (std::size_t k = 0; k < between.size(); ++k) {
      if (systems.contains(between[k])) continue;
      problems.push_back(unknown_system(path + "." + std::to_string(k), between[k], names));
    }
  }
  check_contacts(scene, systems, names, problems);
  return problems;
}

}  // namespace selkie::scene
