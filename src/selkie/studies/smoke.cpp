// See smoke.h.
#include "selkie/studies/smoke.h"

#include <fmt/format.h>

#include "selkie/studies/smoke_cases.h"

namespace selkie::studies {
namespace smoke_cases {

std::string number(double value) { return fmt::format("{:.4g}", value); }

void Gas::advance(double dt) {
  next = state;
  const StepReport report =
      smoke::step<double>(model, params, inputs, {tick, tick + 1, dt}, state, next, work);
  ok = ok && report.ok;
  std::swap(state, next);
  ++tick;
}

Vec3 Gas::velocity_at(const Vec3& point) const {
  return grid::velocity_at<double>(model.shape, smoke::velocity_views(model, state), point);
}

}  // namespace smoke_cases

StudyResult smoke(const StudyOptions& options) {
  using namespace smoke_cases;
  const std::vector<int> sizes =
      options.full ? std::vector<int>{32, 64, 128, 256} : std::vector<int>{32, 64, 128};
  const int cells = options.full ? 256 : 128;
  return {{taylor_green_table(sizes, true), cavity_table(cells, 100), cavity_table(cells, 1000),
           vortex_table(), confinement_table(), explosion_table(), shear_wave_table(), channel_table(),
           cavity_stability_table(20000),
           ring_table(options.full ? std::vector<int>{32, 48, 64, 96} : std::vector<int>{32, 48}),
           ring_energy_table(options.full ? 64 : 32)}};
}

}  // namespace selkie::studies
