// What moves the water besides its own pressure: the motion of the mesh and the fields of the world, split
// along and across the normal. [Angst07 §6.1, §6.3, §6.4; SW-29, SW-30, SW-35 … SW-38]
#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/fluids/surface_water/operators.h"
#include "selkie/fluids/surface_water/phases.h"

namespace selkie::surface_water {
namespace {

constexpr std::size_t kBlock = 2048;

// (xⁿ - 2xⁿ⁻¹ + xⁿ⁻²)/Δt², smoothed; for steps of unequal length the difference of the two mean velocities.
void feel_motion(const Params& params, const Inputs& inputs, double dt, State& to) {
  const std::size_t count = to.positions.size();
  if (inputs.jump) to.history = 0;
  if (to.acceleration.size() != count) to.acceleration.assign(count, Vec3::Zero());
  if (to.positions_before.size() != count) to.positions_before = to.positions, to.history = 0;
  const bool known = to.history >= 1 && to.step_before > 0;
  const double sigma = params.inertia_smoothing, now = 1 / dt, before = known ? 1 / to.step_before : 0;
  const double share = known ? (1 - sigma) * 2 / (dt + to.step_before) : 0;
  const bool jump = inputs.jump;
  parallel_blocks(count, kBlock, [&](std::size_t begin, std::size_t end) {
    const double* next = inputs.positions[0].data();
    double *x = to.positions[0].data(), *old = to.positions_before[0].data(), *a = to.acceleration[0].data();
    for (std::size_t i = 3 * begin; i < 3 * end; ++i) {
      const double step = next[i] - x[i], last = x[i] - old[i];
      a[i] = jump ? 0 : share * (step * now - last * before) + sigma * a[i];
      old[i] = x[i], x[i] = next[i];
    }
  });
  to.history = jump ? 0 : std::min(to.history + 1, 2);
}

// Along the control's direction: positive below the depth that is aimed at, reversed above [SW-35, E19].
double control_acceleration(const Params& params, double depth) {
  if (params.control == Control::constant) return params.control_strength;
  const double lack = (std::max(0.0, depth) - params.control_depth) / params.control_width;
  return params.control_strength * (std::exp(-lack) - 1);
}

bool acts_from_outside(const Params& params, const Inputs& inputs, const State& state) {
  return params.world_gravity != 0 || !inputs.acceleration.isZero(0) || !inputs.field.empty() ||
         !inputs.pushes.empty() || params.control != Control::none ||
         (params.inertia != 0 && !state.acceleration.empty());
}

void sum_accelerations(const Params& params, const Inputs& inputs, const State& state, Work& w) {
  const Vec3 uniform = inputs.acceleration + params.world_gravity * inputs.gravity;
  const double size = params.control_direction.norm();
  const Vec3 direction = size > 0 ? Vec3(params.control_direction / size) : Vec3::Zero();
  const bool moved = !state.acceleration.empty(), field = !inputs.field.empty();
  parallel_blocks(state.depth.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      Vec3 a = uniform;
      if (field) a += inputs.field[v];
      if (moved) a -= params.inertia * state.acceleration[v];
      if (params.control != Control::none) a += control_acceleration(params, state.depth[v]) * direction;
      const double norm = a.norm();
      if (norm > params.acceleration_limit) a *= params.acceleration_limit / norm;
      // A push is meant as hard as it is, and is over after a step: the limit is for what goes on.
      for (const Push& push : inputs.pushes) {
        const double d2 = (state.positions[v] - push.point).squaredNorm();
        a += std::exp(-d2 / (2 * push.radius * push.radius)) * push.acceleration;
      }
      w.acceleration[v] = a;
    }
  });
}

// a_n = -g + a·n and what bodies press, clamped (a positive one amplifies every ripple) and smoothed.
void split_normals(const Model& model, const Params& params, const Metric& m, bool outside, bool pressed,
                   State& to, Work& w) {
  const Complex& complex = model.complex;
  const std::size_t count = complex.vertex_count;
  const bool first = to.normal_acceleration.size() != count;
  // Implicit methods divide by it and need a floor below zero.
  const double top = is_implicit(params.method) ? -1e-2 * params.attraction : 0;
  if (first) to.normal_acceleration.assign(count, -params.attraction);
  const double sigma = first ? 0 : params.normal_smoothing;
  parallel_blocks(count, kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      double raw = -params.attraction;
      if (outside) raw += w.acceleration[v].dot(m.vertex_normal[v]);
      if (pressed) {
        double sum = 0;
        for (std::uint32_t e = complex.fan_begin[v]; e < complex.fan_begin[v + 1]; ++e) {
          const std::uint32_t f = Corner::face(complex.fan[e]);
          sum += m.area[f] * (w.pressed[f] + w.reaction[f].dot(m.vertex_normal[v]));
        }
        raw += sum / (3 * m.dual_area[v]);
      }
      w.normal_raw[v] = raw;
      w.normal[v] = (1 - sigma) * std::min(raw, top) + sigma * to.normal_acceleration[v];
      to.normal_acceleration[v] = w.normal[v];
    }
  });
}

}  // namespace

void move_mesh(const Model& model, const Params& params, const Inputs& inputs, double dt, State& to,
               Work& w) {
  if (inputs.positions.empty()) return;
  feel_motion(params, inputs, dt, to);
  measure(model.complex, to.positions, model.least_angle, w.metric);
  // What implicit methods carry along is a depth, a rate or a second derivative of one: all change alike.
  Buffer<double>* const carried[] = {&to.depth_before, &to.depth_rate, &to.depth_curvature};
  parallel_blocks(to.depth.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const double ratio = to.dual_area[v] / w.metric.dual_area[v];
      to.depth[v] *= ratio;
      for (Buffer<double>* past : carried)
        if (!past->empty()) (*past)[v] *= ratio;
      to.dual_area[v] = w.metric.dual_area[v];
    }
  });
}

void split_accelerations(const Model& model, const Params& params, const Inputs& inputs, const Metric& m,
                         State& to, Work& w) {
  const Complex& complex = model.complex;
  const bool outside = acts_from_outside(params, inputs, to), pressed = !inputs.bodies.empty();
  if (outside) sum_accelerations(params, inputs, to, w);
  split_normals(model, params, m, outside, pressed, to, w);
  const double share = params.method == Method::wang ? 1 : params.gradient_share;
  const double *acceleration = outside ? w.acceleration[0].data() : nullptr,
               *position = to.positions[0].data();
  parallel_blocks(complex.face_count, kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t f = begin; f < end; ++f) {
      const std::size_t i = complex.vertex[0][f], j = complex.vertex[1][f], k = complex.vertex[2][f];
      const double mean = (w.normal[i] + w.normal[j] + w.normal[k]) / 3;
      const Vec2 along = gradient(complex, m, w.normal, f), bed = gradient(complex, m, model.bottom, f);
      double fx = -mean * bed[0], fy = -mean * bed[1];
      if (outside || pressed) {
        double a[3] = {0, 0, 0};
        if (outside) {
          const double *ai = acceleration + 3 * i, *aj = acceleration + 3 * j, *ak = acceleration + 3 * k;
          for (int d = 0; d < 3; ++d) a[d] = (ai[d] + aj[d] + ak[d]) * (1.0 / 3);
        }
        if (pressed)
          for (int d = 0; d < 3; ++d) a[d] += w.reaction[f][d];
        // Along the edges 0-1 and 0-2, then in the frame: the edges are (length, 0) and the apex.
        const double *xi = position + 3 * i, *xj = position + 3 * j, *xk = position + 3 * k;
        double one = 0, two = 0;
        for (int d = 0; d < 3; ++d) one += a[d] * (xj[d] - xi[d]), two += a[d] * (xk[d] - xi[d]);
        const double tx = one / m.length[f];
        fx += tx, fy += (two - tx * m.apex_x[f]) / m.apex_y[f];
      }
      w.pull[f] = mean;
      w.slope_x[f] = share * along[0], w.slope_y[f] = share * along[1];
      w.force_x[f] = fx, w.force_y[f] = fy;
    }
  });
}

}  // namespace selkie::surface_water
