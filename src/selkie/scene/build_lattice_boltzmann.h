// [[lattice_boltzmann]] to a System.
#pragma once

#include <memory>
#include <span>

#include "selkie/core/value.h"
#include "selkie/scene/lattice_boltzmann_description.h"
#include "selkie/sim/collider.h"
#include "selkie/sim/system.h"

namespace selkie::scene {

// `source` is the table in the file, for messages. The colliders become walls of the lattice.
std::unique_ptr<sim::System> build_lattice_boltzmann(const LatticeBoltzmannDescription& description,
                                                     std::span<const sim::ColliderDescription> colliders,
                                                     const Value& source);

}  // namespace selkie::scene
