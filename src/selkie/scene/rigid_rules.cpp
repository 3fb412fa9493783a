// Rules across members of rigid bodies and joints.
#include <cmath>

#include "selkie/core/error.h"
#include "selkie/core/expression.h"
#include "selkie/core/text.h"
#include "selkie/scene/rigid_description.h"
#include "selkie/solids/rigid/model.h"

namespace selkie::scene {

std::vector<Problem> validate(const LatheShape& lathe) {
  if (lathe.profile.size() < 2)
    return {{"profile", "must hold at least two points", "for example [[0.1, 0], [0.5, 0.4]]"}};
  for (std::size_t k = 0; k < lathe.profile.size(); ++k)
    if (!(lathe.profile[k][0] >= 0))
      return {{"profile." + std::to_string(k), "has a negative radius", "points are [radius, height]"}};
  return {};
}

std::vector<Problem> validate(const RigidHull& hull) {
  if (hull.points.empty() != hull.surface.has_value())
    return {{"", "must have either 'points' or a 'surface'",
             "for example points = [[0,0,0], [1,0,0], [0,1,0], [0,0,1]]"}};
  return {};
}

std::vector<Problem> validate(const RigidRing& ring) {
  if (ring.axis.norm() > 0) return {};
  return {{"axis", "has no direction", "for example [0, 0, 1]"}};
}

// Counted before any is made: ten numbers of a scene can ask for more than a machine holds.
std::vector<Problem> validate(const RigidCopies& copies) {
  double count = 1;
  std::string shape = "ring";
  bool scaled = false;  // by scene.scale
  if (copies.grid) {
    shape = "grid";
    for (const int along : copies.grid->count) count *= along;
  } else if (copies.pyramid) {
    shape = "pyramid", scaled = true;
    const double n = copies.pyramid->layers;
    count = copies.pyramid->square ? n * (n + 1) * (2 * n + 1) / 6 : n * (n + 1) / 2;
  } else if (copies.wall) {
    shape = "wall", scaled = true;
    for (const int along : copies.wall->count) count *= along;
  } else if (copies.ring) {
    count = copies.ring->count;
  }
  if (count <= rigid::kMostBodies) return {};
  return {{shape, "makes " + number_text(count) + " bodies",
           number_text(rigid::kMostBodies) + " are the most; lower its counts" +
               (scaled ? " or scene.scale" : "")}};
}

std::vector<Problem> validate(const RigidPart& part) {
  const int shapes = int(part.ball.has_value()) + int(part.box.has_value()) + int(part.capsule.has_value()) +
                     int(part.cylinder.has_value()) + int(part.hull.has_value());
  if (shapes == 1) return {};
  return {{"", "must name one shape, but names " + std::to_string(shapes),
           "choose one of ball, box, capsule, cylinder or hull"}};
}

namespace {

void check_formulas(const std::string& key, const std::vector<std::string>& formulas,
                    std::vector<Problem>& problems) {
  if (!formulas.empty() && formulas.size() != 3)
    problems.push_back({key, "must hold three formulas, but holds " + std::to_string(formulas.size()),
                        "write [\"0\", \"20*sin(t)\", \"0\"]"});
  for (std::size_t k = 0; k < formulas.size(); ++k) {
    const std::string path = key + "." + std::to_string(k);
    try {
      if (!std::isfinite(Expression(formulas[k], {"t"})(0.0)))
        problems.push_back(
            {path, "is \"" + formulas[k] + "\", which is not finite at t = 0", "give a finite number"});
    } catch (const InputError& error) {
      problems.push_back({path, "does not compile: " + error.problem(), error.remedy()});
    }
  }
}

}  // namespace

std::vector<Problem> validate(const RigidDescription& body) {
  std::vector<Problem> problems;
  check_formulas("force", body.force, problems);
  check_formulas("torque", body.torque, problems);
  if ((!body.force.empty() || !body.torque.empty()) && body.role != RigidRole::dynamic)
    problems.push_back({body.force.empty() ? "torque" : "force", "acts on dynamic bodies only",
                        "set role = \"dynamic\", or leave it out"});
  if (body.density && body.mass)
    problems.push_back({"mass", "and 'density' exclude each other", "keep one of the two"});
  if (body.motion && !body.keyframes.empty())
    problems.push_back({"keyframes", "and 'motion' exclude each other", "keep one of the two"});
  if ((body.motion || !body.keyframes.empty()) && body.role != RigidRole::kinematic)
    problems.push_back(
        {body.motion ? "motion" : "keyframes", "belongs to kinematic bodies", "set role = \"kinematic\""});
  if (!body.keyframes.empty() && body.copies)
    problems.push_back({"keyframes", "would put all copies in one place", "use 'motion', or no 'copies'"});
  for (std::size_t k = 0; k < body.keyframes.size(); ++k) {
    const RigidKeyframe& key = body.keyframes[k];
    const std::string path = "keyframes." + std::to_string(k);
    if (!std::isfinite(key.time) || !key.position.allFinite() || !key.rotate.allFinite())
      problems.push_back(
          {path, "holds a number that is not finite", "give finite times, positions and angles"});
    else if (k > 0 && !(key.time > body.keyframes[k - 1].time))
      problems.push_back(
          {path + ".time", "must be later than that of the keyframe before", "sort them by time"});
  }
  return problems;
}

std::vector<Problem> validate(const JointDescription& joint) {
  std::vector<Problem> problems;
  if (joint.between.empty() || joint.between.size() > 2 || (joint.chain && joint.between.size() != 1))
    problems.push_back({"between", "must name one or two bodies, and one for a chain",
                        "for example between = [\"door\", \"frame\"]"});
  if (!(joint.axis.norm() > 0)) problems.push_back({"axis", "must not be zero", "for example [1, 0, 0]"});
  if (joint.limits && !((*joint.limits)[0] <= (*joint.limits)[1]))
    problems.push_back({"limits", "must be the lowest and then the highest value", "swap them"});
  if (!joint.copies.empty() && (joint.chain || joint.copies.size() != joint.between.size()))
    problems.push_back({"copies", "must name one copy of each body", "for example copies = [0, 3]"});
  return problems;
}

}  // namespace selkie::scene
