// What steps and runs say of themselves, on its way to Python.
#pragma once

#include <filesystem>

#include "errors.h"
#include "selkie/sim/run.h"

namespace selkie::python {

struct RunOutcome {
  sim::RunResult result;
  std::filesystem::path folder;
};

// The words of the run driver, so that a failure reads alike everywhere.
NumericalError failure_of(const sim::SyncReport& report);

}  // namespace selkie::python
