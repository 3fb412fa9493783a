// Peer of rigid_bench: ODE's iterative solver (QuickStep, 20 iterations, its default) on the same boxes, friction 0.5,
// 1/60 s. Prints "median_ms fastest_ms lowest_m highest_m contacts deepest_m" of the measured steps, in CPU time of the process.
// ode_rigid SCENE SETTLE MEASURE
#include <ode/ode.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "rigid_boxes.h"

namespace {

dWorldID g_world;
dJointGroupID g_contacts;
int g_count = 0;       // points of a step
double g_deepest = 0;  // m

void near(void*, dGeomID a, dGeomID b) {
  dContact contacts[8];
  const int count = dCollide(a, b, 8, &contacts[0].geom, sizeof(dContact));
  g_count += count;
  for (int i = 0; i < count; ++i) {
    g_deepest = std::max(g_deepest, double(contacts[i].geom.depth));
    contacts[i].surface.mode = dContactApprox1;
    contacts[i].surface.mu = 0.5;
    dJointAttach(dJointCreateContact(g_world, g_contacts, &contacts[i]), dGeomGetBody(a), dGeomGetBody(b));
  }
}

double cpu_ms() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string scene = argc > 1 ? argv[1] : "pyramid";
  const int settle = argc > 2 ? std::atoi(argv[2]) : 300, measure = argc > 3 ? std::atoi(argv[3]) : 120;
  dInitODE2(0);
  dAllocateODEDataForThread(dAllocateMaskAll);
  g_world = dWorldCreate();
  const dSpaceID space = dHashSpaceCreate(nullptr);
  g_contacts = dJointGroupCreate(0);
  dWorldSetGravity(g_world, 0, dReal(-9.81), 0);
  dWorldSetQuickStepNumIterations(g_world, 20);
  dWorldSetContactSurfaceLayer(g_world, dReal(0.001));
  dCreatePlane(space, 0, 1, 0, 0);
  dMass mass;
  dMassSetBoxTotal(&mass, 1, 1, 1, 1);
  std::vector<dBodyID> bodies;
  for (const PeerBox& b : peer_boxes(scene)) {
    const dBodyID body = dBodyCreate(g_world);
    dBodySetPosition(body, dReal(b.position[0]), dReal(b.position[1]), dReal(b.position[2]));
    const dQuaternion q = {dReal(b.turn[3]), dReal(b.turn[0]), dReal(b.turn[1]), dReal(b.turn[2])};
    dBodySetQuaternion(body, q);
    dBodySetMass(body, &mass);
    dGeomSetBody(dCreateBox(space, 1, 1, 1), body);
    bodies.push_back(body);
  }
  std::vector<double> times;
  for (int n = 0; n < settle + measure; ++n) {
    const double begin = cpu_ms();
    g_count = 0, g_deepest = 0;
    dSpaceCollide(space, nullptr, near);
    dWorldQuickStep(g_world, dReal(1.0 / 60));
    dJointGroupEmpty(g_contacts);
    if (n >= settle) times.push_back(cpu_ms() - begin);
  }
  std::sort(times.begin(), times.end());
  double low = 1e9, high = -1e9;
  for (const dBodyID body : bodies) {
    const double y = dBodyGetPosition(body)[1];
    low = std::min(low, y), high = std::max(high, y);
  }
  std::printf("%g %g %g %g %d %g\n", times[times.size() / 2], times[0], low, high, g_count, g_deepest);
}
