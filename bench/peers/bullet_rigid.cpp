// Peer of rigid_bench: Bullet's sequential-impulse world with its defaults (10 iterations), friction 0.5, 1/60 s, no
// sleeping. Prints "median_ms fastest_ms lowest_m highest_m contacts deepest_m" of the measured steps, in CPU
// time of the process; contacts: points of the last step, and the deepest of them.
// bullet_rigid SCENE SETTLE MEASURE
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "rigid_boxes.h"

namespace {

double cpu_ms() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string scene = argc > 1 ? argv[1] : "pyramid";
  const int settle = argc > 2 ? std::atoi(argv[2]) : 300, measure = argc > 3 ? std::atoi(argv[3]) : 120;
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
  world.setGravity({0, btScalar(-9.81), 0});
  btBoxShape ground({100, 1, 100}), cube({btScalar(0.5), btScalar(0.5), btScalar(0.5)});
  btVector3 inertia;
  cube.calculateLocalInertia(1, inertia);
  auto add = [&](btCollisionShape& shape, double mass, const btTransform& pose) {
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(mass), new btDefaultMotionState(pose), &shape,
                                                  mass > 0 ? inertia : btVector3(0, 0, 0));
    info.m_friction = btScalar(0.5);
    auto* body = new btRigidBody(info);
    body->setActivationState(DISABLE_DEACTIVATION);
    world.addRigidBody(body);
    return body;
  };
  btTransform below;
  below.setIdentity();
  below.setOrigin({0, -1, 0});
  add(ground, 0, below);
  std::vector<btRigidBody*> bodies;
  for (const PeerBox& b : peer_boxes(scene))
    bodies.push_back(add(cube, 1,
                         btTransform(btQuaternion(btScalar(b.turn[0]), btScalar(b.turn[1]), btScalar(b.turn[2]), btScalar(b.turn[3])),
                                     btVector3(btScalar(b.position[0]), btScalar(b.position[1]), btScalar(b.position[2])))));
  std::vector<double> times;
  for (int n = 0; n < settle + measure; ++n) {
    const double begin = cpu_ms();
    world.stepSimulation(btScalar(1.0 / 60), 0);
    if (n >= settle) times.push_back(cpu_ms() - begin);
  }
  std::sort(times.begin(), times.end());
  double low = 1e9, high = -1e9;
  for (const btRigidBody* body : bodies) {
    const double y = body->getWorldTransform().getOrigin().y();
    low = std::min(low, y), high = std::max(high, y);
  }
  int contacts = 0;
  double deepest = 0;
  for (int m = 0; m < dispatcher.getNumManifolds(); ++m) {
    const btPersistentManifold& manifold = *dispatcher.getManifoldByIndexInternal(m);
    contacts += manifold.getNumContacts();
    for (int k = 0; k < manifold.getNumContacts(); ++k)
      deepest = std::max(deepest, -double(manifold.getContactPoint(k).getDistance()));
  }
  std::printf("%g %g %g %g %d %g\n", times[times.size() / 2], times[0], low, high, contacts, deepest);
}
