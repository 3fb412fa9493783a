// See grid_pressure_side.h.
#include "selkie/coupling/grid_pressure_side.h"

#include "selkie/core/parallel.h"

namespace selkie::coupling {
namespace {

// visit(neighbour) for each cell across an open face that is not solid.
template <class T, class Visit>
void each_open_neighbour(const grid::PressureDomain<T>& domain, const grid::Index& cell, Visit&& visit) {
  for (std::size_t a = 0; a < static_cast<std::size_t>(domain.shape.dims()); ++a)
    for (const int side : {-1, 1}) {
      grid::Index other = cell, face = cell;
      other[a] += side;
      if (side > 0) ++face[a];
      if (domain.open[a].data != nullptr && !(domain.open[a](face[0], face[1], face[2]) > 0)) continue;
      if (domain.kinds(other[0], other[1], other[2]) != code_of(grid::CellKind::solid))
        visit(other, ports::joined_bit(static_cast<int>(a), side > 0));
    }
}

}  // namespace

template <class T>
void GridPressureSide::build(const grid::PressureDomain<T>& domain, double dt, double density) {
  shape_ = domain.shape;
  dt_ = dt;
  to_field_ = dt / (density * shape_.cell_size());
  face_ = shape_.dims() == 3 ? shape_.cell_size() * shape_.cell_size() : shape_.cell_size();
  in_.assign(shape_.size(), 0);
  out_.assign(shape_.size(), 0);
  number_cells(domain);
  rhs_.assign(cells_.size(), 0);
  guess_.clear();
  solver_.template build<T>(domain);
  find_closed_regions(domain);
  pressure_cells_ = {
      shape_, grid::view(shape_, std::as_const(unknown_)), grid::view(shape_, std::as_const(joined_)),
      [open = domain.open](int axis, const grid::Index& face) {
        const auto& share = open[static_cast<std::size_t>(axis)];
        return share.data == nullptr ? 1.0 : static_cast<double>(share(face[0], face[1], face[2]));
      }};
}

template <class T>
void GridPressureSide::number_cells(const grid::PressureDomain<T>& domain) {
  unknown_.assign(shape_.size(), -1);
  joined_.assign(shape_.size(), 0);
  cells_.clear();
  const grid::Index n = shape_.cells();
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i) {
        const auto at = static_cast<std::size_t>(shape_.at(i, j, k));
        if (domain.kinds(i, j, k) == code_of(grid::CellKind::solid)) joined_[at] = ports::kShut;
        if (domain.kinds(i, j, k) != code_of(grid::CellKind::fluid)) continue;
        bool reached = false;
        each_open_neighbour(domain, {i, j, k}, [&](const grid::Index& other, std::uint8_t bit) {
          reached = true;
          if (domain.kinds(other[0], other[1], other[2]) == code_of(grid::CellKind::fluid))
            joined_[at] |= bit;
        });
        if (!reached) {
          joined_[at] = ports::kShut;
          continue;
        }
        unknown_[at] = unknowns();
        cells_.push_back({i, j, k});
      }
}

// Regions by flooding from cell to cell; those that meet air are open.
template <class T>
void GridPressureSide::find_closed_regions(const grid::PressureDomain<T>& domain) {
  std::vector<std::int32_t> region(cells_.size(), -1);
  std::vector<char> meets_air;
  std::vector<std::size_t> front;
  for (std::size_t seed = 0; seed < cells_.size(); ++seed) {
    if (region[seed] >= 0) continue;
    const auto number = static_cast<std::int32_t>(meets_air.size());
    meets_air.push_back(0);
    region[seed] = number;
    front.assign(1, seed);
    while (!front.empty()) {
      const std::size_t cell = front.back();
      front.pop_back();
      each_open_neighbour(domain, cells_[cell], [&](const grid::Index& other, std::uint8_t) {
        const std::int32_t u = unknown_[static_cast<std::size_t>(shape_.at(other[0], other[1], other[2]))];
        if (u < 0) {
          meets_air[static_cast<std::size_t>(number)] = 1;
        } else if (region[static_cast<std::size_t>(u)] < 0) {
          region[static_cast<std::size_t>(u)] = number;
          front.push_back(static_cast<std::size_t>(u));
        }
      });
    }
  }
  std::vector<std::int32_t> closed(meets_air.size(), -1);
  closed_regions_ = 0;
  for (std::size_t r = 0; r < meets_air.size(); ++r)
    if (meets_air[r] == 0) closed[r] = closed_regions_++;
  closed_region_.clear();
  if (closed_regions_ == 0) return;
  for (const std::int32_t r : region) closed_region_.push_back(closed[static_cast<std::size_t>(r)]);
}

template <class Value>
std::vector<double> GridPressureSide::closed_means(Value&& value) const {
  std::vector<double> means(static_cast<std::size_t>(closed_regions_)), counts(means.size());
  for (std::size_t n = 0; n < closed_region_.size(); ++n)
    if (closed_region_[n] >= 0) {
      const auto region = static_cast<std::size_t>(closed_region_[n]);
      means[region] += value(n), counts[region] += 1;
    }
  for (std::size_t r = 0; r < means.size(); ++r) means[r] /= counts[r];
  return means;
}

void GridPressureSide::remove_closed_means(std::span<double> z) const {
  const std::vector<double> means = closed_means([&](std::size_t n) { return z[n]; });
  for (std::size_t n = 0; n < closed_region_.size(); ++n)
    if (closed_region_[n] >= 0) z[n] -= means[static_cast<std::size_t>(closed_region_[n])];
}

void GridPressureSide::gather(grid::View<const double> field, double factor, std::span<double> vector) const {
  parallel_for(cells_.size(), [&](std::size_t n) {
    const auto& [i, j, k] = cells_[n];
    vector[n] = factor * field(i, j, k);
  });
}
void GridPressureSide::scatter(std::span<const double> vector, double factor,
                               grid::View<double> field) const {
  parallel_for(cells_.size(), [&](std::size_t n) {
    const auto& [i, j, k] = cells_[n];
    field(i, j, k) = factor * vector[n];
  });
}

void GridPressureSide::set_balance(grid::View<const double> balance) { gather(balance, face_, rhs_); }

template <class T>
void GridPressureSide::cancel_in_closed(grid::View<const T> source) {
  const std::vector<double> means = closed_means(
      [&](std::size_t n) { return static_cast<double>(source(cells_[n][0], cells_[n][1], cells_[n][2])); });
  const double flux = face_ * shape_.cell_size();
  for (std::size_t n = 0; n < closed_region_.size(); ++n)
    if (closed_region_[n] >= 0) rhs_[n] -= flux * means[static_cast<std::size_t>(closed_region_[n])];
}

// Cells without an unknown stay zero in in_; what they hold in out_ is not read.
void GridPressureSide::apply(std::span<const double> x, std::span<double> y) {
  scatter(x, to_field_, view(shape_, in_));
  solver_.multiply(view(shape_, std::as_const(in_)), view(shape_, out_));
  gather(view(shape_, std::as_const(out_)), face_, y);
}

// A row joins a cell and its six neighbours at most, whose numbers i + 2j + 3k differ modulo 7: the product
// with the unknowns of one such number shows one entry of every row, and seven products show all.
const ports::SparseRows& GridPressureSide::matrix() {
  constexpr int kColours = 7;
  auto colour = [](const grid::Index& c) { return (c[0] + 2 * c[1] + 3 * c[2]) % kColours; };
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(kColours * cells_.size());
  std::vector<double> ones(cells_.size()), column(cells_.size());
  const grid::Index n = shape_.cells();
  for (int wanted = 0; wanted < kColours; ++wanted) {
    for (std::size_t c = 0; c < cells_.size(); ++c) ones[c] = colour(cells_[c]) == wanted ? 1 : 0;
    apply(ones, column);
    for (std::size_t row = 0; row < cells_.size(); ++row) {
      auto add = [&](const grid::Index& at) {
        if (colour(at) != wanted || column[row] == 0) return;
        const std::int32_t u = unknown_[static_cast<std::size_t>(shape_.at(at[0], at[1], at[2]))];
        if (u >= 0) entries.emplace_back(static_cast<int>(row), u, column[row]);
      };
      add(cells_[row]);
      for (std::size_t a = 0; a < static_cast<std::size_t>(shape_.dims()); ++a)
        for (const int side : {-1, 1}) {
          grid::Index other = cells_[row];
          other[a] += side;
          if (other[a] >= 0 && other[a] < n[a]) add(other);
        }
    }
  }
  matrix_.resize(unknowns(), unknowns());
  matrix_.setFromTriplets(entries.begin(), entries.end());
  return matrix_;
}

ports::PressureSide GridPressureSide::side(std::function<void(std::span<const double>)> accept) {
  ports::PressureSide side;
  side.unknowns = unknowns();
  side.rhs = rhs_;
  side.guess = guess_;
  side.cells = &pressure_cells_;
  side.closed_region = closed_region_;
  side.closed_regions = closed_regions_;
  side.apply_b = [this](std::span<const double> x, std::span<double> y) { apply(x, y); };
  side.assemble_b = [this]() -> const ports::SparseRows& { return matrix(); };
  side.precondition = [this](std::span<const double> r, std::span<double> z) {
    scatter(r, 1 / face_, view(shape_, in_));
    solver_.precondition(view(shape_, std::as_const(in_)), view(shape_, out_));
    gather(view(shape_, std::as_const(out_)), 1 / to_field_, z);
    // The solver leaves constants of closed regions out of r; out of z, too, it is symmetric again.
    remove_closed_means(z);
  };
  side.accept = std::move(accept);
  return side;
}

template void GridPressureSide::build(const grid::PressureDomain<float>&, double, double);
template void GridPressureSide::build(const grid::PressureDomain<double>&, double, double);
template void GridPressureSide::cancel_in_closed(grid::View<const float>);
template void GridPressureSide::cancel_in_closed(grid::View<const double>);

}  // namespace selkie::coupling
