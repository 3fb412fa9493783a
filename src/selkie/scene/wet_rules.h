// How a body may start that is solved together with a liquid: inside the box, clear of its sides, of its
// container, of solids and of other such bodies, not turned inside out, and thick enough for the cells.
#pragma once

#include <memory>
#include <vector>

#include "selkie/core/value.h"
#include "selkie/sim/systems/elastic_system.h"
#include "selkie/sim/systems/liquid_system.h"
#include "selkie/sim/systems/rigid_system.h"
#include "selkie/sim/world.h"

namespace selkie::scene {

class Tank {
 public:
  // `table`: of the coupling, for messages. All three outlive the tank.
  Tank(sim::LiquidSystem& liquid, const sim::World& world, const Value& table);

  // What keeps bodies inside: the closed sides of the box, and the liquid's container.
  std::shared_ptr<ports::FieldSampler> walls() const { return walls_; }
  std::optional<double> plane() const;  // z of a flat liquid, m

  // Throw InputError for a body that starts where it cannot be; warn of one thinner than a cell. Of rigid
  // bodies those in `table_name` have to be in the box and enclose something, and all that are free to move
  // must be clear of walls and of each other, unless they are joined or of groups that do not meet.
  // Return the least thickness, m.
  double check(sim::ElasticSystem& body) const;
  double check(sim::RigidSystem& bodies, const std::string& table_name) const;

 private:
  // A body as it starts.
  struct Started {
    std::string name;
    std::span<const Vec3> points;
    std::span<const std::uint8_t> held;  // of each point; empty: none is
    grid::SurfaceElements surface;
    const ports::FieldSampler* field = nullptr;
  };
  static Started started(sim::ElasticSystem& body);
  static Started started(const coupling::WetRigid& body, const std::string& name);

  bool inside(const Started& body) const;  // any point of it
  [[noreturn]] void refuse_outside(const std::string& name) const;
  void check_turned(sim::ElasticSystem& body) const;
  void check_before(sim::RigidSystem& bodies, std::span<const coupling::WetRigid> each, std::size_t b) const;
  void check_walls(const Started& body) const;
  void check_pair(const Started& a, const Started& b) const;
  double check_thickness(const Started& body) const;

  sim::LiquidSystem& liquid_;
  const sim::World& world_;
  const Value& table_;
  std::shared_ptr<ports::FieldSampler> sides_, walls_;
};

}  // namespace selkie::scene
