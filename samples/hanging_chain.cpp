// A chain of stiff springs hangs from its two ends and comes to rest; its sag is compared with the catenary.
// The solver is used by itself: a Model, Params, a State, Work, and a loop over mass_spring::step.
//
// An inextensible chain of length L over a span S hangs as y = a cosh(x / a), with a from
// 2a sinh(S / 2a) = L, and sags by a (cosh(S / 2a) − 1). Ours stretches a little (about 0.01 %) and has
// corners, which costs a share of order 1/n² with n links.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "selkie/solids/mass_spring/diagnostics.h"
#include "selkie/solids/mass_spring/step.h"

namespace {

constexpr double kSpan = 1, kLength = 1.5;  // m
constexpr int kLinks = 150;
constexpr double kDensity = 0.1;  // kg/m
constexpr double kStep = 1.0 / 60;
constexpr int kMostSteps = 3600;
constexpr double kAtRest = 1e-6;  // m/s

double catenary_sag() {
  // The length of the curve falls as a grows, so bisection brackets the one solution.
  double low = 0.05 * kSpan, high = 100 * kSpan;
  for (int i = 0; i < 100; ++i) {
    const double a = (low + high) / 2;
    (2 * a * std::sinh(kSpan / (2 * a)) > kLength ? low : high) = a;
  }
  return low * (std::cosh(kSpan / (2 * low)) - 1);
}

// The chain pulled straight down in its middle: a V of the right length.
selkie::geometry::SegmentMesh folded_chain() {
  const double depth = std::sqrt(kLength * kLength - kSpan * kSpan) / 2;
  selkie::geometry::SegmentMesh mesh;
  for (int i = 0; i <= kLinks; ++i) {
    const double s = static_cast<double>(i) / kLinks;
    mesh.positions.emplace_back(s * kSpan, -depth * (1 - std::abs(2 * s - 1)), 0);
    if (i > 0) mesh.segments.push_back({static_cast<std::uint32_t>(i - 1), static_cast<std::uint32_t>(i)});
  }
  return mesh;
}

}  // namespace

int main() {
  namespace ms = selkie::mass_spring;
  const selkie::geometry::SegmentMesh mesh = folded_chain();
  const ms::Model model = ms::from_segments(mesh, kDensity);

  ms::Params params;
  params.integrator = ms::Integrator::implicit_euler;
  params.stiffness = 1e6;  // N/m for each link of 1 cm
  params.drag = 2;         // 1/s: comes to rest within seconds

  ms::State now = ms::make_state(model, mesh.positions);
  ms::pin(now, 0);
  ms::pin(now, kLinks);

  // A step reads `now` and writes `next`, which starts as its copy; nothing is lost when a step fails.
  ms::State next = now;
  ms::Work work;
  const ms::Inputs inputs;  // gravity alone
  int steps = 0;
  double speed = 0;
  do {
    const selkie::Interval interval{steps, steps + 1, kStep};
    next = now;
    const selkie::StepReport report = ms::step(model, params, inputs, interval, now, next, work);
    if (!report.ok) {
      std::printf("step %d failed: %s\n", steps, report.trouble.c_str());
      return 1;
    }
    now = next;
    speed = ms::diagnose(model, params, inputs.gravity, now).max_speed;
    ++steps;
  } while (speed > kAtRest && steps < kMostSteps);

  double lowest = 0;
  for (const selkie::Vec3& x : now.positions) lowest = std::min(lowest, x.y());
  const double sag = -lowest, exact = catenary_sag();
  const double stretch = ms::diagnose(model, params, inputs.gravity, now).max_stretch;
  std::printf("%d links, %d steps of 1/60 s, largest speed left %.1e m/s, largest stretch %.2e\n", kLinks,
              steps, speed, stretch);
  std::printf("sag %.6f m, catenary %.6f m, difference %+.4f %%\n", sag, exact, 100 * (sag / exact - 1));
  return std::abs(sag / exact - 1) < 1e-3 && speed <= kAtRest ? 0 : 1;
}
