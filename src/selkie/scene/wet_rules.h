// Where a body may start that is solved together with a liquid: inside the box, clear of its sides, of solids and
// of other such bodies, and thick enough for the cells.
#pragma once

#include <memory>

#include "selkie/core/value.h"
#include "selkie/sim/systems/elastic_system.h"
#include "selkie/sim/systems/liquid_system.h"
#include "selkie/sim/world.h"

namespace selkie::scene {

class Tank {
 public:
  // `table`: of the coupling, for messages. All three outlive the tank.
  Tank(sim::LiquidSystem& liquid, const sim::World& world, const Value& table);

  // What keeps bodies inside: the closed sides of the box.
  std::shared_ptr<ports::FieldSampler> walls() const { return walls_; }

  // Throws InputError for a body that starts where it cannot be; warns of one thinner than a cell.
  void check(sim::ElasticSystem& body) const;

 private:
  void check_inside(sim::ElasticSystem& body) const;
  void check_solids(sim::ElasticSystem& body) const;
  void check_others(sim::ElasticSystem& body) const;
  void warn_if_thin(sim::ElasticSystem& body) const;

  sim::LiquidSystem& liquid_;
  const sim::World& world_;
  const Value& table_;
  std::shared_ptr<ports::FieldSampler> walls_;
};

}  // namespace selkie::scene
