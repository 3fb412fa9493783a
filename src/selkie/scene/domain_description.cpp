// See domain_description.h.
#include "selkie/scene/domain_description.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "selkie/core/error.h"
#include "selkie/core/expression.h"
#include "selkie/core/text.h"
#include "selkie/io/read_toml.h"

namespace selkie::scene {

std::vector<Problem> validate(const DomainDescription& domain) {
  const Vec3 size = domain.max - domain.min;
  if (!(size.x() > 0) || !(size.y() > 0) || !(size.z() >= 0))
    return {{"max", "is not above 'min' in every direction",
             "only z may be equal, for a two-dimensional domain"}};
  const double dx = size.maxCoeff() / domain.cells;
  if (size.x() < 0.5 * dx || size.y() < 0.5 * dx || (size.z() > 0 && size.z() < 0.5 * dx))
    return {{"cells", "makes cells larger than the shortest side of the domain",
             "raise it, or thicken the domain"}};
  if (cell_count(domain) >= 0x1p31)
    return {{"cells", "makes " + number_text(cell_count(domain)) + " cells, more than 32-bit numbers count",
             "lower it, or make the domain smaller along the other sides"}};
  return {};
}

double cell_count(const DomainDescription& domain) {
  const Vec3 size = domain.max - domain.min;
  const double dx = size.maxCoeff() / domain.cells;
  double cells = 1;
  for (const double length : {size.x(), size.y(), size.z()}) cells *= std::max(1.0, std::round(length / dx));
  return cells;
}

void require_memory(const DomainDescription& domain, double machine_bytes, const Value& source) {
  // Velocity, pressure, two fields and their copies for the next step, in single precision: no solver gets by
  // with less.
  constexpr double kLeastBytesPerCell = 40;
  const double bytes = kLeastBytesPerCell * cell_count(domain);
  if (bytes <= machine_bytes) return;
  throw InputError(find_place(source, "domain.cells").location(),
                   "the " + number_text(cell_count(domain)) + " cells of the domain need more than " +
                       bytes_text(bytes) + ", but this machine has " + bytes_text(machine_bytes),
                   "lower 'cells' or scene.scale");
}

grid::Shape shape_of(const DomainDescription& domain) {
  const Vec3 size = domain.max - domain.min;
  const double dx = size.maxCoeff() / domain.cells;
  auto count = [&](double length) { return std::max(1, static_cast<int>(std::lround(length / dx))); };
  return {size.z() > 0 ? 3 : 2, {count(size.x()), count(size.y()), count(size.z())}, dx, domain.min};
}

std::vector<Problem> check_formula(const std::string& key, const std::string& formula) {
  try {
    const Expression expression(formula, {"x", "y", "z"});
    expression(std::array<double, 3>{0, 0, 0});
  } catch (const InputError& error) {
    return {{key, "is not a formula in x, y and z: " + std::string(error.what())}};
  }
  return {};
}

std::vector<Problem> validate(const VelocityFormulas& formulas) {
  std::vector<Problem> problems;
  for (const auto& [key, formula] : {std::pair{"velocity_x", &formulas.velocity_x},
                                     {"velocity_y", &formulas.velocity_y},
                                     {"velocity_z", &formulas.velocity_z}})
    for (Problem& problem : check_formula(key, *formula)) problems.push_back(std::move(problem));
  return problems;
}

// One sample after the other, because an Expression serves one thread.
template <class Real>
void fill_from(const grid::Shape& shape, grid::Place place, const std::string& formula, const Value& source,
               const std::string& path, Buffer<Real>& field) {
  if (formula == "0" || field.empty()) return;
  const Expression expression(formula, {"x", "y", "z"});
  const grid::Index samples = shape.samples(place);
  for (int k = 0; k < samples[2]; ++k)
    for (int j = 0; j < samples[1]; ++j)
      for (int i = 0; i < samples[0]; ++i) {
        const Vec3 x = shape.position(place, i, j, k);
        const std::array<double, 3> at{x.x(), x.y(), x.z()};
        const auto value = static_cast<Real>(expression(at));
        if (!std::isfinite(value))
          throw InputError(find_place(source, path).location(),
                           "'" + path + "' is not finite at " + numbers_text(at),
                           "give a formula with a number everywhere in the box");
        field[static_cast<std::size_t>(shape.at(i, j, k))] = value;
      }
}
template void fill_from(const grid::Shape&, grid::Place, const std::string&, const Value&, const std::string&,
                        Buffer<float>&);
template void fill_from(const grid::Shape&, grid::Place, const std::string&, const Value&, const std::string&,
                        Buffer<double>&);

}  // namespace selkie::scene
