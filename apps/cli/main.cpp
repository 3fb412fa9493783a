// The `selkie` program: reads the command line, calls a verb, turns errors into messages and exit codes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "commands.h"
#include "selkie/core/error.h"
#include "selkie/core/log.h"
#include "selkie/core/parallel.h"

namespace {

using namespace selkie::cli;

constexpr const char* kFooter =
    "Exit codes: 0 done, 1 a verification row failed, 2 bad input, 3 numerical failure, 4 output could not "
    "be written,\n"
    "70 a fault of the program, 130 interrupted after a checkpoint.\n"
    "Scenes are TOML files in SI units: docs/scene-format.md.";

struct Options {
  CommonOptions common;
  RunOptions run;
  RenderOptions render;
  SceneOptions check;
  VerifyOptions verify;
  BenchOptions bench;
  ViewOptions view;
  MeshOptions mesh;
  InfoOptions info;
};

constexpr std::string_view kTokenLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";

void add_settings(CLI::App* verb, std::vector<std::string>& settings) {
  verb->add_option("--set", settings, "Change one value: NAME.KEY=VALUE, for example cloth.stiffness=200")
      ->type_name("NAME.KEY=VALUE")
      ->allow_extra_args(false);
}

void add_plots(CLI::App* verb, std::string& folder) {
  verb->add_option("--plots", folder, "Also draw the results as SVG files into this folder")
      ->type_name("DIR");
}

void add_common(CLI::App* verb, CommonOptions& common) {
  verb->add_option("--threads", common.threads, "Threads to use; 0: one per core")
      ->check(CLI::Range(0, 4096));
  verb->add_flag("-q,--quiet", common.quiet, "Only errors");
  verb->add_flag("--json", common.json, "Machine-readable output");
}

CLI::App* describe_render(CLI::App& app, RenderOptions& o) {
  CLI::App* verb = app.add_subcommand(
      "render", "Pictures (PNG) and films (MP4) of a finished run, or of a scene simulated on the spot");
  verb->add_option("scene", o.scene, "Folder of a run, scene file, or the name of a shipped scene")
      ->required();
  verb->add_option("-o,--output", o.output,
                   "FILE.png, FILE.mp4 (needs ffmpeg) or a folder for one picture per frame")
      ->type_name("PATH");
  CLI::Option* frame = verb->add_option("--frame", o.frame, "The frame to draw (default: the last)")
                           ->check(CLI::NonNegativeNumber)
                           ->type_name("N");
  CLI::Option* frames = verb->add_option("--frames", o.frames, "Frames A to B, every STEP-th")
                            ->type_name("A:B[:STEP]")
                            ->excludes(frame);
  verb->add_flag("--all", o.all, "All frames (default for films and folders)")->excludes(frame, frames);
  verb->add_option("--camera", o.camera,
                   "A camera of the scene (default: its first), or 'auto': one that shows everything");
  verb->add_option("--width", o.width, "Pixels")->check(CLI::Range(1, 16384));
  verb->add_option("--height", o.height, "Pixels")->check(CLI::Range(1, 16384));
  verb->add_option("--size", o.size, "Both at once, such as 1920x1080")
      ->type_name("WxH")
      ->excludes("--width", "--height");
  verb->add_option("--samples", o.samples, "Rays per pixel; noise falls with the root")
      ->check(CLI::Range(1, 65536));
  verb->add_option("--seed", o.seed, "Of the random numbers; the same seed gives the same bytes");
  verb->add_option("--time-budget", o.time_budget, "Seconds per picture; stops early, with more noise")
      ->check(CLI::NonNegativeNumber)
      ->type_name("S");
  verb->add_option("--overlay", o.overlay, "Colour by an attribute: speed, strain, ...")
      ->type_name("ATTRIBUTE");
  verb->add_option("--range", o.range, "Ends of the overlay's colour map (default: those of the values)")
      ->type_name("LO:HI")
      ->needs("--overlay");
  verb->add_flag("--wire", o.wire, "Draw the edges of triangles");
  verb->add_flag("--motion-blur", o.motion_blur, "Blur by velocity over half a frame");
  verb->add_option("--fps", o.fps, "Pictures per second of a film (default: real time)")
      ->check(CLI::Range(0.1, 1000.0));
  verb->add_flag("--overwrite", o.overwrite, "Replace a film, or a file that is not a picture");
  add_settings(verb, o.settings);
  return verb;
}

CLI::App* describe_mesh(CLI::App& app, MeshOptions& o) {
  CLI::App* verb = app.add_subcommand("mesh", "Fill a closed surface with tetrahedra (.msh)");
  verb->add_option("input", o.input, "Closed surface: .obj .ply .stl .gltf .glb or .msh")->required();
  verb->add_option("-o,--output", o.output, "The file to write (default: the input's name with .msh)")
      ->type_name("FILE.msh");
  verb->add_option("--divisions", o.divisions, "Cells along the longest side (default: 16)")
      ->check(CLI::Range(2, 1000));
  verb->add_option("--mesher", o.mesher, "A fitted lattice, or Delaunay (default: bcc)")
      ->check(CLI::IsMember({"bcc", "delaunay"}));
  verb->add_flag("--overwrite", o.overwrite, "Replace an existing file");
  return verb;
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

  CLI::App* render = describe_render(app, o.render);

  CLI::App* check =
      app.add_subcommand("check", "Validate a scene; print it resolved, with schedule and estimates");
  check->add_option("scene", o.check.scene, "Scene file, or the name of a shipped scene")->required();
  add_settings(check, o.check.settings);

  CLI::App* verify = app.add_subcommand("verify", "Reproduce published tables and analytic tests");
  verify->add_option("study", o.verify.studies, "Studies to run; all when none is named");
  verify->add_flag("--full", o.verify.full, "The long versions, at the sizes of the sources");
  verify->add_flag("--list", o.verify.list, "List the studies");
  add_plots(verify, o.verify.plots);

  CLI::App* bench = app.add_subcommand("bench", "Speed of shipped scenes, per phase");
  bench->add_option("scene", o.bench.scenes, "Scenes to time; all shipped ones when none is named");
  bench->add_option("--frames", o.bench.frames, "Frames to time")->check(CLI::PositiveNumber);
  bench->add_option("--warmup", o.bench.warmup, "Frames before the clock starts")
      ->check(CLI::NonNegativeNumber);
  bench
      ->add_option("--threads-list", o.bench.thread_counts,
                   "Time with each of these numbers of threads: 1,2,4")
      ->delimiter(',')
      ->check(CLI::Range(1, 4096))
      ->type_name("N,N,...")
      ->allow_extra_args(false);
  add_plots(bench, o.bench.plots);
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

  CLI::App* mesh = describe_mesh(app, o.mesh);

  CLI::App* scenes = app.add_subcommand("scenes", "List the shipped scenes");

  CLI::App* info =
      app.add_subcommand("info", "Version, build, CPU, optional parts, licences of what is linked");
  info->add_flag("--scene-format", o.info.scene_format, "Print docs/scene-format.md from the schema");
  info->add_flag("--json-schema", o.info.json_schema, "Print a JSON schema of scenes for editors");

  for (CLI::App* verb : {run, render, view, check, verify, bench, mesh, scenes, info})
    add_common(verb, o.common);
}

int dispatch(const CLI::App& app, const Options& o) {
  selkie::set_thread_count(o.common.threads);
  if (app.got_subcommand("run")) return run(o.common, o.run);
  if (app.got_subcommand("render")) return render(o.common, o.render);
  if (app.got_subcommand("check")) return check(o.common, o.check);
  if (app.got_subcommand("verify")) return verify(o.common, o.verify);
  if (app.got_subcommand("bench")) return bench(o.common, o.bench);
  if (app.got_subcommand("view")) return view(o.common, o.view);
  if (app.got_subcommand("mesh")) return mesh(o.common, o.mesh);
  if (app.got_subcommand("scenes")) return scenes(o.common);
  return info(o.common, o.info);
}

int program_fault(const std::exception& error) {
  fmt::print(stderr,
             "error: {}\n  this is a fault of the program itself: please report it with the command and the "
             "scene\n",
             error.what());
  return kProgramFault;
}

// The program up to its exit code. Throws the std::system_error of a standard output that cannot be written.
int perform(int argc, char** argv) {
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
    fmt::print(stderr, "error: {}: {}\n  check that the path leads somewhere and may be used\n",
               error.path1().string(), error.code().message());
    return kOutputFailure;
  } catch (const std::system_error& error) {
    if (std::ferror(stdout)) throw;
    return program_fault(error);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr,
               "error: out of memory\n  lower the resolution, for example with --set scene.scale=0.5\n");
    return kBadInput;
  } catch (const std::exception& error) {
    return program_fault(error);
  }
}

}  // namespace

// What was printed must have arrived, or a script would take the exit code for a summary that is not there. A
// reader that has closed its pipe (`| head`) wants no more, and is told nothing.
int main(int argc, char** argv) {
  int code = kOutputFailure, reason = 0;
  try {
    code = perform(argc, argv);
  } catch (const std::system_error& error) {
    reason = error.code().value();
  }
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
  if (reason == 0) reason = errno;
  if (reason != EPIPE)
    fmt::print(stderr, "error: standard output: cannot be written{}\n  {}\n",
               reason == 0 ? std::string() : std::string(": ") + std::strerror(reason),
               "make room where it goes, or send it elsewhere");
  return code == kDone ? kOutputFailure : code;
}
