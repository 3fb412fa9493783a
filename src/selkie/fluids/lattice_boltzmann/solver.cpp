// See solver.h. The kernel works on rows: a row whose cells and neighbours are all gas streams without a
// test.
#include "selkie/fluids/lattice_boltzmann/solver.h"

#include <algorithm>
#include <cmath>

#include "selkie/fluids/lattice_boltzmann/lattice.h"
#include "selkie/grid/loops.h"

namespace selkie::lattice_boltzmann {
namespace {

int population_count(const grid::Shape& shape) { return shape.dims() == 2 ? D2Q9::kCount : D3Q19::kCount; }

// Lattice units of one step.
struct Units {
  double velocity;   // lattice velocity per m/s
  double viscosity;  // ν Δt/Δx²
  Vec3 force;        // per mass, lattice units
};
Units units_of(const Model& model, const Params& params, double dt) {
  const double dx = model.shape.cell_size();
  return {dt / dx, params.viscosity * dt / (dx * dx), params.acceleration * (dt * dt / dx)};
}

// Calls body with the lattice of this dimension.
template <class Body>
auto with_lattice(const Model& model, Body&& body) {
  return model.shape.dims() == 2 ? body(D2Q9{}) : body(D3Q19{});
}

// Collision of one cell, in place.
template <class Lattice, class Real>
struct Collision {
  Real viscosity, relaxation, c2, z;
  bool turbulent;
  std::array<Real, Lattice::kCount> push;  // 3 w e·G

  Collision(const Params& params, const Units& units)
      : viscosity(static_cast<Real>(units.viscosity)),
        relaxation(static_cast<Real>(1 / (3 * units.viscosity + 0.5))),
        c2(static_cast<Real>(params.turbulence * params.turbulence)),
        z(static_cast<Real>(params.turbulence_form == Smagorinsky::printed ? units.viscosity
                                                                           : 3 * units.viscosity + 0.5)),
        turbulent(params.turbulence > 0) {
    for (std::size_t q = 0; q < Lattice::kCount; ++q) {
      const auto& e = Lattice::kVelocity[q];
      push[q] = static_cast<Real>(3 * Lattice::kWeight[q] * Vec3(e[0], e[1], e[2]).dot(units.force));
    }
  }

  void operator()(std::array<Real, Lattice::kCount>& f) const {
    Real rho = 0, ux = 0, uy = 0, uz = 0;
    for (std::size_t q = 0; q < Lattice::kCount; ++q) {
      const auto& e = Lattice::kVelocity[q];
      rho += f[q], ux += Real(e[0]) * f[q], uy += Real(e[1]) * f[q], uz += Real(e[2]) * f[q];
    }
    std::array<Real, Lattice::kCount> rest;
    for (std::size_t q = 0; q < Lattice::kCount; ++q)
      rest[q] = equilibrium<Lattice, Real>(static_cast<int>(q), rho, ux, uy, uz);
    Real omega = relaxation;
    if (turbulent) {
      // Π = Σ e e (f − f_eq); S as in RT-54.
      Real xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
      for (std::size_t q = 0; q < Lattice::kCount; ++q) {
        const auto& e = Lattice::kVelocity[q];
        const Real d = f[q] - rest[q];
        xx += Real(e[0] * e[0]) * d, yy += Real(e[1] * e[1]) * d, zz += Real(e[2] * e[2]) * d;
        xy += Real(e[0] * e[1]) * d, xz += Real(e[0] * e[2]) * d, yz += Real(e[1] * e[2]) * d;
      }
      const Real norm = std::sqrt(xx * xx + yy * yy + zz * zz + 2 * (xy * xy + xz * xz + yz * yz));
      // c2 S; written so that nothing is divided by a small C.
      const Real eddy = (std::sqrt(z * z + 18 * c2 * norm) - z) / 6;
      omega = 1 / (3 * (viscosity + eddy) + Real(0.5));
    }
    for (std::size_t q = 0; q < Lattice::kCount; ++q) f[q] += omega * (rest[q] - f[q]) + push[q];
  }
};

int wrapped(int at, int count, bool periodic) {
  return !periodic ? at : at < 0 ? at + count : at >= count ? at - count : at;
}

// 6 w e·u_w for each direction and wall.
template <class Lattice, class Real>
std::vector<Real> wall_pushes(const Model& model, const Units& units) {
  std::vector<Real> pushes;
  for (std::size_t q = 0; q < Lattice::kCount; ++q)
    for (const Vec3& velocity : model.wall_velocities) {
      const auto& e = Lattice::kVelocity[q];
      pushes.push_back(
          static_cast<Real>(6 * Lattice::kWeight[q] * units.velocity * Vec3(e[0], e[1], e[2]).dot(velocity)));
    }
  return pushes;
}

// Streams and collides one row. Where a population would come out of a wall, the opposite one of the cell
// itself comes back (the wall lies half-way), with what a moving wall adds (RT-53).
template <class Lattice, class Real>
class Row {
 public:
  Row(const Model& model, const std::vector<Real>& wall_push, const Real* from, int j, int k)
      : model_(model), wall_push_(wall_push) {
    const grid::Shape& shape = model.shape;
    const auto size = static_cast<std::ptrdiff_t>(shape.size());
    own_ = from + shape.at(0, j, k);
    for (std::size_t q = 0; q < Lattice::kCount; ++q) {
      const auto& e = Lattice::kVelocity[q];
      const int y = wrapped(j - e[1], shape.cells()[1], model.periodic[1]);
      const int z = wrapped(k - e[2], shape.cells()[2], model.periodic[2]);
      const std::ptrdiff_t line = shape.at(0, y, Lattice::kDims == 3 ? z : 0);
      source_[q] = from + static_cast<std::ptrdiff_t>(q) * size + line;
      kind_[q] = model.kinds.data() + line;
    }
    size_ = size;
  }

  void gather(int i, std::array<Real, Lattice::kCount>& f) const {
    for (std::size_t q = 0; q < Lattice::kCount; ++q) {
      const int x = wrapped(i - Lattice::kVelocity[q][0], model_.shape.cells()[0], model_.periodic[0]);
      const CellKind kind = kind_[q][x];
      f[q] = kind == kGas
                 ? source_[q][x]
                 : own_[i + Lattice::kOpposite[q] * size_] +
                       wall_push_[q * model_.wall_velocities.size() + static_cast<std::size_t>(kind - 1)];
    }
  }
  void gather_gas(int i, std::array<Real, Lattice::kCount>& f) const {
    for (std::size_t q = 0; q < Lattice::kCount; ++q) f[q] = source_[q][i - Lattice::kVelocity[q][0]];
  }
  // Cells of [1, n−1) see gas only.
  bool all_gas() const {
    for (std::size_t q = 0; q < Lattice::kCount; ++q)
      if (std::any_of(kind_[q], kind_[q] + model_.shape.cells()[0],
                      [](CellKind kind) { return kind != kGas; }))
        return false;
    return true;
  }

 private:
  const Model& model_;
  const Real* own_ = nullptr;
  std::array<const Real*, Lattice::kCount> source_{};
  std::array<const CellKind*, Lattice::kCount> kind_{};
  const std::vector<Real>& wall_push_;
  std::ptrdiff_t size_ = 0;
};

template <class Lattice, class Real>
void stream_and_collide(const Model& model, const Params& params, const Units& units, const Real* from,
                        Real* to) {
  const grid::Shape& shape = model.shape;
  const auto size = static_cast<std::ptrdiff_t>(shape.size());
  const Collision<Lattice, Real> collide(params, units);
  const std::vector<Real> wall_push = wall_pushes<Lattice, Real>(model, units);
  const int n = shape.cells()[0];
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    const Row<Lattice, Real> row(model, wall_push, from, j, k);
    const std::ptrdiff_t line = shape.at(0, j, k);
    const CellKind* const kinds = model.kinds.data() + line;
    auto finish = [&](int i, std::array<Real, Lattice::kCount>& f) {
      collide(f);
      for (std::ptrdiff_t q = 0; q < Lattice::kCount; ++q)
        to[line + i + q * size] = f[static_cast<std::size_t>(q)];
    };
    auto careful = [&](int i) {
      if (kinds[i] != kGas) return;
      std::array<Real, Lattice::kCount> f;
      row.gather(i, f);
      finish(i, f);
    };
    if (!row.all_gas() || n < 3) {
      for (int i = 0; i < n; ++i) careful(i);
      return;
    }
    careful(0);
    for (int i = 1; i < n - 1; ++i) {
      std::array<Real, Lattice::kCount> f;
      row.gather_gas(i, f);
      finish(i, f);
    }
    careful(n - 1);
  });
}

// After a change of step length physical velocity stays: u → u·ratio in the equilibrium part, deviations from
// it stay.
template <class Lattice, class Real>
void rescale(const Model& model, double ratio, Real* f) {
  const grid::Shape& shape = model.shape;
  const auto size = static_cast<std::ptrdiff_t>(shape.size());
  const Real r = static_cast<Real>(ratio);
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    for (int i = 0; i < shape.cells()[0]; ++i) {
      Real* const cell = f + shape.at(i, j, k);
      Real rho = 0, ux = 0, uy = 0, uz = 0;
      for (std::size_t q = 0; q < Lattice::kCount; ++q) {
        const Real value = cell[static_cast<std::ptrdiff_t>(q) * size];
        const auto& e = Lattice::kVelocity[q];
        rho += value, ux += Real(e[0]) * value, uy += Real(e[1]) * value, uz += Real(e[2]) * value;
      }
      for (int q = 0; q < Lattice::kCount; ++q)
        cell[q * size] += equilibrium<Lattice, Real>(q, rho, r * ux, r * uy, r * uz) -
                          equilibrium<Lattice, Real>(q, rho, ux, uy, uz);
    }
  });
}

}  // namespace

Model make_model(const grid::Shape& shape, std::array<bool, 3> periodic) {
  Model model;
  model.shape = shape;
  model.periodic = periodic;
  if (shape.dims() == 2) model.periodic[2] = true;  // nothing streams along z
  model.kinds.assign(shape.size(), 1);
  model.wall_velocities = {Vec3::Zero()};
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    for (int i = 0; i < shape.cells()[0]; ++i)
      model.kinds[static_cast<std::size_t>(shape.at(i, j, k))] = kGas;
  });
  return model;
}

void set_side_velocity(Model& model, int axis, bool high, const Vec3& velocity) {
  SELKIE_CHECK(model.wall_velocities.size() < 255, "a lattice has at most 255 kinds of wall");
  model.wall_velocities.push_back(velocity);
  const auto kind = static_cast<CellKind>(model.wall_velocities.size());
  const grid::Shape& shape = model.shape;
  grid::Index lo{-1, -1, shape.dims() == 3 ? -1 : 0};
  grid::Index hi{shape.cells()[0] + 1, shape.cells()[1] + 1, shape.dims() == 3 ? shape.cells()[2] + 1 : 1};
  const auto a = static_cast<std::size_t>(axis);
  lo[a] = high ? shape.cells()[a] : -1;
  hi[a] = lo[a] + 1;
  for (int k = lo[2]; k < hi[2]; ++k)
    for (int j = lo[1]; j < hi[1]; ++j)
      for (int i = lo[0]; i < hi[0]; ++i) model.kinds[static_cast<std::size_t>(shape.at(i, j, k))] = kind;
}

void set_obstacle(Model& model, FunctionRef<double(const Vec3&)> distance) {
  const grid::Shape& shape = model.shape;
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    for (int i = 0; i < shape.cells()[0]; ++i)
      if (distance(shape.position(grid::Place::cell, i, j, k)) < 0)
        model.kinds[static_cast<std::size_t>(shape.at(i, j, k))] = 1;
  });
}

template <class Real>
State<Real> make_state(const Model& model) {
  State<Real> state;
  const auto count = static_cast<std::size_t>(population_count(model.shape));
  state.populations.assign(count * model.shape.size(), 0);
  with_lattice(model, [&](auto lattice) {
    using Lattice = decltype(lattice);
    for (std::size_t q = 0; q < Lattice::kCount; ++q)
      std::fill_n(state.populations.data() + q * model.shape.size(), model.shape.size(),
                  static_cast<Real>(Lattice::kWeight[q]));
  });
  return state;
}

double step_length(const Model& model, const Params& params) {
  return params.lattice_speed * model.shape.cell_size() / params.top_speed;
}

template <class Real>
StepReport step(const Model& model, const Params& params, Interval interval, const State<Real>& from,
                State<Real>& to) {
  // Whole ticks make steps of one length differ in their last digits; that is no change of scale.
  constexpr double kSameStep = 1e-6;
  const bool same = from.step > 0 && std::abs(interval.dt() - from.step) <= kSameStep * from.step;
  const double dt = same ? from.step : interval.dt();
  const Units units = units_of(model, params, dt);
  with_lattice(model, [&](auto lattice) {
    using Lattice = decltype(lattice);
    if (from.step == 0 || same) {
      stream_and_collide<Lattice, Real>(model, params, units, from.populations.data(), to.populations.data());
    } else {
      State<Real> scaled = from;
      rescale<Lattice, Real>(model, dt / from.step, scaled.populations.data());
      stream_and_collide<Lattice, Real>(model, params, units, scaled.populations.data(),
                                        to.populations.data());
    }
  });
  to.step = dt;
  const double mass = total_mass(model, to);
  if (!std::isfinite(mass))
    return StepReport::failure(
        "the lattice gas is no longer finite: lower lattice_speed or raise turbulence");
  return {};
}

template <class Real>
void moments(const Model& model, const Params& params, const State<Real>& state, Buffer<Real>& density,
             std::array<Buffer<Real>, 3>& velocity) {
  const grid::Shape& shape = model.shape;
  const auto size = static_cast<std::ptrdiff_t>(shape.size());
  const double dt = state.step > 0 ? state.step : step_length(model, params);
  const Units units = units_of(model, params, dt);
  density.assign(shape.size(), 0);
  for (auto& component : velocity) component.assign(shape.size(), 0);
  with_lattice(model, [&](auto lattice) {
    using Lattice = decltype(lattice);
    grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
      for (int i = 0; i < shape.cells()[0]; ++i) {
        const std::ptrdiff_t at = shape.at(i, j, k);
        if (model.kinds[static_cast<std::size_t>(at)] != kGas) continue;
        double rho = 0;
        Vec3 u = Vec3::Zero();
        for (std::size_t q = 0; q < Lattice::kCount; ++q) {
          const double f =
              state.populations[static_cast<std::size_t>(at + static_cast<std::ptrdiff_t>(q) * size)];
          const auto& e = Lattice::kVelocity[q];
          rho += f, u += f * Vec3(e[0], e[1], e[2]);
        }
        // After the collision the sum holds the whole push of this step; half of it belongs to the velocity.
        if (state.step > 0) u -= 0.5 * units.force;
        density[static_cast<std::size_t>(at)] = static_cast<Real>(rho);
        for (int a = 0; a < 3; ++a)
          velocity[static_cast<std::size_t>(a)][static_cast<std::size_t>(at)] =
              static_cast<Real>(u[a] / units.velocity);
      }
    });
  });
}

template <class Real>
void set_equilibrium(const Model& model, int i, int j, int k, double density, const Vec3& velocity, double dt,
                     State<Real>& state) {
  const Vec3 u = velocity * (dt / model.shape.cell_size());
  with_lattice(model, [&](auto lattice) {
    using Lattice = decltype(lattice);
    for (std::size_t q = 0; q < Lattice::kCount; ++q)
      state.populations[q * model.shape.size() + static_cast<std::size_t>(model.shape.at(i, j, k))] =
          equilibrium<Lattice, Real>(static_cast<int>(q), static_cast<Real>(density),
                                     static_cast<Real>(u.x()), static_cast<Real>(u.y()),
                                     static_cast<Real>(u.z()));
  });
}

template <class Real>
double total_mass(const Model& model, const State<Real>& state) {
  const grid::Shape& shape = model.shape;
  const auto count = static_cast<std::size_t>(population_count(shape));
  return grid::sum_rows(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    double sum = 0;
    const auto line = static_cast<std::size_t>(shape.at(0, j, k));
    for (std::size_t q = 0; q < count; ++q) {
      const Real* const f = state.populations.data() + q * shape.size() + line;
      for (int i = 0; i < shape.cells()[0]; ++i)
        if (model.kinds[line + static_cast<std::size_t>(i)] == kGas) sum += f[i];
    }
    return sum;
  });
}

#define SELKIE_INSTANTIATE(Real)                                                                           \
  template State<Real> make_state<Real>(const Model&);                                                     \
  template StepReport step<Real>(const Model&, const Params&, Interval, const State<Real>&, State<Real>&); \
  template void moments<Real>(const Model&, const Params&, const State<Real>&, Buffer<Real>&,              \
                              std::array<Buffer<Real>, 3>&);                                               \
  template void set_equilibrium<Real>(const Model&, int, int, int, double, const Vec3&, double,            \
                                      State<Real>&);                                                       \
  template double total_mass<Real>(const Model&, const State<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::lattice_boltzmann
