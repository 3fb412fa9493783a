// The pressure on a body's surface from the pressures of cells: which fields it has exactly, and what it does
// to the water of gaps thinner than a cell. [LE-35, LE-36; coupling/pressure_load.h]
#include "selkie/coupling/pressure_load.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "selkie/coupling/grid_pressure_side.h"
#include "selkie/grid/solid_fractions.h"

namespace selkie::coupling {
namespace {

constexpr int kCells = 16;

// A disc of many corners in a tank of unit size, full of water but for its topmost row of cells.
struct Tank {
  grid::Shape shape{2, {kCells, kCells, 1}, 1.0 / kCells};
  std::vector<Vec3> corners;
  std::vector<geometry::Segment> segments;
  grid::CutSurface cut;
  grid::CellKinds kinds = grid::all_fluid(shape, {});
  grid::FaceField<double> open;
  GridPressureSide side;

  // With `clamped` shares, faces that are all but closed are closed, as in a running liquid.
  Tank(const Vec3& centre, double radius, bool clamped = false) {
    constexpr std::uint32_t kCorners = 64;
    for (std::uint32_t c = 0; c < kCorners; ++c) {
      const double angle = 2 * std::numbers::pi * c / kCorners;
      corners.push_back(centre + radius * Vec3(std::cos(angle), std::sin(angle), 0));
      segments.push_back({c, (c + 1) % kCorners});
    }
    grid::cut_surface(shape, surface(), cut);
    open.assign(shape, 1.0);
    Buffer<double> scratch;
    grid::cover_faces<double>(shape, cut.patches, grid::view(shape, open), scratch);
    if (clamped) grid::clamp_shares<double>(shape, grid::view(shape, open));
    grid::close_cells<double>(shape, grid::view(shape, std::as_const(open)), grid::view(shape, kinds));
    for (int i = 0; i < kCells; ++i)
      grid::view(shape, kinds)(i, kCells - 1, 0) = grid::code_of(grid::CellKind::air);
    grid::PressureDomain<double> domain;
    domain.shape = shape;
    domain.kinds = grid::view(shape, std::as_const(kinds));
    domain.open = grid::view(shape, std::as_const(open));
    side.build(domain, 1, 1);
  }
  grid::SurfaceElements surface() const { return {.positions = corners, .segments = segments}; }
  ports::SparseRows jacobian(LoadOrder order) {
    return pressure_jacobian(side.pressure_cells(), side.unknowns(), surface(), cut.patches, order);
  }
  Eigen::MatrixXd matrix() {
    const ports::PressureSide liquid = side.side({});
    Eigen::MatrixXd b(side.unknowns(), side.unknowns());
    Eigen::VectorXd unit = Eigen::VectorXd::Zero(side.unknowns()), column = unit;
    for (int n = 0; n < side.unknowns(); ++n) {
      unit[n] = 1;
      const auto size = static_cast<std::size_t>(side.unknowns());
      liquid.apply_b({unit.data(), size}, {column.data(), size});
      b.col(n) = column;
      unit[n] = 0;
    }
    return b;
  }
};

// The fastest flow through any face from what the linear load moves between cells when the body moves along an
// axis at unit speed; the constant load moves nothing.
double fastest_stray_flow(Tank& tank, int axis) {
  Eigen::VectorXd motion = Eigen::VectorXd::Zero(2 * static_cast<int>(tank.corners.size()));
  for (Eigen::Index n = axis; n < motion.size(); n += 2) motion[n] = 1;
  const Eigen::VectorXd stray =
      (tank.jacobian(LoadOrder::linear) - tank.jacobian(LoadOrder::cell)).transpose() * motion;
  EXPECT_NEAR(stray.sum(), 0, 1e-13) << "the total flux is exact";
  const Eigen::VectorXd p = tank.matrix().ldlt().solve(stray);
  const ports::PressureCells& cells = tank.side.pressure_cells();
  double fastest = 0;
  for (const grid::Index& c : tank.side.cells())
    for (int a = 0; a < 2; ++a) {
      if ((cells.joined(c[0], c[1], 0) & ports::joined_bit(a, true)) == 0) continue;
      const int other = cells.unknown(c[0] + (a == 0), c[1] + (a == 1), 0);
      fastest = std::max(fastest, kCells * std::abs(p[cells.unknown(c[0], c[1], 0)] - p[other]));
    }
  return fastest;
}

// A disc that lies on the ground or nearly: the gap below it is a slit of any thinness. Differences across
// nearly closed faces made its water many times as fast as the disc.
TEST(PressureLoad, TheLinearLoadDrivesNoWaterOutOfSlitsFasterThanTheBodyMoves) {
  double fastest = 0;
  for (const double gap : {0.02, 0.1, 0.3, 0.6})     // cells
    for (const double place : {0.0, 0.13, 0.37, 0.5})  // of the middle in its cell
      for (const int axis : {0, 1}) {
        const double radius = 0.22;
        Tank tank(Vec3((8 + place) / kCells, radius + gap / kCells, 0), radius);
        fastest = std::max(fastest, fastest_stray_flow(tank, axis));
      }
  EXPECT_LT(fastest, 1.5);
  EXPECT_GT(fastest, 0) << "nothing was tried";
}

// Away from walls a linear pressure is had exactly, whichever way the surface cuts the cells: slopes that a
// cell's own faces are too narrow for come from the cells beside it.
// Cells that clamping shuts off have no pressure, but pieces of the surface. Were these left out, a uniform
// pressure would push the disc, and a tank without a free surface could not let it move.
TEST(PressureLoad, AUniformPressurePushesNoBodyThoughCellsBesideItAreShut) {
  int shut = 0;
  for (int n = 0; n < 40; ++n) {
    const Tank tank({0.45 + 0.0031 * n, 0.42 + 0.0017 * n, 0}, 0.2 + 0.001 * n, true);
    for (const grid::Patch& patch : tank.cut.patches)
      shut += tank.side.pressure_cells().unknown(patch.cell[0], patch.cell[1], patch.cell[2]) < 0 ? 1 : 0;
    for (const LoadOrder order : {LoadOrder::cell, LoadOrder::linear}) {
      const ports::SparseRows j = const_cast<Tank&>(tank).jacobian(order);
      const Eigen::VectorXd force = j * Eigen::VectorXd::Ones(j.cols());
      Vec3 sum = Vec3::Zero();
      for (Eigen::Index row = 0; row < force.size(); ++row) sum[row % 2] += force[row];
      EXPECT_LT(sum.norm(), 1e-14) << n;
    }
  }
  EXPECT_GT(shut, 0) << "there are such cells";
}

TEST(PressureLoad, ALinearPressureIsExactOnASurfaceInOpenWater) {
  const Vec3 slope(300, -900, 0);
  auto pressure = [&](const Vec3& x) { return 50 + slope.dot(x); };
  double worst = 0, of_cells = 0;
  for (const double place : {0.0, 0.13, 0.37, 0.5}) {
    Tank tank(Vec3((8 + place) / kCells, (8 + 0.7 * place) / kCells, 0), 0.22);
    Eigen::VectorXd p(tank.side.unknowns());
    for (int n = 0; n < p.size(); ++n) {
      const grid::Index& c = tank.side.cells()[static_cast<std::size_t>(n)];
      p[n] = pressure(tank.shape.position(grid::Place::cell, c[0], c[1], c[2]));
    }
    Eigen::VectorXd exact = Eigen::VectorXd::Zero(2 * static_cast<int>(tank.corners.size()));
    for (const grid::Patch& patch : tank.cut.patches)
      for (int corner = 0; corner < 2; ++corner)
        for (int axis = 0; axis < 2; ++axis)
          exact[2 * static_cast<int>(tank.segments[patch.element][static_cast<std::size_t>(corner)]) + axis] +=
              patch.weights[corner] * patch.area[axis] * pressure(grid::centroid(tank.surface(), patch));
    worst = std::max(worst, (tank.jacobian(LoadOrder::linear) * p - exact).cwiseAbs().maxCoeff());
    of_cells = std::max(of_cells, (tank.jacobian(LoadOrder::cell) * p - exact).cwiseAbs().maxCoeff());
  }
  EXPECT_LT(worst, 1e-12 * slope.norm());
  EXPECT_GT(of_cells, 1e-4 * slope.norm()) << "the constant load is not exact";
}

}  // namespace
}  // namespace selkie::coupling
