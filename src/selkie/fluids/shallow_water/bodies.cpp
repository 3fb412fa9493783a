// See bodies.h.
#include "selkie/fluids/shallow_water/bodies.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace selkie::shallow_water {
namespace {

constexpr int kLines = 2;  // vertical lines per cell and direction

// Where a vertical line enters and leaves a solid, by walking its signed distance from both ends.
struct Span {
  double bottom = 0, top = 0;
  bool hit = false;
};
Span vertical_span(const ports::MovableSolid& solid, const ports::BoundingBall& ball, double x, double z,
                   double time) {
  const double dx = x - ball.center.x(), dz = z - ball.center.z();
  const double inside = ball.radius * ball.radius - dx * dx - dz * dz;
  if (inside <= 0) return {};
  const double half = std::sqrt(inside), close = 1e-4 * ball.radius;
  const double low = ball.center.y() - half, high = ball.center.y() + half;
  auto walk = [&](double y, double direction, double end) {
    for (int step = 0; step < 64; ++step) {
      const double distance = solid.sample(Vec3(x, y, z), time).distance;
      if (distance <= close) return y;
      y += direction * distance;
      if (direction * (end - y) <= 0) break;
    }
    return std::numeric_limits<double>::quiet_NaN();
  };
  Span span;
  span.bottom = walk(low, 1, high);
  if (std::isnan(span.bottom)) return span;
  span.top = walk(high, -1, low);
  span.hit = span.top > span.bottom;
  return span;
}

// The surface around a body: level at its middle, and slopes.
struct Surface {
  double x = 0, z = 0, level = 0, slope_x = 0, slope_z = 0;
  double at(double px, double pz) const { return level + slope_x * (px - x) + slope_z * (pz - z); }
};

// Least squares, gathered sample by sample.
struct PlaneFit {
  Mat3 matrix = Mat3::Zero();
  Vec3 right = Vec3::Zero();
  void add(double dx, double dz, double level) {
    const Vec3 row(1, dx, dz);
    matrix += row * row.transpose();
    right += level * row;
  }
  Vec3 solve() const {
    const double count = matrix(0, 0);
    if (count < 1) return Vec3::Zero();
    const Eigen::FullPivLU<Mat3> lu(matrix);
    return lu.isInvertible() ? Vec3(lu.solve(right)) : Vec3(right[0] / count, 0, 0);
  }
};

template <class Real>
struct Meeting {
  const Model<Real>& model;
  const Params& params;
  double gravity, dt, time;
  State<Real>& state;
  Work<Real>& work;

  const Grid& grid() const { return model.grid; }
  double line_area() const { return grid().cell_area() / (kLines * kLines); }
  bool wet(std::size_t at) const {
    return static_cast<double>(state.depth[at]) > params.dry_depth &&
           (model.walls.empty() || !model.walls[at]);
  }

  // The cells a ball's shadow falls on and two more around them.
  struct Patch {
    int i0, i1, j0, j1;
    bool empty() const { return i1 <= i0 || j1 <= j0; }
    std::size_t index(int i, int j) const { return static_cast<std::size_t>((j - j0) * (i1 - i0) + i - i0); }
  };
  Patch patch_of(const ports::BoundingBall& ball) const {
    auto range = [&](double middle, double origin, int count) {
      const double low = (middle - ball.radius - origin) / grid().cell_size - 2;
      const double high = (middle + ball.radius - origin) / grid().cell_size + 3;
      return std::pair(static_cast<int>(std::clamp(std::floor(low), 0.0, double(count))),
                       static_cast<int>(std::clamp(std::floor(high), 0.0, double(count))));
    };
    const auto [i0, i1] = range(ball.center.x(), grid().origin.x(), grid().cells[0]);
    const auto [j0, j1] = range(ball.center.z(), grid().origin.z(), grid().cells[1]);
    return {i0, i1, j0, j1};
  }

  // Lines through the body in wet cells; marks what it covers.
  void find_lines(const ports::MovableSolid& solid, const ports::BoundingBall& ball,
                  const Patch& patch) const {
    work.lines.clear();
    work.covered.assign(patch.index(patch.i0, patch.j1), 0);
    for (int j = patch.j0; j < patch.j1; ++j)
      for (int i = patch.i0; i < patch.i1; ++i) {
        const auto at = static_cast<std::size_t>(grid().at(i, j));
        for (int k = 0; k < kLines * kLines; ++k) {
          const double x = grid().x(i) + ((k % kLines + 0.5) / kLines - 0.5) * grid().cell_size;
          const double z = grid().z(j) + ((k / kLines + 0.5) / kLines - 0.5) * grid().cell_size;
          const Span span = vertical_span(solid, ball, x, z, time);
          if (!span.hit) continue;
          work.covered[patch.index(i, j)] = 1;
          const double bottom = std::max(span.bottom, static_cast<double>(model.ground[at]));
          if (wet(at) && span.top > bottom) work.lines.push_back({at, x, z, bottom, span.top});
        }
      }
  }

  // A plane through the surface of the wet cells around the body; through those it covers where there are no
  // others.
  Surface surface_around(const ports::BoundingBall& ball, const Patch& patch) const {
    PlaneFit around, below;
    for (int j = patch.j0; j < patch.j1; ++j)
      for (int i = patch.i0; i < patch.i1; ++i) {
        const auto at = static_cast<std::size_t>(grid().at(i, j));
        if (!wet(at)) continue;
        const double level = static_cast<double>(state.depth[at]) + static_cast<double>(model.ground[at]);
        PlaneFit& fit = work.covered[patch.index(i, j)] ? below : around;
        fit.add(grid().x(i) - ball.center.x(), grid().z(j) - ball.center.z(), level);
      }
    const Vec3 plane = around.matrix(0, 0) > 0 ? around.solve() : below.solve();
    return {ball.center.x(), ball.center.z(), plane[0], plane[1], plane[2]};
  }

  // The impulse that a line's water gives the solid; its horizontal part is taken from the water.
  void push(ports::MovableSolid& solid, const BodyLine& line, const Surface& surface) const {
    const double length = std::min(surface.at(line.x, line.z), line.top) - line.bottom;
    if (length <= 0) return;
    work.submerged[line.at] += static_cast<Real>(length / (kLines * kLines));
    const Vec3 middle(line.x, line.bottom + 0.5 * length, line.z);
    const double area = line_area(), depth = static_cast<double>(state.depth[line.at]);
    Vec3 impulse =
        params.density * gravity * length * area * dt * Vec3(-surface.slope_x, 1, -surface.slope_z);
    const bool at_faces = model.method == Method::semi_lagrangian;
    const double divisor = at_faces ? 1 : depth;
    const Vec3 water(static_cast<double>(state.flow_x[line.at]) / divisor, 0,
                     static_cast<double>(state.flow_z[line.at]) / divisor);
    const Vec3 relative = solid.sample(middle, time).velocity - water;
    const double speed = relative.norm();
    if (speed > 0) {
      // Implicit in the speed: the pair may come to rest against each other, never overshoot.
      const double rate = 0.5 * params.density * params.body_drag * area * speed * dt;
      const double yielding =
          static_cast<double>(work.lines.size()) * solid.inverse_mass(middle, relative / speed, time) +
          1 / (params.density * depth * area);
      impulse -= rate / (1 + rate * yielding) * relative;
    }
    solid.push(middle, impulse, time);
    const double share = 1 / (params.density * grid().cell_area() * (at_faces ? depth : 1));
    state.flow_x[line.at] -= static_cast<Real>(impulse.x() * share);
    state.flow_z[line.at] -= static_cast<Real>(impulse.z() * share);
  }

  // Adds `amount` (m) of a cell's column around it, where there is water; returns what was added.
  double spread(int i, int j, double amount) const {
    constexpr double kWeight[3] = {0.25, 0.5, 0.25};
    double share = 1;
    auto each = [&](auto&& body) {
      for (int dj = -1; dj <= 1; ++dj)
        for (int di = -1; di <= 1; ++di) {
          int ii = std::clamp(i + di, 0, grid().cells[0] - 1),
              jj = std::clamp(j + dj, 0, grid().cells[1] - 1);
          auto at = static_cast<std::size_t>(grid().at(ii, jj));
          if (model.wall(ii, jj) || !(static_cast<double>(state.depth[at]) > params.dry_depth))
            at = static_cast<std::size_t>(grid().at(i, j));
          body(at, amount * kWeight[di + 1] * kWeight[dj + 1]);
        }
    };
    // Cells that meet several of the nine parts give a ninth of their water at most to each.
    each([&](std::size_t at, double part) {
      if (part < 0) share = std::min(share, static_cast<double>(state.depth[at]) / (-9 * part));
    });
    double added = 0;
    each([&](std::size_t at, double part) {
      const Real before = state.depth[at];
      state.depth[at] += static_cast<Real>(share * part);
      added += static_cast<double>(state.depth[at]) - static_cast<double>(before);
    });
    return added;
  }

  void displace() const {
    constexpr double kGain = 0.5;
    for (int j = 0; j < grid().cells[1]; ++j)
      for (int i = 0; i < grid().cells[0]; ++i) {
        const auto at = static_cast<std::size_t>(grid().at(i, j));
        const double missing =
            static_cast<double>(work.submerged[at]) - static_cast<double>(state.displaced[at]);
        if (missing == 0) continue;
        // Remainders that no longer count are settled at once.
        const double amount = std::abs(missing) < 1e-7 ? missing : kGain * missing;
        state.displaced[at] += static_cast<Real>(spread(i, j, amount));
      }
  }
};

}  // namespace

template <class Real>
void meet_bodies(const Model<Real>& model, const Params& params, const Inputs& inputs, Interval interval,
                 State<Real>& state, Work<Real>& work) {
  if (inputs.bodies.empty() && state.displaced.empty()) return;
  if (state.displaced.empty()) state.displaced.assign(model.grid.size(), Real(0));
  work.submerged.assign(model.grid.size(), Real(0));
  const Meeting<Real> meeting{model, params, -inputs.gravity.y(), interval.dt(), interval.t1(), state, work};
  for (ports::MovableSolid* solid : inputs.bodies) {
    const ports::BoundingBall ball = solid->bounds(interval.t1(), interval.t1());
    const auto patch = meeting.patch_of(ball);
    if (patch.empty()) continue;
    meeting.find_lines(*solid, ball, patch);
    if (work.lines.empty()) continue;
    const Surface surface = meeting.surface_around(ball, patch);
    for (const BodyLine& line : work.lines) meeting.push(*solid, line, surface);
  }
  meeting.displace();
}

template void meet_bodies(const Model<float>&, const Params&, const Inputs&, Interval, State<float>&,
                          Work<float>&);
template void meet_bodies(const Model<double>&, const Params&, const Inputs&, Interval, State<double>&,
                          Work<double>&);

}  // namespace selkie::shallow_water
