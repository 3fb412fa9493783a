// What looking costs: a plain WebSocket client in a process of its own takes every frame it can get from the
// viewer's server, and the same worlds run again with nobody looking. Prints CSV; `--csv FILE` also writes
// it. mesh: a waving sheet of 10,082 triangles; smoke: a changing 64³ volume; both at 60 steps a second.
// cloth: the shipped scene hanging-sheet on one thread as fast as it can. serving_share: the network thread
// plus what the world's thread spends beyond its steps, of one core. shot_us and copy_us: making a shot, and
// what copying the drawables (io::OwnedDrawable) would cost instead.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <future>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "selkie/core/parallel.h"
#include "selkie/geometry/generators.h"
#include "selkie/io/owned_drawable.h"
#include "selkie/scene/scene.h"
#include "selkie/sim/solver_system.h"
#include "selkie/view/server.h"
#include "selkie/view/session.h"
#include "tests/support/websocket_client.h"

using namespace selkie;
using Clock = std::chrono::steady_clock;

namespace {

constexpr double kSeconds = 2;  // of each measurement

struct NoParams {
  double strength = 1;
};
constexpr auto describe(NoParams*) {
  return Members{member("strength", &NoParams::strength, "", "of the motion").live()};
}

// A system that only moves what it shows.
class Mock : public sim::System {
 public:
  using System::System;
  const Type& params_type() const override { return type_of<NoParams>(); }
  void* params() override { return &params_; }
  std::vector<ArrayRef> state() override { return {}; }
  void save() override {}
  void restore() override {}
  void poison_work() override {}
  double step_limit(const sim::Environment&) override { return std::numeric_limits<double>::infinity(); }
  sim::Figures figures(const sim::Environment&) override { return {}; }
  sim::Estimate estimate() override { return {}; }

 private:
  NoParams params_;
};

class WavingMesh final : public Mock {
 public:
  WavingMesh() : Mock("mesh"), mesh_(geometry::sheet({.size = {1, 1}, .divisions = {71, 71}})) {
    positions_.assign(mesh_.positions.begin(), mesh_.positions.end());
    speed_.resize(positions_.size());
  }
  std::string_view kind() const override { return "mock"; }
  StepReport solve(const sim::Environment&, const Interval& interval) override {
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      const double phase = 7 * positions_[i].x() + 5 * interval.t1();
      positions_[i].y() = 0.1 * std::sin(phase);
      speed_[i] = std::abs(0.5 * std::cos(phase));
    }
    return {};
  }
  std::vector<ports::Drawable> drawables() override {
    ports::Drawable d;
    d.name = name();
    d.shape = ports::TriangleSurface{positions_, mesh_.triangles, {{"speed", "m/s", 1, speed_}}};
    return {d};
  }

 private:
  geometry::TriangleMesh mesh_;
  std::vector<Vec3> positions_;
  std::vector<double> speed_;
};

class Smoke final : public Mock {
 public:
  Smoke() : Mock("smoke"), density_(64 * 64 * 64) {}
  std::string_view kind() const override { return "mock"; }
  StepReport solve(const sim::Environment&, const Interval& interval) override {
    const auto t = static_cast<float>(interval.t1());
    for (std::size_t i = 0; i < density_.size(); ++i)
      density_[i] = 0.9f * density_[i] + 0.1f * static_cast<float>((i * 2654435761u >> 8) & 255) * t;
    return {};
  }
  std::vector<ports::Drawable> drawables() override {
    ports::Drawable d;
    d.name = name();
    d.look = ports::Look::smoke;
    d.shape = ports::Volume{Vec3::Zero(), 1.0 / 64, {64, 64, 64}, {{"density", "", 1, density_}}};
    return {d};
  }

 private:
  std::vector<float> density_;
};

view::Stage mock_stage(const std::string& name, std::span<const std::string>) {
  view::Stage stage{{}, sim::World({.fps = 60})};
  stage.description.scene.name = name;
  if (name != "smoke") stage.world.add(std::make_unique<WavingMesh>());
  if (name != "mesh") stage.world.add(std::make_unique<Smoke>());
  return stage;
}

view::Stage cloth_stage(const std::string&, std::span<const std::string> settings) {
  const scene::Scene scene = scene::load(SELKIE_SCENE_FOLDER "/hanging-sheet.toml", settings);
  return {scene.description, scene::build(scene)};
}

double cpu_seconds(clockid_t clock) {
  timespec t{};
  ::clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Reading {
  double wall = 0, process = 0, world = 0;  // s; world: of the thread that steps it
  double steps = 0;
};

// Taken on the thread of the world, between two steps.
Reading read_clocks(view::Runner& runner, view::Session& session) {
  std::promise<Reading> answer;
  runner.post({view::CommandKind::inputs}, [&](const view::Reply&) {
    answer.set_value({std::chrono::duration<double>(Clock::now().time_since_epoch()).count(),
                      cpu_seconds(CLOCK_PROCESS_CPUTIME_ID), cpu_seconds(CLOCK_THREAD_CPUTIME_ID),
                      std::round(session.world().time() * session.world().settings().fps)});
  });
  return answer.get_future().get();
}

Reading operator-(const Reading& a, const Reading& b) {
  return {a.wall - b.wall, a.process - b.process, a.world - b.world, a.steps - b.steps};
}

struct Received {
  double frames = 0, bytes = 0;  // bytes of the last frame: without topology
};

// The client's process: waits for port and token, then takes frames until the server closes.
[[noreturn]] void be_client(int from_parent, int to_parent) {
  struct {
    std::uint16_t port;
    char token[33];
  } where{};
  Received received;
  if (::read(from_parent, &where, sizeof where) == static_cast<ssize_t>(sizeof where)) {
    test::WebSocketClient client(where.port, test::Upgrade{where.token});
    for (int number = 1; const auto message = client.receive();) {
      if (message->opcode == test::Opcode::close) break;
      if (message->opcode != test::Opcode::binary) continue;
      received.bytes = static_cast<double>(message->data.size());
      ++received.frames;
      client.send("{\"type\": \"ack\", \"frame_number\": " + std::to_string(number++) + "}");
    }
  }
  [[maybe_unused]] const ssize_t written = ::write(to_parent, &received, sizeof received);
  ::_exit(0);
}

struct Result {
  Reading used;
  Received received;
  double client_seconds = 0;
};

Result measure(const view::StageBuilder& build, const std::string& scene, double speed, bool served) {
  int down[2], up[2];
  if (::pipe(down) != 0 || ::pipe(up) != 0) throw std::runtime_error("no pipe");
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(down[1]), ::close(up[0]);  // so that it sees the end when its parent closes
    be_client(down[0], up[1]);
  }

  view::Session session({build, scene, {}, {}, false});
  (void)session.carry_out({.kind = view::CommandKind::speed, .factor = speed});
  view::Runner runner(session);
  view::ServerOptions options;
  options.port = 0;
  view::Server server(runner, options);
  runner.start();
  struct {
    std::uint16_t port;
    char token[33];
  } where{server.port(), {}};
  std::copy_n(server.token().c_str(), 33, where.token);
  const auto begin = Clock::now();
  if (served && ::write(down[1], &where, sizeof where) < 0) throw std::runtime_error("no client");
  while (served && server.client_count() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // warm caches and buffers
  Result result;
  const Reading first = read_clocks(runner, session);
  std::this_thread::sleep_for(std::chrono::duration<double>(kSeconds));
  result.used = read_clocks(runner, session) - first;
  server.stop();
  result.client_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  runner.stop();
  for (const int end : {down[0], down[1]}) ::close(end);
  if (::read(up[0], &result.received, sizeof result.received) < 0) throw std::runtime_error("no answer");
  for (const int end : {up[0], up[1]}) ::close(end);
  ::waitpid(child, nullptr, 0);
  return result;
}

double microseconds(int repeats, const std::function<void()>& run) {
  double best = 1e30;
  for (int i = 0; i < repeats; ++i) {
    const auto begin = Clock::now();
    run();
    best = std::min(best, std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  return best;
}

void row(std::ostream& out, const std::string& name, const view::StageBuilder& build, double speed) {
  // The machine may be busy with other things: the quietest of three.
  Result alone, served;
  for (int turn = 0; turn < 3; ++turn) {
    const Result a = measure(build, name, speed, false), s = measure(build, name, speed, true);
    if (turn == 0 || a.used.world / a.used.steps < alone.used.world / alone.used.steps) alone = a;
    if (turn == 0 || s.used.world / s.used.steps < served.used.world / served.used.steps) served = s;
  }
  view::Session session({build, name, {}, {}, true});
  view::ShotMaker maker;
  const double shot = microseconds(200, [&] { session.draw(maker, *maker.begin()); });
  const double copy = microseconds(200, [&] {
    std::vector<io::OwnedDrawable> all;
    for (const auto& system : session.world().systems())
      for (const ports::Drawable& d : system->drawables()) all.emplace_back(d);
  });
  const double step_alone = alone.used.world / alone.used.steps;
  const double step_served = served.used.world / served.used.steps;
  const double network = served.used.process - served.used.world;
  const double serving = network + std::max(0.0, step_served - step_alone) * served.used.steps;
  const double rate_alone = alone.used.steps / alone.used.wall;
  const double rate_served = served.used.steps / served.used.wall;
  out << name << ',' << served.received.frames / served.client_seconds << ',' << served.received.bytes << ','
      << serving / served.used.wall << ',' << network / served.used.wall << ',' << 1e3 * step_alone << ','
      << 1e3 * step_served << ',' << rate_alone << ',' << rate_served << ','
      << 100 * (step_served / step_alone - 1) << ',' << shot << ',' << copy << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  std::string file;
  for (int i = 1; i + 1 < argc; ++i)
    if (std::string(argv[i]) == "--csv") file = argv[i + 1];
  set_thread_count(1);
  std::ostringstream out;
  out << "scene,frames_per_s,bytes_per_frame,serving_share,network_share,step_ms_alone,step_ms_served,"
         "steps_per_s_alone,steps_per_s_served,step_cpu_slowdown_percent,shot_us,copy_us\n";
  row(out, "mesh", mock_stage, 1);
  row(out, "smoke", mock_stage, 1);
  row(out, "mesh+smoke", mock_stage, 1);
  row(out, "cloth", cloth_stage, 4);
  std::cout << out.str();
  if (!file.empty()) std::ofstream(file) << out.str();
  return 0;
}
