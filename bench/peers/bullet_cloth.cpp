// Peer of pbd_bench: Bullet's soft body on the same sheet with the same links and iterations: 2 × 2 m of
// N × N nodes with one diagonal per quad and a link between any two nodes two links apart, falling over a
// ball of 0.5 m and onto a floor, 0.3 kg, 1/60 s. Prints "links median_ms fastest_ms lowest highest" of the
// second half of the steps, set-up excluded. bullet_cloth N ITERATIONS STEPS
#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void add_obstacle(btSoftRigidDynamicsWorld& world, btCollisionShape& shape, const btVector3& place) {
  btTransform transform;
  transform.setIdentity();
  transform.setOrigin(place);
  const btRigidBody::btRigidBodyConstructionInfo info(0, new btDefaultMotionState(transform), &shape);
  auto* body = new btRigidBody(info);
  body->setFriction(0.5);
  world.addRigidBody(body);
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 100, iterations = argc > 2 ? std::atoi(argv[2]) : 10;
  const int steps = argc > 3 ? std::atoi(argv[3]) : 120;
  btSoftBodyRigidBodyCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btSoftRigidDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
  world.setGravity({0, btScalar(-9.81), 0});
  btSoftBodyWorldInfo& info = world.getWorldInfo();
  info.m_gravity = {0, btScalar(-9.81), 0};
  info.m_sparsesdf.Initialize();
  btSphereShape ball(btScalar(0.5));
  btBoxShape floor({50, 1, 50});
  add_obstacle(world, ball, {0, 0, 0});
  add_obstacle(world, floor, {0, -2, 0});

  const btScalar y = btScalar(0.7);
  btSoftBody* sheet =
      btSoftBodyHelpers::CreatePatch(info, {-1, y, -1}, {1, y, -1}, {-1, y, 1}, {1, y, 1}, n, n, 0, true);
  sheet->getCollisionShape()->setMargin(btScalar(0.01));
  sheet->setTotalMass(btScalar(0.3));
  sheet->m_cfg.piterations = iterations;
  sheet->m_cfg.kDF = btScalar(0.5);
  sheet->m_cfg.collisions = btSoftBody::fCollision::SDF_RS;
  sheet->m_materials[0]->m_kLST = btScalar(0.9);
  sheet->generateBendingConstraints(2);
  world.addSoftBody(sheet);

  std::vector<double> times;
  for (int s = 0; s < steps; ++s) {
    const auto begin = std::chrono::steady_clock::now();
    world.stepSimulation(btScalar(1.0 / 60), 0);
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
    if (s >= steps / 2) times.push_back(taken.count());
  }
  std::sort(times.begin(), times.end());
  double lowest = 1e9, highest = -1e9;
  for (int i = 0; i < sheet->m_nodes.size(); ++i) {
    lowest = std::min(lowest, double(sheet->m_nodes[i].m_x.y()));
    highest = std::max(highest, double(sheet->m_nodes[i].m_x.y()));
  }
  std::printf("%d %g %g %g %g\n", sheet->m_links.size(), times[times.size() / 2], times[0], lowest, highest);
  return 0;
}
