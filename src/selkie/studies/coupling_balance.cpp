// Momentum of one coupled solve: exact shares of faces, no clamps. What pressures give to the liquid, the
// body and the walls cancels, because the motion of all of them along an axis is one that leaves nothing in
// any cell. The Jacobian of both loads against sums over patches that share no code with it (LE-35, LE-36).
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "selkie/studies/coupling_bath.h"

namespace selkie::studies::coupling_cases {
namespace {

using coupling::Vector;

// Pressures on the grid, NaN where there are none.
Buffer<double> on_grid(const Bath& bath, const Vector& pressure) {
  const grid::Shape& shape = bath.domain.shape;
  Buffer<double> field;
  field.assign(shape.size(), NAN);
  for (std::size_t n = 0; n < bath.cells.size(); ++n)
    view(shape, field)(bath.cells[n][0], bath.cells[n][1], bath.cells[n][2]) =
        pressure[static_cast<Eigen::Index>(n)];
  return field;
}

// The slope of the pressure along an axis at a cell (per cell), straight from its definition: differences
// with the neighbours behind open faces, each counted by the open share over a half, 1 at most. As weights of
// differences across the faces of the axis, p above − p below.
struct Slope {
  std::array<grid::Index, 2> faces{};
  std::array<double, 2> weights{};
  double trust = 0;  // the sum of the weights
};
Slope slope_at(const Bath& bath, const Buffer<double>& field, const grid::Index& cell, int axis) {
  const grid::Shape& shape = bath.domain.shape;
  const auto a = static_cast<std::size_t>(axis);
  Slope out;
  for (const std::size_t side : {0u, 1u}) {
    grid::Index other = cell, face = cell;
    other[a] += side == 1 ? 1 : -1;
    face[a] += side == 1 ? 1 : 0;
    if (!grid::inside(shape, other) || std::isnan(view(shape, field)(other[0], other[1], other[2]))) continue;
    out.faces[side] = face;
    out.weights[side] = std::min(1.0, 2 * view(shape, bath.domain.open)[a](face[0], face[1], face[2]));
  }
  const double sum = out.weights[0] + out.weights[1];
  for (double& weight : out.weights) weight /= std::max(1.0, sum);
  out.trust = std::min(1.0, sum);
  return out;
}

// The pressure at a patch is its cell's, with the linear load plus the slope along each axis, of which the
// cells beside give what the cell's own faces are too narrow for: use(axis, face, weight) for each
// difference.
template <class Use>
void each_difference(const Bath& bath, const Buffer<double>& field, const grid::Patch& patch, Use&& use) {
  const grid::Shape& shape = bath.domain.shape;
  const grid::SurfaceElements surface{.positions = bath.mesh.positions, .triangles = bath.triangles};
  const grid::Index& cell = patch.cell;
  const Vec3 away =
      (grid::centroid(surface, patch) - shape.position(grid::Place::cell, cell[0], cell[1], cell[2])) /
      shape.cell_size();
  for (int axis = 0; axis < 3; ++axis) {
    auto add = [&](const Slope& slope, double factor) {
      for (const std::size_t side : {0u, 1u})
        if (slope.weights[side] > 0) use(axis, slope.faces[side], factor * slope.weights[side]);
    };
    const Slope own = slope_at(bath, field, cell, axis);
    add(own, away[axis]);
    std::vector<Slope> others;
    double trust = 0;
    for (int across = 0; across < 3; ++across)
      for (const int side : {-1, 1}) {
        const auto b = static_cast<std::size_t>(across);
        grid::Index other = cell, face = cell;
        other[b] += side;
        if (side > 0) ++face[b];
        if (across == axis || !grid::inside(shape, other) ||
            std::isnan(view(shape, field)(other[0], other[1], other[2])) ||
            !(view(shape, bath.domain.open)[b](face[0], face[1], face[2]) > 0))
          continue;
        others.push_back(slope_at(bath, field, other, axis));
        trust += others.back().trust;
      }
    for (const Slope& other : others) add(other, away[axis] * (1 - own.trust) / std::max(1.0, trust));
  }
}

double pressure_at(const Bath& bath, const Buffer<double>& field, const grid::Patch& patch, LoadOrder order) {
  const auto values = view(bath.domain.shape, field);
  double p = values(patch.cell[0], patch.cell[1], patch.cell[2]);
  if (order == LoadOrder::cell || std::isnan(p)) return p;
  each_difference(bath, field, patch, [&](int axis, const grid::Index& face, double weight) {
    grid::Index below = face;
    --below[static_cast<std::size_t>(axis)];
    p += weight * (values(face[0], face[1], face[2]) - values(below[0], below[1], below[2]));
  });
  return p;
}

// How the discrete liquid moves when body, walls and liquid all move along an axis with 1 m/s: the flux
// through every face, in faces. With the constant load that of its open share; the linear load, which spreads
// the flux of a patch over the cells its pressure is made of, sends more of it through the faces between
// them, as much as the liquid between the last middle of a cell and the body would carry.
grid::FaceField<double> uniform_stream(const Bath& bath, LoadOrder order, int along) {
  const grid::Shape& shape = bath.domain.shape;
  grid::FaceField<double> flux;
  flux.assign(shape, 0);
  flux.component[static_cast<std::size_t>(along)] =
      bath.domain.open.component[static_cast<std::size_t>(along)];
  if (order == LoadOrder::cell) return flux;
  const Buffer<double> field = on_grid(bath, Vector::Zero(bath.system.b.rows()));
  const double face_area = shape.cell_size() * shape.cell_size();
  for (const grid::Patch& patch : bath.cut.patches)
    if (!std::isnan(pressure_at(bath, field, patch, LoadOrder::cell)))
      each_difference(bath, field, patch, [&](int axis, const grid::Index& face, double weight) {
        view(shape, flux)[static_cast<std::size_t>(axis)](face[0], face[1], face[2]) +=
            weight * patch.area[along] / face_area;
      });
  return flux;
}

// What the pressures push along an axis: the liquid by their differences across faces times its stream
// through them, the walls of the box, and the body. The free surface carries none.
struct Forces {
  Vec3 liquid = Vec3::Zero(), walls = Vec3::Zero(), body = Vec3::Zero();

  double most() const { return std::max({liquid.norm(), walls.norm(), body.norm()}); }
  double sum() const { return (liquid + walls + body).norm() / most(); }
};
using Streams = std::array<grid::FaceField<double>, 3>;  // along each axis
Streams streams_of(const Bath& bath, LoadOrder order) {
  return {uniform_stream(bath, order, 0), uniform_stream(bath, order, 1), uniform_stream(bath, order, 2)};
}
Forces forces_of(const Bath& bath, const Vector& pressure, const Streams& streams) {
  const grid::Shape& shape = bath.domain.shape;
  const double face = shape.cell_size() * shape.cell_size();
  Forces out;
  for (std::size_t n = 0; n < bath.cells.size(); ++n)
    for (int along = 0; along < 3; ++along)
      for (std::size_t a = 0; a < 3; ++a) {
        const auto stream = view(shape, streams[static_cast<std::size_t>(along)])[a];
        const grid::Index low = bath.cells[n];
        grid::Index high = low;
        ++high[a];
        const double p = pressure[static_cast<Eigen::Index>(n)] * face;
        (low[a] == 0 ? out.walls : out.liquid)[along] -= p * stream(low[0], low[1], low[2]);
        (high[a] == shape.cells()[a] ? out.walls : out.liquid)[along] +=
            p * stream(high[0], high[1], high[2]);
      }
  const Vector body = bath.system.jacobian * pressure;
  for (Eigen::Index i = 0; i < body.size(); ++i) out.body[i % 3] += body[i];
  return out;
}

// What the stream along each axis, the body's motion included, leaves in the worst cell, in faces.
double stream_defect(const Bath& bath, const Streams& streams) {
  const grid::Shape& shape = bath.domain.shape;
  double worst = 0;
  for (int along = 0; along < 3; ++along) {
    Vector uniform = Vector::Zero(bath.system.mass.size());
    for (Eigen::Index i = along; i < uniform.size(); i += 3) uniform[i] = 1;
    Vector balance = bath.system.jacobian.transpose() * uniform / (shape.cell_size() * shape.cell_size());
    for (std::size_t n = 0; n < bath.cells.size(); ++n)
      for (std::size_t a = 0; a < 3; ++a) {
        const auto stream = view(shape, streams[static_cast<std::size_t>(along)])[a];
        const grid::Index low = bath.cells[n];
        grid::Index high = low;
        ++high[a];
        balance[static_cast<Eigen::Index>(n)] +=
            stream(high[0], high[1], high[2]) - stream(low[0], low[1], low[2]);
      }
    worst = std::max(worst, balance.cwiseAbs().maxCoeff());
  }
  return worst;
}

// What the stream along y lacks for the body: its volume over the true one, less 1. Every face carries the
// liquid of a cell's length.
double displaced(const Bath& bath, const Streams& streams) {
  const grid::Shape& shape = bath.domain.shape;
  const grid::Index n = shape.cells();
  double missing = 0, volume = 0;
  for (int k = 0; k < n[2]; ++k)
    for (int j = 1; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i) missing += 1 - view(shape, streams[1])[1](i, j, k);
  for (const geometry::Tet& tet : bath.mesh.tets) {
    const Vec3& o = bath.mesh.positions[tet[0]];
    volume += (bath.mesh.positions[tet[1]] - o)
                  .cross(bath.mesh.positions[tet[2]] - o)
                  .dot(bath.mesh.positions[tet[3]] - o) /
              6;
  }
  return missing * std::pow(shape.cell_size(), 3) / volume - 1;
}

// Σ over patches of pressure · area · velocity at their middles.
double power_of_patches(const Bath& bath, const Vector& pressure, const Vector& velocity, LoadOrder order) {
  const Buffer<double> field = on_grid(bath, pressure);
  double power = 0;
  for (const grid::Patch& patch : bath.cut.patches) {
    const double p = pressure_at(bath, field, patch, order);
    if (std::isnan(p)) continue;
    Vec3 v = Vec3::Zero();
    for (int c = 0; c < 3; ++c)
      v += patch.weights[c] *
           velocity.segment<3>(3 *
                               static_cast<int>(bath.triangles[patch.element][static_cast<std::size_t>(c)]));
    power += p * patch.area.dot(v);
  }
  return power;
}

// What a uniform motion of the body along each axis sends out of all cells together, and out of each cell,
// against the areas of the patches: differences, in faces.
struct FluxDefects {
  double total = 0, of_a_cell = 0;
};
FluxDefects flux_defects(const Bath& bath) {
  const grid::Shape& shape = bath.domain.shape;
  const double face = shape.cell_size() * shape.cell_size();
  FluxDefects out;
  for (int axis = 0; axis < 3; ++axis) {
    Buffer<double> areas;
    areas.assign(shape.size(), 0);
    for (const grid::Patch& patch : bath.cut.patches)
      if (grid::inside(shape, patch.cell))
        view(shape, areas)(patch.cell[0], patch.cell[1], patch.cell[2]) += patch.area[axis] / face;
    Vector uniform = Vector::Zero(bath.system.mass.size());
    for (Eigen::Index i = axis; i < uniform.size(); i += 3) uniform[i] = 1;
    const Vector flux = bath.system.jacobian.transpose() * uniform / face;
    double sum = 0;
    for (std::size_t n = 0; n < bath.cells.size(); ++n) {
      const double defect = flux[static_cast<Eigen::Index>(n)] -
                            view(shape, areas)(bath.cells[n][0], bath.cells[n][1], bath.cells[n][2]);
      sum += defect;
      out.of_a_cell = std::max(out.of_a_cell, std::abs(defect));
    }
    out.total = std::max(out.total, std::abs(sum));
  }
  return out;
}

}  // namespace

Table adjoint_table() {
  Table table{
      "Forces and fluxes of the Jacobian, patch by patch (LE-35, LE-36)",
      {"load", "cells", "vᵀ(J p) W", "pᵀ(Jᵀ v) / it - 1", "patches / it - 1", "flux of all cells",
       "of the worst cell"},
      {},
      "Random p and v. Patches: Σ of pressure, area and velocity at their middles, found without J. Fluxes: "
      "a "
      "body moved uniformly against the areas of its patches, in faces. Pass: 1e-12 of the power and of all "
      "cells; of single cells 1e-12 with the constant load, while the linear one moves flux between "
      "neighbours, "
      "which is reported."};
  for (const LoadOrder order : {LoadOrder::cell, LoadOrder::linear})
    for (const int cells : {10, 17, 30}) {
      const Bath bath = make_bath({.cells = cells, .order = order});
      const Vector p = random_vector(bath.system.b.rows(), 5, 1000),
                   v = random_vector(bath.system.mass.size(), 6, 1);
      const double power = v.dot(bath.system.jacobian * p);
      const double back = std::abs(p.dot(bath.system.jacobian.transpose() * v) / power - 1);
      const double patches = std::abs(power_of_patches(bath, p, v, order) / power - 1);
      const FluxDefects flux = flux_defects(bath);
      table.rows.push_back({{name_of(order), fmt::format("{}³", cells), fmt::format("{:.6g}", power),
                             number(back), number(patches), number(flux.total), number(flux.of_a_cell)},
                            back < 1e-12 && patches < 1e-12 && flux.total < 1e-12 &&
                                (order == LoadOrder::linear || flux.of_a_cell < 1e-12)});
    }
  return table;
}

Table momentum_table() {
  Table table{
      "Impulses of one solve on liquid, walls and body (exact shares, no clamps)",
      {"load", "cells", "on the liquid N", "on the walls N", "on the body N", "sum / largest",
       "stream's defect", "body's volume - 1", "with shares alone: sum", "volume - 1"},
      {},
      "Forces along x; the sum along all three axes. What a face's impulse adds to the liquid's momentum is "
      "how that face moves when everything moves along: its open share, and with the linear load also what "
      "that sends through it. Stream's defect: what such a motion leaves in the worst cell, in faces; body's "
      "volume: of what the faces along y then lack. Pass: sum and defect 1e-12 for both loads; the volume "
      "exact, 1e-12, with the linear one. Shares alone cannot carry its impulse: they lack another volume "
      "than the body's (reported)."};
  for (const LoadOrder order : {LoadOrder::cell, LoadOrder::linear})
    for (const int cells : {10, 17}) {
      const Bath bath = make_bath({.cells = cells, .order = order});
      const Streams streams = streams_of(bath, order), shares = streams_of(bath, LoadOrder::cell);
      const Vector pressure = solve_direct(bath.system).pressure;
      const Forces f = forces_of(bath, pressure, streams);
      const double defect = stream_defect(bath, streams), volume = displaced(bath, streams);
      table.rows.push_back(
          {{name_of(order), fmt::format("{}³", cells), fmt::format("{:.4g}", f.liquid.x()),
            fmt::format("{:.4g}", f.walls.x()), fmt::format("{:.4g}", f.body.x()), number(f.sum()),
            number(defect), number(volume), number(forces_of(bath, pressure, shares).sum()),
            number(displaced(bath, shares))},
           f.most() > 0 && f.sum() < 1e-12 && defect < 1e-12 &&
               (order == LoadOrder::cell || std::abs(volume) < 1e-12)});
    }
  return table;
}

}  // namespace selkie::studies::coupling_cases
