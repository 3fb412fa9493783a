// Rules across members of a scene: names used twice, unknown references, contradictory keys.
#include "selkie/scene/description.h"

#include <map>

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

std::vector<Problem> validate(const SceneDescription& scene) {
  std::vector<Problem> problems;
  std::vector<std::string> names;
  std::map<std::string, std::string> used;
  for (std::size_t i = 0; i < scene.mass_spring.size(); ++i) {
    const std::string& name = scene.mass_spring[i].name;
    const std::string path = "mass_spring." + std::to_string(i) + ".name";
    if (name.empty() ||
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") !=
            std::string::npos)
      problems.push_back({path, "is \"" + name + "\", which cannot name files",
                          "use letters, digits, '-' and '_' only, at least one"});
    else if (name == "scene" || name == "output")
      problems.push_back(
          {path, "is \"" + name + "\", which is taken by a table of the scene", "choose another name"});
    else if (!used.emplace(name, path).second)
      problems.push_back(
          {path, "is \"" + name + "\", which another system already has", "give each system its own name"});
    names.push_back(name);
  }
  for (std::size_t i = 0; i < scene.coupling.size(); ++i) {
    const std::vector<std::string>& between = scene.coupling[i].between;
    const std::string path = "coupling." + std::to_string(i) + ".between";
    if (between.size() != 2)
      problems.push_back({path, "must name two systems, but names " + std::to_string(between.size())});
    else if (between[0] == between[1])
      problems.push_back(
          {path, "names \"" + between[0] + "\" twice", "a coupling joins two different systems"});
    for (std::size_t k = 0; k < between.size(); ++k) {
      if (used.contains(between[k])) continue;
      const std::string nearest = nearest_word(between[k], names);
      problems.push_back({path + "." + std::to_string(k), "names the unknown system \"" + between[k] + "\"",
                          (nearest.empty() ? "" : "did you mean \"" + nearest + "\"? ") +
                              "Known: " + (names.empty() ? "none" : join_choices(names))});
    }
  }
  return problems;
}

}  // namespace selkie::scene
