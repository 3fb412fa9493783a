// The box and the first velocity of a grid fluid, as a scene writes them.
#pragma once

#include <string>
#include <vector>

#include "selkie/core/buffer.h"
#include "selkie/core/describe.h"
#include "selkie/core/value.h"
#include "selkie/grid/shape.h"

namespace selkie::scene {

// The box a grid fluid lives in, cut into cubes. A box without depth (min.z = max.z) is a 2-D domain.
struct DomainDescription {
  Vec3 min = Vec3::Zero();
  Vec3 max = Vec3::Ones();
  int cells = 48;
};
constexpr auto describe(DomainDescription*) {
  using D = DomainDescription;
  return Members{
      member("min", &D::min, "m", "lowest corner"),
      member("max", &D::max, "m", "highest corner; with the same z as min the domain is two-dimensional"),
      member("cells", &D::cells, "", "cells along the longest side; the others follow, rounded")
          .between(1, 4096)
          .scaled(),
  };
}
static_assert(complete<DomainDescription>());
std::vector<Problem> validate(const DomainDescription& domain);
grid::Shape shape_of(const DomainDescription& domain);
double cell_count(const DomainDescription& domain);

// Throws InputError at the domain's place in the table `source` where its fields alone would not fit into the
// machine's memory: said before it is tried, because a system short of memory may end any program.
void require_memory(const DomainDescription& domain, double machine_bytes, const Value& source);

// Formulas in x, y, z (m) for the velocity at the start.
struct VelocityFormulas {
  std::string velocity_x = "0", velocity_y = "0", velocity_z = "0";
};
constexpr auto describe(VelocityFormulas*) {
  using V = VelocityFormulas;
  return Members{member("velocity_x", &V::velocity_x, "m/s", "formula in x, y, z"),
                 member("velocity_y", &V::velocity_y, "m/s", "formula in x, y, z"),
                 member("velocity_z", &V::velocity_z, "m/s", "formula in x, y, z")};
}
static_assert(complete<VelocityFormulas>());
std::vector<Problem> validate(const VelocityFormulas& formulas);

// What is wrong with a formula in x, y, z; no problem: nothing.
std::vector<Problem> check_formula(const std::string& key, const std::string& formula);
// A field at all samples of a place from its formula, which `source` holds at `path`; a field that is not
// there stays so. Throws InputError where the formula is not finite.
template <class Real>
void fill_from(const grid::Shape& shape, grid::Place place, const std::string& formula, const Value& source,
               const std::string& path, Buffer<Real>& field);

}  // namespace selkie::scene
