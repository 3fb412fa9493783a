// Speed of rigid bodies: a pyramid of 1015 boxes and a pile of 1000, after settling and without sleep, beside Bullet
// and ODE on the same boxes in the same run; and bodies that fall apart, from a thousand to fifty thousand. One
// thread is timed in CPU time, which a busy machine hardly changes; two threads against one by the clock. Every row
// states its parameters. Prints CSV; `--csv FILE` also writes it.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "bench/peers/rigid_boxes.h"
#include "selkie/core/parallel.h"
#include "selkie/io/atomic_file.h"
#include "selkie/solids/rigid/queries.h"
#include "selkie/solids/rigid/step.h"

using namespace selkie;

namespace {

struct Timing {
  double median = 0, fastest = 0, lowest = 0, highest = 0;  // ms, m
  double arithmetic = 0;                                    // ms, median: a loop that only computes, see yardstick()
  int contacts = 0;                                         // points of the last step
  double deepest = 0;                                       // m, of those
};

double cpu_ms() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}
double clock_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What the machine's second thread gives a loop without memory or hand-overs: on a shared machine less than two.
double yardstick(double (*now)()) {
  std::array<double, 64> kept{};
  const double begin = now();
  parallel_blocks(kept.size(), 1, [&](std::size_t b, std::size_t) {
    std::array<double, 32> x;
    x.fill(1 + 1e-3 * static_cast<double>(b));
    for (int n = 0; n < 4000; ++n)
      for (double& v : x) v = v * 0.999999 + 1e-6;
    for (const double v : x) kept[b] += v;
  });
  const double taken = now() - begin;
  for (const double v : kept)
    if (!(v > 0)) std::abort();
  return taken;
}

rigid::State make_boxes(const std::string& scene) {
  rigid::State state;
  rigid::Body floor;
  floor.shape = rigid::Shape::plane;
  floor.half_size = Vec3::Ones(), floor.role = rigid::Role::fixed;
  rigid::add(state, floor);
  for (const PeerBox& b : peer_boxes(scene)) {
    rigid::Body box;
    box.shape = rigid::Shape::box;
    box.half_size = Vec3::Constant(0.5), box.density = 1;
    box.position = Vec3(b.position[0], b.position[1], b.position[2]);
    box.orientation = Quat(b.turn[3], b.turn[0], b.turn[1], b.turn[2]);
    rigid::add(state, box);
  }
  return state;
}

// As much as docs/methods/rigid.md recommends at most.
constexpr double kContactRate = 0.2;

// Fastest and median step after `settle` steps, for each of the numbers of threads. They take turns within one run,
// whose bits do not depend on them, so that a machine that slows down does so for all; what follows a change of threads
// is left out: the system may need some 50 ms to move a new thread to a core of its own.
std::vector<Timing> time_own(rigid::State state, int substeps, int settle, int measure, std::span<const int> threads,
                             double (*now)()) {
  constexpr int kTurn = 60, kLeftOut = 30;
  rigid::Params params;
  params.sleeping = false;
  params.substeps = substeps;
  params.restitution = 0;
  params.contact_rate = kContactRate;
  rigid::Work work;
  rigid::State from = state;
  int n = 0;
  auto step = [&] {
    from = state;
    const double begin = now();
    if (!rigid::step({}, params, {}, {n, n + 1, 1.0 / 60}, from, state, work).ok) std::abort();
    ++n;
    return now() - begin;
  };
  while (n < settle) step();
  std::vector<std::vector<double>> times(threads.size()), arithmetic(threads.size());
  while (static_cast<int>(times.back().size()) < measure)
    for (std::size_t t = 0; t < threads.size(); ++t) {
      set_thread_count(threads[t]);
      for (int k = 0; k < kTurn; ++k)
        if (const double taken = step(); k >= kLeftOut) times[t].push_back(taken);
      for (int k = 0; k < 3; ++k) arithmetic[t].push_back(yardstick(now));
    }
  std::vector<Timing> timings;
  for (std::size_t t = 0; t < threads.size(); ++t) {
    std::vector<double>& list = times[t];
    std::sort(list.begin(), list.end());
    std::sort(arithmetic[t].begin(), arithmetic[t].end());
    Timing timing{list[list.size() / 2], list[0], 1e9, -1e9, arithmetic[t][arithmetic[t].size() / 2], 0,
                  rigid::diagnose(state, Vec3(0, -9.81, 0)).deepest};
    for (const rigid::TouchPair& pair : state.contact_pairs) timing.contacts += static_cast<int>(pair[2]);
    for (std::size_t i = 1; i < state.count(); ++i)
      timing.lowest = std::min(timing.lowest, state.positions[i].y()),
      timing.highest = std::max(timing.highest, state.positions[i].y());
    timings.push_back(timing);
  }
  return timings;
}

Timing time_peer(const char* program, const std::string& scene, int settle, int measure) {
  Timing timing;
  const std::string command =
      std::string(program) + " " + scene + " " + std::to_string(settle) + " " + std::to_string(measure);
  if (FILE* pipe = popen(command.c_str(), "r")) {
    if (std::fscanf(pipe, "%lf %lf %lf %lf %d %lf", &timing.median, &timing.fastest, &timing.lowest, &timing.highest,
                    &timing.contacts, &timing.deepest) != 6)
      timing = {};
    pclose(pipe);
  }
  return timing;
}

// The pile comes down as towers, which take long to fall: after 25 s it lies still.
int settling_steps(const std::string& scene) { return scene == "pile" ? 1500 : 300; }
// Parts of a step with which the deepest contact at rest is no deeper than Bullet's: single edges carry much of a pile.
int parts_of(const std::string& scene) { return scene == "pile" ? 8 : 5; }

void peer_table(std::ostream& out, int measure) {
  out << "scene,engine,threads,substeps,iterations,contact_rate,median_ms,fastest_ms,lowest_m,highest_m,contacts,"
         "deepest_m,bullet_over_this\n";
  for (const std::string scene : {"pyramid", "pile"}) {
    Timing bullet;
    const int settle = settling_steps(scene), parts = parts_of(scene);
    // `parameters`: substeps, iterations and contact_rate; of the peers what they call so.
    auto row = [&](const char* engine, int threads, const std::string& parameters, const Timing& t, double faster) {
      out << scene << ',' << engine << ',' << threads << ',' << parameters << ',' << t.median << ',' << t.fastest << ','
          << t.lowest << ',' << t.highest << ',' << t.contacts << ',' << t.deepest << ',' << faster << '\n';
    };
    std::ostringstream own_parameters;
    own_parameters << parts << ',' << rigid::Params{}.iterations << ',' << kContactRate;
#ifdef SELKIE_BULLET_PEER
    bullet = time_peer(SELKIE_BULLET_PEER, scene, settle, measure);
    row("bullet", 1, "1,10,", bullet, 1);
#endif
#ifdef SELKIE_ODE_PEER
    const Timing ode = time_peer(SELKIE_ODE_PEER, scene, settle, measure);
    row("ode", 1, "1,20,", ode, bullet.median / ode.median);
#endif
    const rigid::State start = make_boxes(scene);
    const Timing own = time_own(start, parts, settle, measure, std::array{1}, cpu_ms)[0];
    row("selkie (CPU time)", 1, own_parameters.str(), own, bullet.median / own.median);
    const std::vector<Timing> by_clock = time_own(start, parts, settle, measure, std::array{1, 2}, clock_ms);
    const Timing &one = by_clock[0], &two = by_clock[1];
    row("selkie (clock)", 1, own_parameters.str(), one, bullet.median / one.median);
    row("selkie (clock)", 2, own_parameters.str(), two, bullet.median / two.median);
    out << scene << ",two threads over one,2," << own_parameters.str() << ',' << one.median / two.median << ','
        << one.fastest / two.fastest << ",,,,,\n"
        << scene << ",two threads over one in arithmetic alone,2,,,," << one.arithmetic / two.arithmetic << ",,,,,,\n";
  }
}

// Boxes in a loose grid that fly away from each other; their speed grows with their distance from the middle, so more
// bodies are also faster ones. The last row is the exponent of a straight line through the logarithms.
void scaling_table(std::ostream& out) {
  constexpr int kParts = 4;
  out << "\nbodies,substeps,contact_rate,median_ms,us_per_body,per_n_log_n\n";
  double first = 0;
  double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  const std::vector<int> counts = {1000, 2000, 5000, 10000, 20000, 50000};
  for (const int count : counts) {
    rigid::State state;
    const int side = static_cast<int>(std::ceil(std::cbrt(count)));
    for (int n = 0; n < count; ++n) {
      rigid::Body box;
      box.shape = rigid::Shape::box;
      box.half_size = Vec3::Constant(0.3), box.density = 1;
      box.position = Vec3(n % side, n / side % side, n / side / side) - Vec3::Constant(0.5 * side);
      box.velocity = 0.5 * box.position;
      rigid::add(state, box);
    }
    const Timing t = time_own(std::move(state), kParts, 5, 15, std::array{1}, cpu_ms)[0];
    const double rate = t.median / (count * std::log2(count));
    if (first == 0) first = rate;
    out << count << ',' << kParts << ',' << kContactRate << ',' << t.median << ',' << 1e3 * t.median / count << ','
        << rate / first << '\n';
    const double x = std::log(count), y = std::log(t.median);
    sum_x += x, sum_y += y, sum_xx += x * x, sum_xy += x * y;
  }
  const auto n = static_cast<double>(counts.size());
  out << "exponent,,," << (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x * sum_x) << ",,\n";
}

}  // namespace

int main(int argc, char** argv) {
  std::filesystem::path csv;
  for (int i = 1; i < argc; ++i)
    if (std::string(argv[i]) == "--csv" && i + 1 < argc) csv = argv[++i];
  std::ostringstream text;
  peer_table(text, 120);
  scaling_table(text);
  std::cout << text.str();
  if (!csv.empty()) io::write_file_atomically(csv, text.str());
  return 0;
}
