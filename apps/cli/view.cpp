// `selkie view`: a scene or a finished run in a browser. Prints the address and serves until it is
// interrupted.
#include "selkie/core/log.h"
#include "selkie/io/atomic_file.h"
#include "selkie/view/playback.h"
#include "selkie/view/server.h"
#include "selkie/view/session.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <future>
#include <thread>

#include "commands.h"
#include "selkie/core/error.h"
#include "shipped_scenes.h"
#include "terminal.h"

namespace selkie::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

std::vector<view::SceneChoice> choices() {
  std::vector<view::SceneChoice> all;
  for (const ShippedScene& scene : shipped_scenes()) all.push_back({scene.name, scene.about});
  return all;
}

view::Stage build_stage(const std::string& name, std::span<const std::string> settings) {
  const scene::Scene scene = scene::load(find_scene(name), settings);
  return {scene.description, scene::build(scene)};
}

std::unique_ptr<view::Source> open_source(const ViewOptions& options) {
  std::error_code error;
  if (!fs::is_directory(options.scene, error))
    return std::make_unique<view::Session>(
        view::SessionOptions{build_stage, options.scene, options.settings, choices(), options.paused});
  if (!options.settings.empty())
    throw InputError("--set does not change a finished run", "leave it out, or view the scene itself");
  if (!options.record.empty())
    throw InputError("a finished run takes no input to record", "leave out --record");
  return std::make_unique<view::Playback>(options.scene, options.paused);
}

// The log with the command that replays it as a comment. Written only when it has changed.
class Recorder {
 public:
  explicit Recorder(std::string file) : file_(std::move(file)) {}

  void write(const view::Recording& recording) {
    std::string text = "# selkie run " + recording.scene + " --inputs FILE";
    for (const std::string& setting : recording.settings) text += " --set '" + setting + "'";
    text += "\n" + recording.toml;
    if (file_.empty() || text == written_) return;
    io::write_file_atomically(file_, text);
    written_ = std::move(text);
  }

 private:
  std::string file_, written_;
};

// Asks the world for its log between two steps; nothing when it is busy for long.
void record_now(view::Runner& runner, view::Session& session, Recorder& recorder) {
  auto answered = std::make_shared<std::promise<view::Recording>>();
  std::future<view::Recording> log = answered->get_future();
  runner.post({view::CommandKind::inputs}, [answered, &session](const view::Reply& reply) {
    if (reply.ok) answered->set_value(session.recording());  // on the thread of the world
  });
  if (log.wait_for(milliseconds(2000)) == std::future_status::ready) recorder.write(log.get());
}

void print_address(const CommonOptions& common, const view::Server& server) {
  if (common.json) {
    Value line;
    line["event"].data = std::string("listening");
    line["url"].data = server.url();
    line["port"].data = std::int64_t{server.port()};
    fmt::print("{}\n", to_json(line, 0));
  } else {
    fmt::print("open {}\n", server.url());
    if (!common.quiet) fmt::print("Ctrl-C ends\n");
  }
  std::fflush(stdout);
}

void serve(view::Runner& runner, view::Session* session, Recorder& recorder) {
  constexpr int kTurnsPerRecord = 20;  // 2 s
  for (int turn = 1; !interrupted(); ++turn) {
    std::this_thread::sleep_for(milliseconds(100));
    if (session && turn % kTurnsPerRecord == 0) record_now(runner, *session, recorder);
  }
}

}  // namespace

int view(const CommonOptions& common, const ViewOptions& options) {
  catch_interrupts();
  const std::unique_ptr<view::Source> source = open_source(options);
  auto* session = dynamic_cast<view::Session*>(source.get());
  Recorder recorder(options.record);
  if (session) recorder.write(session->recording());  // a file that cannot be written shows now
  view::Runner runner(*source);
  view::ServerOptions settings;
  settings.host = options.host;
  settings.port = static_cast<std::uint16_t>(options.port);
  settings.token = options.token;
  settings.version = SELKIE_VERSION;
  if (session) settings.scenes = choices();
  settings.files = view::page_files();
  view::Server server(runner, std::move(settings));
  if (server.open_to_other_machines())
    fmt::print(
        stderr,
        "warning: listening at {}: other machines can reach this server; whoever knows the token can use "
        "it, and nothing is encrypted\n",
        options.host);
  runner.start();
  print_address(common, server);
  serve(runner, options.record.empty() ? nullptr : session, recorder);
  server.stop();
  runner.stop();
  if (session) recorder.write(session->recording());
  return kDone;
}

}  // namespace selkie::cli
