// What a Python State of selkie.mass_spring is.
#pragma once

#include <memory>

#include "selkie/core/error.h"
#include "selkie/solids/mass_spring/state.h"
#include "selkie/solids/mass_spring/work.h"

namespace selkie::python {

// A State with what stepping it needs: the state before the step, and scratch for the model it belongs to.
struct MassSpringHandle {
  std::shared_ptr<const mass_spring::Model> model;
  mass_spring::State state, before;
  mass_spring::Work work;
};

inline void require_same_model(const std::shared_ptr<const mass_spring::Model>& model,
                               const MassSpringHandle& state) {
  if (state.model != model)
    throw InputError("the state was made for another model", "make it with State(model, positions)");
}

}  // namespace selkie::python
