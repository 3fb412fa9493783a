// Speed of modal bodies: 1000 plates of 512 surface vertices and 20 modes that have fallen on the ground,
// stepped by 1/60 s and skinned for drawing after every step, on one and two threads. Prints CSV; `--csv
// FILE` also writes it; `--quick` takes fewer steps.
#include <chrono>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "bench/threads.h"
#include "selkie/core/parallel.h"
#include "selkie/core/random.h"
#include "selkie/geometry/generators.h"
#include "selkie/io/atomic_file.h"
#include "selkie/math/rotation.h"
#include "selkie/sim/collider.h"
#include "selkie/solids/fem/elements.h"
#include "selkie/solids/modal/skin.h"
#include "selkie/solids/modal/step.h"

using namespace selkie;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

modal::Model plate() {
  const fem::Model body =
      fem::from_tets(geometry::tet_box({Vec3(-0.2, -0.01, -0.15), Vec3(0.2, 0.01, 0.15), {15, 1, 15}}), 2000);
  const auto stiffness = fem::rest_stiffness(body, 1e9, 0.3);
  return modal::make_model({body.rest_positions, body.masses, stiffness, body.surface}, 20);
}

// Apart from one another, a little above the ground and turned at random.
modal::State scattered(const modal::Model& model, int count) {
  std::vector<Eigen::Isometry3d> poses;
  for (int n = 0; n < count; ++n) {
    RandomStream random(7, static_cast<std::uint64_t>(n));
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.linear() = rotation_from_vector(
        Vec3(random.uniform(-0.4, 0.4), random.uniform(-3, 3), random.uniform(-0.4, 0.4)));
    pose.translation() = Vec3(0.6 * (n % 32), random.uniform(0.15, 0.3), 0.6 * (n / 32));
    poses.push_back(pose);
  }
  return modal::make_state(model, poses);
}

}  // namespace

int main(int argc, char** argv) {
  int steps = 240;
  std::filesystem::path csv;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--quick") steps = 30;
    if (std::string(argv[i]) == "--csv" && i + 1 < argc) csv = argv[++i];
  }
  sim::ColliderDescription ground;
  ground.shape.emplace().plane = geometry::Plane{};
  const auto collider = sim::make_collider(ground);
  const ports::FieldSampler* colliders[] = {collider.get()};
  modal::Inputs inputs;
  inputs.colliders = colliders;
  const auto begin = Clock::now();
  const modal::Model model = plate();
  const double found = seconds_since(begin);
  std::ostringstream out;
  out << "bodies,vertices,modes,threads,seconds_for_modes,contacts_per_body,ms_step,ms_skin,steps_per_s\n";
  constexpr int kBodies = 1000;
  for (const int threads : {1, 2}) {
    bench::use_threads(threads);
    modal::State state = scattered(model, kBodies), from = state;
    modal::Work work;
    std::vector<Vec3> surface(kBodies * model.vertex_count);
    double stepping = 0, skinning = 0, contacts = 0;
    for (int n = 0; n < steps; ++n) {
      auto start = Clock::now();
      from = state;
      const StepReport report = modal::step(model, {}, inputs, {n, n + 1, 1.0 / 60}, from, state, work);
      stepping += seconds_since(start);
      contacts += report.contacts;
      start = Clock::now();
      modal::skin_all(model, state, 1, surface);
      skinning += seconds_since(start);
      if (!report.ok) {
        std::cerr << report.trouble << '\n';
        return 3;
      }
    }
    out << kBodies << ',' << model.vertex_count << ',' << model.mode_count << ',' << threads << ',' << found
        << ',' << contacts / steps / kBodies << ',' << 1e3 * stepping / steps << ',' << 1e3 * skinning / steps
        << ',' << steps / (stepping + skinning) << '\n';
  }
  std::cout << out.str();
  if (!csv.empty()) io::write_file_atomically(csv, out.str());
  return 0;
}
