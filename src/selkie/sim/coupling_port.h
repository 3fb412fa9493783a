// Coupling: what joins systems in the World. Strong couplings contribute terms to their Group's one solve;
// weak ones exchange impulses after the members have stepped. A coupling sees ports only (the maths is in
// coupling/).
#pragma once

#include <string>
#include <vector>

#include "selkie/core/state_arrays.h"
#include "selkie/ports/sides.h"
#include "selkie/ports/step_report.h"
#include "selkie/ports/time.h"
#include "selkie/sim/system.h"

namespace selkie::sim {

class Coupling {
 public:
  Coupling(std::string name, std::vector<std::string> between)
      : name_(std::move(name)), between_(std::move(between)) {}
  virtual ~Coupling() = default;
  Coupling(const Coupling&) = delete;
  Coupling& operator=(const Coupling&) = delete;

  const std::string& name() const { return name_; }
  const std::vector<std::string>& between() const { return between_; }
  virtual std::string_view kind() const = 0;
  virtual bool strong() const = 0;

  virtual std::vector<ArrayRef> state() { return {}; }
  virtual void save() {}
  virtual void restore() {}

  // Strong: after every member's predict(), the Jacobian of this coupling (rows: body dofs, columns:
  // pressures). `members` are in the order of between(). The returned matrix lives until the step ends.
  virtual const ports::SparseRows* jacobian(std::span<System* const>, const Interval&) { return nullptr; }

  // Strong, for comparison: bodies take the last step's pressures, then the liquid yields to them. (LE-45)
  virtual bool staggered() const { return false; }

  // Strong: relative residual that the joint solve goes on to; of several in a Group the least counts.
  virtual double tolerance() const { return 1e-8; }

  // Strong: joint solves of a sub-step at most, each around bodies linearised anew; the most in a Group counts.
  virtual int iterations() const { return 1; }

  // Weak: after the members have stepped over `interval`.
  virtual StepReport exchange(std::span<System* const>, const Interval&) { return {}; }

 private:
  std::string name_;
  std::vector<std::string> between_;
};

}  // namespace selkie::sim
