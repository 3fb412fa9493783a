// See bodies.h.
#include "selkie/fluids/shallow_water/bodies.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

template <class Real>
struct Meeting {
  const Model<Real>& model;
  const Params& params;
  double gravity, dt, time;
  State<Real>& state;
  Buffer<Real>& submerged;

  const Grid& grid() const { return model.grid; }
  double line_area() const { return grid().cell_area() / (kLines * kLines); }
  double level(std::size_t at) const {
    return static_cast<double>(state.depth[at]) + static_cast<double>(model.ground[at]);
  }

  void find_lines(const ports::MovableSolid& solid, const ports::BoundingBall& ball,
                  std::vector<SubmergedLine>& lines) const {
    const auto [nx, nz] = grid().cells;
    const double dx = grid().cell_size;
    auto first = [&](double low, double origin) {
      return std::max(0, static_cast<int>(std::floor((low - origin) / dx)));
    };
    auto last = [&](double high, double origin, int count) {
      return std::min(count - 1, static_cast<int>(std::floor((high - origin) / dx)));
    };
    const int i1 = last(ball.center.x() + ball.radius, grid().origin.x(), nx);
    const int j1 = last(ball.center.z() + ball.radius, grid().origin.z(), nz);
    for (int j = first(ball.center.z() - ball.radius, grid().origin.z()); j <= j1; ++j)
      for (int i = first(ball.center.x() - ball.radius, grid().origin.x()); i <= i1; ++i) {
        const auto at = static_cast<std::size_t>(grid().at(i, j));
        if (model.wall(i, j) || !(static_cast<double>(state.depth[at]) > params.dry_depth)) continue;
        for (int k = 0; k < kLines * kLines; ++k) {
          const double x = grid().x(i) + ((k % kLines + 0.5) / kLines - 0.5) * dx;
          const double z = grid().z(j) + ((k / kLines + 0.5) / kLines - 0.5) * dx;
          const Span span = vertical_span(solid, ball, x, z, time);
          if (!span.hit) continue;
          const double bottom = std::max(span.bottom, static_cast<double>(model.ground[at]));
          const double length = std::min(level(at), span.top) - bottom;
          if (length > 0) lines.push_back({at, Vec3(x, bottom + 0.5 * length, z), length});
        }
      }
  }

  // Central difference of the surface, one-sided at shores and walls.
  double slope(std::size_t at, std::ptrdiff_t step) const {
    auto usable = [&](std::size_t k) {
      return static_cast<double>(state.depth[k]) > params.dry_depth &&
             (model.walls.empty() || !model.walls[k]);
    };
    const auto here = static_cast<std::ptrdiff_t>(at);
    const auto low = static_cast<std::size_t>(here - step), high = static_cast<std::size_t>(here + step);
    const double below = usable(low) ? level(low) : level(at), above = usable(high) ? level(high) : level(at);
    return (above - below) / (2 * grid().cell_size);
  }

  // The impulse that a line's water gives the solid; its horizontal part is taken from the water.
  void push(ports::MovableSolid& solid, const SubmergedLine& line, double lines) const {
    const double area = line_area(), depth = static_cast<double>(state.depth[line.at]);
    Vec3 impulse = params.density * gravity * line.length * area * dt *
                   Vec3(-slope(line.at, 1), 1, -slope(line.at, grid().row()));
    const bool at_faces = model.method == Method::semi_lagrangian;
    const double divisor = at_faces ? 1 : depth;
    const Vec3 water(static_cast<double>(state.flow_x[line.at]) / divisor, 0,
                     static_cast<double>(state.flow_z[line.at]) / divisor);
    const Vec3 relative = solid.sample(line.middle, time).velocity - water;
    const double speed = relative.norm();
    if (speed > 0) {
      // Implicit in the speed: the pair may come to rest against each other, never overshoot.
      const double rate = 0.5 * params.density * params.body_drag * area * speed * dt;
      const double yielding = lines * solid.inverse_mass(line.middle, relative / speed, time) +
                              1 / (params.density * depth * area);
      impulse -= rate / (1 + rate * yielding) * relative;
    }
    solid.push(line.middle, impulse, time);
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
        const double missing = static_cast<double>(submerged[at]) - static_cast<double>(state.displaced[at]);
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
  const Meeting<Real> meeting{model,         params, -inputs.gravity.y(), interval.dt(),
                              interval.t1(), state,  work.submerged};
  std::vector<SubmergedLine>& lines = work.lines;
  for (ports::MovableSolid* solid : inputs.bodies) {
    lines.clear();
    meeting.find_lines(*solid, solid->bounds(interval.t1(), interval.t1()), lines);
    for (const SubmergedLine& line : lines) {
      work.submerged[line.at] += static_cast<Real>(line.length / (kLines * kLines));
      meeting.push(*solid, line, static_cast<double>(lines.size()));
    }
  }
  meeting.displace();
}

template void meet_bodies(const Model<float>&, const Params&, const Inputs&, Interval, State<float>&,
                          Work<float>&);
template void meet_bodies(const Model<double>&, const Params&, const Inputs&, Interval, State<double>&,
                          Work<double>&);

}  // namespace selkie::shallow_water
