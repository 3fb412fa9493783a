// What a Python System is: one system of a World, which it keeps alive.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "world_handle.h"

namespace selkie::python {

struct SystemHandle {
  std::shared_ptr<WorldHandle> owner;
  sim::System* system = nullptr;

  sim::System& get() const {
    owner->require_still();
    return *system;
  }
};

// The Python object of a system, with its own help text.
pybind11::object make_system(const std::shared_ptr<WorldHandle>& owner, sim::System& system);

// Drawables as a list of dictionaries of arrays (copies).
pybind11::list drawables_of(sim::System& system);

}  // namespace selkie::python
