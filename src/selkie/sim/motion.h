// Motion over time from formulas in t (seconds): what kinematic pins and moving colliders follow. A pose is a
// pure function of time; velocities are its central differences.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "selkie/core/describe.h"
#include "selkie/math/types.h"

namespace selkie::sim {

// As a scene writes it: { translate = ["0", "0.1*sin(2*pi*t)", "0"], angle = "90*t", axis = [0,1,0] }.
struct MotionFormulas {
  std::vector<std::string> translate;
  std::string angle = "0";
  Vec3 axis = Vec3::UnitY();
  Vec3 center = Vec3::Zero();
};
constexpr auto describe(MotionFormulas*) {
  using M = MotionFormulas;
  return Members{
      member("translate", &M::translate, "m", "three formulas in t: displacement along x, y and z"),
      member("angle", &M::angle, "degrees", "formula in t: turn about the axis"),
      member("axis", &M::axis, "", "axis of the turn; of any length"),
      member("center", &M::center, "m", "a point of the axis, before the displacement"),
  };
}
static_assert(complete<MotionFormulas>());
std::vector<Problem> validate(const MotionFormulas& formulas);

// Maps points at t = 0 to points at t. The formulas are compiled once; safe to call from several threads.
class Motion {
 public:
  Motion();  // rest
  explicit Motion(const MotionFormulas& formulas);
  ~Motion();
  Motion(Motion&&) noexcept;
  Motion& operator=(Motion&&) noexcept;

  bool moves() const;
  Eigen::Isometry3d pose(double time) const;
  // d/dt of pose(t) at a point given in world coordinates at that time.
  Vec3 velocity(const Vec3& world_point, double time) const;

 private:
  struct Formulas;
  std::unique_ptr<Formulas> formulas_;
};

}  // namespace selkie::sim
