// validate() of the generators' shapes: rules across members, and a limit on size.
#include <initializer_list>

#include "selkie/geometry/generators.h"

namespace selkie::geometry {
namespace {

// Some gigabytes of mesh: more than any scene of one machine, and far below what 32-bit indices hold.
constexpr double kMaxElements = 1e8;

void bound_elements(std::vector<Problem>& problems, std::string_view member, double elements) {
  if (elements <= kMaxElements) return;
  problems.push_back(
      {std::string(member), "would make more than 100 million elements", "use fewer divisions"});
}

void demand_direction(std::vector<Problem>& problems, std::string_view member, const Vec3& direction) {
  if (direction.norm() > 0) return;
  problems.push_back({std::string(member), "has no direction", "give a vector that is not zero"});
}

void demand_length(std::vector<Problem>& problems, const Vec3& start, const Vec3& end) {
  if ((end - start).norm() > 0) return;
  problems.push_back({"end", "equals start", "move one of the ends"});
}

}  // namespace

std::vector<Problem> validate(const SheetShape& shape) {
  std::vector<Problem> problems;
  demand_direction(problems, "u", shape.u);
  demand_direction(problems, "v", shape.v);
  // Sheets narrower than about a millionth of a degree are slips, not wishes.
  if (problems.empty() && shape.u.normalized().cross(shape.v.normalized()).norm() < 1e-8)
    problems.push_back(
        {"v", "is parallel to u, so the sheet has no area", "choose two different directions"});
  bound_elements(problems, "divisions", 2.0 * shape.divisions[0] * shape.divisions[1]);
  return problems;
}

std::vector<Problem> validate(const BoxShape& shape) {
  std::vector<Problem> problems;
  if (!(shape.min.array() < shape.max.array()).all())
    problems.push_back(
        {"min", "is not below max along every axis", "swap the coordinates so that min < max"});
  const Vec3 n(shape.divisions[0], shape.divisions[1], shape.divisions[2]);
  bound_elements(problems, "divisions", 4 * (n.x() * n.y() + n.y() * n.z() + n.z() * n.x()));
  return problems;
}

std::vector<Problem> validate_solid(const BoxShape& shape) {
  std::vector<Problem> problems = validate(shape);
  const auto [nx, ny, nz] = shape.divisions;
  if (problems.empty()) bound_elements(problems, "divisions", 6.0 * nx * ny * nz);
  return problems;
}

std::vector<Problem> validate(const BallShape& shape) {
  std::vector<Problem> problems;
  bound_elements(problems, "divisions", 2.0 * shape.divisions[0] * shape.divisions[1]);
  return problems;
}

std::vector<Problem> validate(const IcosphereShape& shape) {
  std::vector<Problem> problems;
  bound_elements(problems, "divisions", 20.0 * shape.divisions * shape.divisions);
  return problems;
}

std::vector<Problem> validate(const CylinderShape& shape) {
  std::vector<Problem> problems;
  demand_length(problems, shape.start, shape.end);
  bound_elements(problems, "around", 2.0 * shape.around * (shape.along + 2.0 * shape.rings));
  return problems;
}

std::vector<Problem> validate(const TorusShape& shape) {
  std::vector<Problem> problems;
  demand_direction(problems, "axis", shape.axis);
  if (shape.minor_radius >= shape.major_radius)
    problems.push_back({"minor_radius", "is not below major_radius, so the ring would cut itself",
                        "make minor_radius smaller than major_radius"});
  bound_elements(problems, "divisions", 2.0 * shape.divisions[0] * shape.divisions[1]);
  return problems;
}

std::vector<Problem> validate(const ShellShape& shape) {
  std::vector<Problem> problems;
  if (shape.thickness >= shape.radius)
    problems.push_back({"thickness", "is not below the radius, so there is no cavity",
                        "use a thinner wall, or an icosphere for a solid ball"});
  bound_elements(problems, "divisions", 40.0 * shape.divisions * shape.divisions);
  return problems;
}

std::vector<Problem> validate(const ChainShape& shape) {
  std::vector<Problem> problems;
  demand_length(problems, shape.start, shape.end);
  return problems;
}

std::vector<Problem> validate(const TetTorusShape& shape) {
  std::vector<Problem> problems;
  demand_direction(problems, "axis", shape.axis);
  if (shape.minor_radius >= shape.major_radius)
    problems.push_back({"minor_radius", "is not below major_radius, so the ring would cut itself",
                        "make minor_radius smaller than major_radius"});
  if (shape.divisions[0] < 3)
    problems.push_back({"divisions", "has fewer than 3 cells around the axis", "use at least 3"});
  bound_elements(problems, "divisions", 24.0 * shape.divisions[0] * shape.divisions[1] * shape.divisions[1]);
  return problems;
}

std::vector<Problem> validate(const TetBallShape& shape) {
  std::vector<Problem> problems;
  const double cells = 2.0 * shape.divisions;
  bound_elements(problems, "divisions", 6.0 * cells * cells * cells);
  return problems;
}

}  // namespace selkie::geometry
