// Exact facts of the transfers between particles and grid (LE-10 … LE-13) [Jiang15].
#include <fmt/format.h>

#include <cmath>

#include "selkie/studies/liquid_cases.h"

namespace selkie::studies::liquid_cases {
namespace {

// A disc (ball) of particles with a velocity of their own; only transfers happen to it.
struct Cloud {
  Tank<double> tank;
  explicit Cloud(int dims, liquid::Transfer transfer, liquid::Kernel kernel,
                 FunctionRef<Vec3(const Vec3&)> velocity)
      : tank{[&] {
          liquid::Model model;
          const int cells = dims == 2 ? 32 : 16;
          model.shape = grid::Shape(dims, {cells, cells, cells}, 1.0 / cells);
          return model;
        }(), [&] {
          liquid::Params params;
          params.transfer = transfer;
          params.kernel = kernel;
          params.flip_share = 1;
          return params;
        }()} {
    const Vec3 middle(0.5, 0.5, dims == 3 ? 0.5 : 0);
    tank.fill([&](const Vec3& x) { return (x - middle).norm() < 0.3; }, velocity);
    if (transfer == liquid::Transfer::apic)
      tank.state.particles.affine.assign(tank.state.particles.size(),
                                         liquid::Particles<double>::Affine::Zero());
    for (auto& change : tank.work.flow.change) change.assign(tank.model.shape.size(), 0.0);
  }
  // To the grid and back, nothing else.
  void cycle() {
    liquid::to_grid(tank.model, tank.params, tank.state.particles, tank.work.ranges, tank.state,
                    tank.work.transfer);
    for (int axis = 0; axis < tank.model.shape.dims(); ++axis)
      liquid::fill_ghosts(tank.model.shape, grid::face_place(axis),
                          *tank.state.velocity()[static_cast<std::size_t>(axis)]);
    liquid::to_particles(tank.model, tank.params, tank.work.flow.change, tank.state);
  }
  double kinetic() const {
    return liquid::energy(tank.model, tank.params, Vec3::Zero(), tank.state).kinetic;
  }
  // About the middle, along z, per particle mass; the affine part is what a particle's own patch holds.
  double spin() const {
    const auto& p = tank.state.particles;
    const double dx = tank.model.shape.cell_size();
    const double patch = tank.params.kernel == liquid::Kernel::quadratic ? dx * dx / 4 : 0;
    return deterministic_sum(p.size(), [&](std::size_t n) {
      const Vec3 x = liquid::world_of(tank.model.shape, liquid::place_of(p, n)) - Vec3(0.5, 0.5, 0);
      double sum = x.x() * p.v[n] - x.y() * p.u[n];
      if (!p.affine.empty()) sum += patch * (p.affine[n][3] - p.affine[n][1]);
      return sum;
    });
  }
};

std::string name_of(liquid::Transfer transfer) {
  return transfer == liquid::Transfer::pic ? "pic" : transfer == liquid::Transfer::flip ? "flip" : "apic";
}

}  // namespace

Table transfer_table() {
  Table table{"Transfers alone: particles to grid and back, ten times",
              {"what", "dims", "transfer", "kernel", "measured", "expected"},
              {}};
  using liquid::Kernel, liquid::Transfer;
  auto row = [&](std::string what, int dims, Transfer transfer, Kernel kernel, double measured,
                 std::string expected, bool pass) {
    table.rows.push_back({{std::move(what), std::to_string(dims), name_of(transfer),
                           kernel == Kernel::hat ? "hat" : "quadratic", number(measured), std::move(expected)},
                          pass});
  };
  for (const int dims : {2, 3})
    for (const Kernel kernel : {Kernel::hat, Kernel::quadratic})
      for (const Transfer transfer : {Transfer::pic, Transfer::flip, Transfer::apic}) {
        auto energy_kept = [&](FunctionRef<Vec3(const Vec3&)> velocity) {
          Cloud cloud(dims, transfer, kernel, velocity);
          const double before = cloud.kinetic();
          for (int n = 0; n < 10; ++n) cloud.cycle();
          return cloud.kinetic() / before;
        };
        const double uniform = energy_kept([](const Vec3&) { return Vec3(1, -2, 0.5); });
        row("energy of uniform motion", dims, transfer, kernel, uniform, "1", std::abs(uniform - 1) < 1e-12);
        // A shear layer of a wave length of eight cells: PIC filters it, FLIP does not touch it.
        const double k = 2 * M_PI / (8.0 / (dims == 2 ? 32 : 16));
        const double shear = energy_kept([&](const Vec3& x) { return Vec3(std::sin(k * x.y()), 0, 0); });
        if (transfer == Transfer::pic) row("energy of shear", dims, transfer, kernel, shear, "< 0.6", shear < 0.6);
        if (transfer == Transfer::flip) row("energy of shear", dims, transfer, kernel, shear, "1, to the bit", shear == 1);
        if (transfer == Transfer::apic) {
          Cloud pic(dims, Transfer::pic, kernel, [&](const Vec3& x) { return Vec3(std::sin(k * x.y()), 0, 0); });
          const double before = pic.kinetic();
          for (int n = 0; n < 10; ++n) pic.cycle();
          const double by_pic = pic.kinetic() / before;
          row("energy of shear", dims, transfer, kernel, shear, "> pic's " + number(by_pic),
              shear > by_pic && shear <= 1 + 1e-12);
        }
        Cloud turning(dims, transfer, kernel,
                      [](const Vec3& x) { return Vec3(-(x.y() - 0.5), x.x() - 0.5, 0); });
        turning.cycle();  // APIC learns its gradients
        const double spin = turning.spin();
        for (int n = 0; n < 9; ++n) turning.cycle();
        const double kept = turning.spin() / spin;
        if (transfer == Transfer::pic) row("angular momentum", dims, transfer, kernel, kept, "< 1", kept < 1 - 1e-3);
        if (transfer == Transfer::flip) row("angular momentum", dims, transfer, kernel, kept, "1, to the bit", kept == 1);
        if (transfer == Transfer::apic && kernel == Kernel::quadratic)
          row("angular momentum", dims, transfer, kernel, kept, "1", std::abs(kept - 1) < 1e-10);
        if (transfer == Transfer::apic && kernel == Kernel::hat)
          row("angular momentum", dims, transfer, kernel, kept, "within 1 %", std::abs(kept - 1) < 0.01);
      }
  table.note = "APIC keeps angular momentum exactly where the particle's inertia is the same everywhere, which "
               "quadratic kernels have and hats have not [Jiang15 §5.2–5.3].";
  return table;
}

}  // namespace selkie::studies::liquid_cases
