// What a step says of itself. Numerical trouble is reported here, never thrown; the World retries with half
// the step, a bounded number of times.
#pragma once

#include <string>

namespace selkie {

struct [[nodiscard]] StepReport {
  bool ok = true;
  std::string trouble = {};  // what went wrong and where, for a person; empty when ok
  int iterations = 0;        // linear-solver iterations in this step
  double residual = 0;       // relative residual the solver stopped at
  double cfl = 0;            // step over its stability or CFL limit, where the method has one
  int contacts = 0;

  static StepReport failure(std::string what) { return {.ok = false, .trouble = std::move(what)}; }

  // Keeps the worst of two parts of one step; the first trouble wins.
  void merge(const StepReport& other) {
    if (ok && !other.ok) ok = false, trouble = other.trouble;
    iterations += other.iterations;
    residual = residual < other.residual ? other.residual : residual;
    cfl = cfl < other.cfl ? other.cfl : cfl;
    contacts += other.contacts;
  }
};

}  // namespace selkie
