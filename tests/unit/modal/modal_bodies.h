// Bodies for the modal tests, with their stiffness from the finite elements.
#pragma once

#include <memory>
#include <vector>

#include "selkie/geometry/generators.h"
#include "selkie/solids/fem/elements.h"
#include "selkie/solids/modal/diagnostics.h"
#include "selkie/solids/modal/step.h"

namespace selkie::modal::test {

struct Material {
  double young = 1e6, poisson = 0.3, density = 1000;
};

inline fem::Model elements(const geometry::TetMesh& mesh, const Material& m = {}) {
  return fem::from_tets(mesh, m.density);
}

inline Model modes_of(const fem::Model& body, std::size_t count, const Material& m = {},
                      std::span<const std::uint8_t> pinned = {}) {
  const linalg::BlockSparseSymmetric<3> stiffness = fem::rest_stiffness(body, m.young, m.poisson);
  return make_model({body.rest_positions, body.masses, stiffness, body.surface, pinned}, count);
}

inline geometry::TetMesh plate(int n = 4, double size = 0.4, double thickness = 0.05) {
  return geometry::tet_box(
      {Vec3(-size / 2, -thickness / 2, -0.4 * size), Vec3(size / 2, thickness / 2, 0.4 * size), {n, 1, n}});
}

// The solid below y = 0.
class Floor final : public ports::FieldSampler {
 public:
  ports::FieldSample sample(const Vec3& x, double) const override {
    return {x.y() - height, Vec3::UnitY(), velocity};
  }
  double height = 0;
  Vec3 velocity = Vec3::Zero();
};

// A few bodies and their surroundings.
struct Arena {
  Model model;
  State state;
  Params params;
  Floor floor;
  bool with_floor = true;
  Vec3 gravity{0, -9.81, 0};
  std::vector<PointLoad> loads;
  double dt = 1.0 / 120;
  Tick tick = 0;
  Work work;
  StepReport report;

  Arena(Model m, std::vector<Eigen::Isometry3d> poses)
      : model(std::move(m)), state(make_state(model, poses)) {}

  bool step() {
    const ports::FieldSampler* colliders[] = {&floor};
    Inputs inputs;
    inputs.gravity = gravity;
    inputs.loads = loads;
    if (with_floor) inputs.colliders = colliders;
    const State from = state;
    report = modal::step(model, params, inputs, {tick, tick + 1, dt}, from, state, work);
    ++tick;
    return report.ok;
  }
  bool run(double seconds) {
    for (int n = 0; n < seconds / dt - 0.5; ++n)
      if (!step()) return false;
    return true;
  }
  double energy() const { return diagnose(model, params, gravity, state).total_energy(); }
};

inline Eigen::Isometry3d at(const Vec3& place, const Vec3& turn = Vec3::Zero()) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translation() = place;
  if (turn.norm() > 0) pose.linear() = Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix();
  return pose;
}

}  // namespace selkie::modal::test
