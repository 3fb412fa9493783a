// Bullet's explicit finite elements on the block of fem_bench, for comparison on the same machine in the same
// run: `bullet_fem CELLS REPEATS` prints the number of tetrahedra, the best time of one pass over the
// elements (deformation gradients, then elastic forces of the stable Neo-Hookean law) and the mean time of a
// whole explicit step without collisions, in seconds. Bullet as Debian builds it: single precision, one
// thread.
#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableGravityForce.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btDeformableNeoHookeanForce.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "selkie/geometry/generators.h"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

btSoftBody* make_body(btSoftBodyWorldInfo& info, int cells) {
  using selkie::Vec3;
  const auto mesh = selkie::geometry::tet_box({Vec3::Zero(), Vec3(1, 1, 1), {cells, cells, cells}});
  std::vector<btVector3> x;
  for (const Vec3& p : mesh.positions) x.emplace_back(btScalar(p.x()), btScalar(p.y()), btScalar(p.z()));
  auto* body = new btSoftBody(&info, static_cast<int>(x.size()), x.data(), nullptr);
  for (const auto& tet : mesh.tets)
    body->appendTetra(static_cast<int>(tet[0]), static_cast<int>(tet[1]), static_cast<int>(tet[2]),
                      static_cast<int>(tet[3]));
  body->setTotalMass(1000);
  body->initializeDmInverse();
  body->m_tetraScratches.resize(body->m_tetras.size());
  body->m_tetraScratchesTn.resize(body->m_tetras.size());
  for (int i = 0; i < body->m_nodes.size(); ++i) {
    btSoftBody::Node& node = body->m_nodes[i];
    node.index = i;
    const Vec3& p = mesh.positions[static_cast<std::size_t>(i)];
    const Vec3 moved = p + 0.02 * Vec3(std::sin(7 * p.y()), std::sin(9 * p.z()), std::sin(8 * p.x()));
    node.m_q = node.m_x = btVector3(btScalar(moved.x()), btScalar(moved.y()), btScalar(moved.z()));
  }
  return body;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bullet_fem CELLS REPEATS\n");
    return 2;
  }
  const int cells = std::atoi(argv[1]), repeats = std::atoi(argv[2]);
  btSoftBodyRigidBodyCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broadphase;
  btDeformableBodySolver deformable;
  btDeformableMultiBodyConstraintSolver solver;
  solver.setDeformableSolver(&deformable);
  btDeformableMultiBodyDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration, &deformable);
  world.setImplicit(false);
  world.setGravity({0, 0, 0});
  btSoftBodyWorldInfo& info = world.getWorldInfo();
  info.m_dispatcher = &dispatcher;
  info.m_broadphase = &broadphase;
  info.m_sparsesdf.Initialize();

  btSoftBody* body = make_body(info, cells);
  // E = 1e5 Pa, ν = 0.3, no damping.
  btDeformableNeoHookeanForce law(btScalar(38461.5), btScalar(57692.3), 0);
  law.addSoftBody(body);
  btAlignedObjectArray<btVector3> forces;
  forces.resize(body->m_nodes.size(), btVector3(0, 0, 0));
  double best = std::numeric_limits<double>::infinity();
  for (int n = 0; n < repeats; ++n) {
    const auto begin = Clock::now();
    body->updateDeformation();
    law.addScaledElasticForce(btScalar(1e-5), forces);
    best = std::min(best, seconds_since(begin));
  }

  body->m_cfg.collisions = 0;
  body->m_sleepingThreshold = 0;
  world.addSoftBody(body);
  world.addForce(body, new btDeformableNeoHookeanForce(btScalar(38461.5), btScalar(57692.3), 0));
  const int steps = std::max(2, repeats / 10);
  world.stepSimulation(btScalar(1e-5), 0);
  const auto begin = Clock::now();
  for (int n = 0; n < steps; ++n) world.stepSimulation(btScalar(1e-5), 0);
  std::printf("%d %.9g %.9g\n", body->m_tetras.size(), best, seconds_since(begin) / steps);
  std::fflush(stdout);
  std::_Exit(0);  // the world and its body would take each other apart twice
}
