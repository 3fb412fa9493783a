// The `selkie` program: reads the command line, calls a verb, turns errors into messages and exit codes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "commands.h"
#include "selkie/core/error.h"
#include "selkie/core/log.h"
#include "selkie/core/parallel.h"

namespace {

using namespace selkie::cli;

constexpr const char* kFooter =
    "Exit codes: 0 done, 1 a verification row failed, 2 bad input, 3 numerical failure, 4 output could not "
    "be written,\n"
    "130 interrupted after a checkpoint. Scenes are TOML files in SI units: docs/scene-format.md.";

struct Options {
  CommonOptions common;
  RunOptions run;
  SceneOptions check;
  VerifyOptions verify;
  BenchOptions bench;
  ViewOptions view;
  InfoOptions info;
};

constexpr std::string_view kTokenLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";

void add_settings(CLI::App* verb, std::vector<std::string>& settings) {
  verb->add_option("--set", settings, "Change one value: NAME.KEY=VALUE, for example cloth.stiffness=200")
      ->type_name("NAME.KEY=VALUE")
      ->allow_extra_args(false);
}

void add_common(CLI::App* verb, CommonOptions& common) {
  verb->add_option("--threads", common.threads, "Threads to use; 0: one per core")
      ->check(CLI::Range(0, 4096));
  verb->add_flag("-q,--quiet", common.quiet, "Only errors");
  verb->add_flag("--json", common.json, "Machine-readable output");
}

void describe_verbs(CLI::App& app, Options& o) {
  CLI::App* run = app.add_subcommand("run", "Run a scene: frames, statistics and checkpoints into a folder");
  run->add_option("scene", o.run.scene, "Scene file, or the name of a shipped scene")->required();
  run->add_option("-o,--output", o.run.folder, "Folder for the results (default: out/<scene name>)")
      ->type_name("DIR");
  run->add_option("--frames", o.run.frames, "Frames to compute instead of the scene's")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  run->add_flag("--resume", o.run.resume, "Continue from the folder's checkpoint, bit for bit");
  run->add_flag("--overwrite", o.run.overwrite, "Replace a run that is already in the folder")
      ->excludes("--resume");
  run->add_option("--inputs", o.run.inputs, "Replay recorded input events (inputs.toml of a run)")
      ->type_name("FILE");
  add_settings(run, o.run.settings);

  CLI::App* check =
      app.add_subcommand("check", "Validate a scene; print it resolved, with schedule and estimates");
  check->add_option("scene", o.check.scene, "Scene file, or the name of a shipped scene")->required();
  add_settings(check, o.check.settings);

  CLI::App* verify = app.add_subcommand("verify", "Reproduce published tables and analytic tests");
  verify->add_option("study", o.verify.studies, "Studies to run; all when none is named");
  verify->add_flag("--full", o.verify.full, "The long versions, at the sizes of the sources");
  verify->add_flag("--list", o.verify.list, "List the studies");

  CLI::App* bench = app.add_subcommand("bench", "Speed of shipped scenes, per phase");
  bench->add_option("scene", o.bench.scenes, "Scenes to time; all shipped ones when none is named");
  bench->add_option("--frames", o.bench.frames, "Frames to time")->check(CLI::PositiveNumber);
  bench->add_option("--warmup", o.bench.warmup, "Frames before the clock starts")
      ->check(CLI::NonNegativeNumber);
  add_settings(bench, o.bench.settings);

  CLI::App* view = app.add_subcommand("view", "Look at a scene or a finished run in a browser, and touch it");
  o.view.scene = "cloth-on-ball";
  view->add_option(
      "scene", o.view.scene,
      "Scene file, name of a shipped scene, or folder of a finished run (default: cloth-on-ball)");
  view->add_option("--port", o.view.port, "Port to listen at; 0: any free one (default: 8765)")
      ->check(CLI::Range(0, 65535));
  view->add_option("--host", o.view.host,
                   "Name or address to listen at (default: 127.0.0.1, this machine only)");
  view->add_flag("--paused", o.view.paused, "Start with the world at rest");
  view->add_option("--record", o.view.record,
                   "Keep what is done to the world here, for `selkie run --inputs`")
      ->type_name("FILE");
  view->add_option(
          "--token", o.view.token,
          "Token of the address, so that open pages find the next start again (default: a fresh one)")
      ->check(CLI::Validator(
          [](std::string& token) {
            const bool good =
                token.size() >= 16 && token.find_first_not_of(kTokenLetters) == std::string::npos;
            return good ? std::string() : std::string("at least 16 letters, digits, - or _");
          },
          "TOKEN"))
      ->type_name("TEXT");
  add_settings(view, o.view.settings);

  CLI::App* scenes = app.add_subcommand("scenes", "List the shipped scenes");

  CLI::App* info =
      app.add_subcommand("info", "Version, build, CPU, optional parts, licences of what is linked");
  info->add_flag("--scene-format", o.info.scene_format, "Print docs/scene-format.md from the schema");
  info->add_flag("--json-schema", o.info.json_schema, "Print a JSON schema of scenes for editors");

  for (CLI::App* verb : {run, check, verify, bench, view, scenes, info}) add_common(verb, o.common);
}

int dispatch(const CLI::App& app, const Options& o) {
  selkie::set_thread_count(o.common.threads);
  if (app.got_subcommand("run")) return run(o.common, o.run);
  if (app.got_subcommand("check")) return check(o.common, o.check);
  if (app.got_subcommand("verify")) return verify(o.common, o.verify);
  if (app.got_subcommand("bench")) return bench(o.common, o.bench);
  if (app.got_subcommand("view")) return view(o.common, o.view);
  if (app.got_subcommand("scenes")) return scenes(o.common);
  return info(o.common, o.info);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Selkie: a physics engine in which solids and fluids live in one world and push on each other.",
      "selkie");
  app.footer(kFooter);
  app.set_version_flag("--version", SELKIE_VERSION);
  app.require_subcommand(1);
  describe_verbs(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kBadInput;
  }
  try {
    return dispatch(app, options);
  } catch (const selkie::InputError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return kBadInput;
  } catch (const selkie::OutputError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return kOutputFailure;
  } catch (const std::filesystem::filesystem_error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return kOutputFailure;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr,
               "error: out of memory\n  lower the resolution; `selkie check` estimates what a scene needs\n");
    return kBadInput;
  }
}
