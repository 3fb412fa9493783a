// SolverSystem<Solver>: the part of an adapter that is the same for every solver made of Model, Params, State
// and Work (house style 3): save and restore in place, sub-step bookkeeping, views, descriptions.
//
// The live state keeps its address for ever: a step reads a kept copy (`from`) and writes the live one
// (`to`).
#pragma once

#include "selkie/sim/system.h"

namespace selkie::sim {

template <class Model, class Params, class State, class Work>
class SolverSystem : public System {
 public:
  SolverSystem(std::string system_name, Model model, Params params, State state)
      : System(std::move(system_name)),
        model_(std::move(model)),
        params_(std::move(params)),
        state_(std::move(state)),
        saved_(state_) {}

  const Type& params_type() const override { return type_of<Params>(); }
  void* params() override { return &params_; }
  std::vector<ArrayRef> state() override { return arrays_of(state_); }

  void save() override {
    saved_ = state_;
    fresh_ = true;
  }
  void restore() override {
    state_ = saved_;
    fresh_ = true;
  }

  Model& model() { return model_; }
  State& live_state() { return state_; }

 protected:
  // The state at the start of the sub-step: the saved one for the first, a second kept copy for later ones.
  const State& from() {
    if (fresh_) {
      fresh_ = false;
      return saved_;
    }
    previous_ = state_;
    return previous_;
  }

  const State& at_sync_start() const { return saved_; }

  Model model_;
  Params params_;
  State state_;
  Work work_;

 private:
  State saved_;     // start of the sync step
  State previous_;  // start of a later sub-step
  bool fresh_ = true;
};

}  // namespace selkie::sim
