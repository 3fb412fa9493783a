// The run driver behind `selkie run`: frames to files in the background, stats.csv, checkpoints, resume,
// interruption. Whatever ends a run (finished, interrupted, numerical failure, full disk), every finished
// frame and the last good checkpoint are kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "selkie/core/function_ref.h"
#include "selkie/io/frame_writer.h"
#include "selkie/sim/world.h"

namespace selkie::sim {

struct RunSettings {
  std::filesystem::path folder;
  std::int64_t frames = 1;  // the run ends at this frame; frame 0 is the initial state
  bool resume = false;      // continue from folder/checkpoint.h5
  bool overwrite = false;   // replace what is there of another run
  std::vector<io::FrameFormat> formats = {io::FrameFormat::ply, io::FrameFormat::vdb};
  int every = 1;               // frames between exported ones
  int checkpoint_every = 10;   // frames
  std::string scene_text;      // resolved scene, stored as folder/scene.toml
  std::string scene_identity;  // what a checkpoint must agree with
  // What the world was made from: a run neither replaces nor removes these files.
  std::vector<std::filesystem::path> sources;
};

struct Progress {
  std::int64_t frame = 0, frames = 0;  // completed, wanted
  std::int64_t step = 0;               // sync steps so far
  int substeps = 0;                    // of the busiest system in the last sync step
  double dt = 0;                       // s, of the last sub-step of that system
  double elapsed = 0, remaining = 0;   // s of wall clock; remaining is estimated from this run's own frames
};

enum class RunEnd { finished, interrupted, failed };

struct RunResult {
  RunEnd end = RunEnd::finished;
  std::string trouble;  // when failed
  int retries = 0;      // when failed: halvings of the step that were tried
  std::int64_t frame = 0, step = 0;
  std::vector<std::filesystem::path> files;   // frame files of this call
  std::vector<std::filesystem::path> others;  // what it wrote besides
  Hash128 hash;
  double seconds = 0;
};

// InputError when the folder holds files that the run would replace or remove and it is not told to overwrite
// them, or one of its own sources (or, resuming, no run or that of another scene), and when two systems would
// write the same frame files; OutputError when files cannot be written. `interrupt` is looked at between sync
// steps.
RunResult run(World& world, const RunSettings& settings, FunctionRef<void(const Progress&)> progress,
              const std::atomic<bool>& interrupt);

}  // namespace selkie::sim
