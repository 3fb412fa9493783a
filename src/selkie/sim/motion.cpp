// See motion.h.
#include "selkie/sim/motion.h"

#include <cmath>
#include <mutex>
#include <numbers>
#include <vector>

#include "selkie/core/error.h"
#include "selkie/core/expression.h"

namespace selkie::sim {

std::vector<Problem> validate(const MotionFormulas& formulas) {
  std::vector<Problem> problems;
  if (!formulas.translate.empty() && formulas.translate.size() != 3)
    problems.push_back({"translate",
                        "must hold three formulas, but holds " + std::to_string(formulas.translate.size()),
                        "write [\"0\", \"0.1*sin(t)\", \"0\"]"});
  if (!(formulas.axis.norm() > 0)) problems.push_back({"axis", "must not be zero", "for example [0, 1, 0]"});
  auto compile = [&](const std::string& formula, const std::string& member) {
    try {
      const Expression expression(formula, {"t"});
      if (!std::isfinite(expression(0.0)))
        problems.push_back({member, "is \"" + formula + "\", which is not finite at t = 0",
                            "a motion starts where the scene puts things"});
    } catch (const InputError& error) {
      problems.push_back({member, "does not compile: " + error.problem(), error.remedy()});
    }
  };
  for (std::size_t i = 0; i < formulas.translate.size(); ++i)
    compile(formulas.translate[i], "translate." + std::to_string(i));
  compile(formulas.angle, "angle");
  return problems;
}

// muParser evaluates into shared storage, so evaluation is locked; the last few poses are kept, since a step
// asks for the same two or three times again and again.
struct Motion::Formulas {
  std::vector<Expression> translate;
  Expression angle;
  Vec3 axis, center;

  struct Known {
    double time = std::numeric_limits<double>::quiet_NaN();
    Eigen::Isometry3d pose;
  };
  std::mutex mutex;
  std::array<Known, 8> known;
  std::size_t oldest = 0;

  explicit Formulas(const MotionFormulas& f)
      : angle(f.angle, {"t"}), axis(f.axis.normalized()), center(f.center) {
    for (const std::string& formula : f.translate)
      translate.emplace_back(formula, std::vector<std::string>{"t"});
  }

  Eigen::Isometry3d evaluate(double time) const {
    Vec3 displacement = Vec3::Zero();
    for (std::size_t i = 0; i < translate.size(); ++i) displacement[static_cast<int>(i)] = translate[i](time);
    const double radians = angle(time) * std::numbers::pi / 180;
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.translate(displacement + center);
    pose.rotate(Eigen::AngleAxisd(radians, axis));
    pose.translate(-center);
    return pose;
  }

  Eigen::Isometry3d pose(double time) {
    const std::lock_guard lock(mutex);
    for (const Known& k : known)
      if (k.time == time) return k.pose;
    Known& slot = known[oldest++ % known.size()];
    slot = {time, evaluate(time)};
    return slot.pose;
  }
};

Motion::Motion() = default;
Motion::Motion(const MotionFormulas& formulas) : formulas_(std::make_unique<Formulas>(formulas)) {}
Motion::~Motion() = default;
Motion::Motion(Motion&&) noexcept = default;
Motion& Motion::operator=(Motion&&) noexcept = default;

bool Motion::moves() const { return formulas_ != nullptr; }

Eigen::Isometry3d Motion::pose(double time) const {
  return formulas_ ? formulas_->pose(time) : Eigen::Isometry3d::Identity();
}

Vec3 Motion::velocity(const Vec3& world_point, double time) const {
  if (!formulas_) return Vec3::Zero();
  // Central difference: error ε² x‴/6 plus round-off 1e-16 x/ε; 1e-5 s balances both for second-scale motion.
  constexpr double kEpsilon = 1e-5;
  const Vec3 rest = formulas_->pose(time).inverse() * world_point;
  return (formulas_->pose(time + kEpsilon) * rest - formulas_->pose(time - kEpsilon) * rest) / (2 * kEpsilon);
}

}  // namespace selkie::sim
