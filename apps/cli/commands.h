// The verbs of the `selkie` program. Each takes plain options (main.cpp fills them with CLI11) and returns
// the exit code; what is wrong with the input is thrown as InputError.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace selkie::cli {

inline constexpr int kDone = 0, kFailedCheck = 1, kBadInput = 2, kNumericalFailure = 3, kOutputFailure = 4,
                     kProgramFault = 70, kInterrupted = 130;

struct CommonOptions {
  int threads = 0;  // 0: one per core
  bool quiet = false;
  bool json = false;
};

struct SceneOptions {
  std::string scene;  // a file, or the name of a shipped scene
  std::vector<std::string> settings;
};

struct RunOptions : SceneOptions {
  std::string folder;
  std::int64_t frames = -1;
  bool resume = false;
  bool overwrite = false;
  std::string inputs;
};

struct RenderOptions : SceneOptions {  // `scene` may be the folder of a run, too
  std::string output;                  // FILE.png, FILE.mp4 or a folder; empty: named after the scene
  std::int64_t frame = -1;             // -1: not given
  std::string frames;                  // "A:B" or "A:B:STEP"
  bool all = false;
  std::string camera;
  int width = 960, height = 540;
  std::string size;  // "960x540"
  int samples = 32;
  std::uint64_t seed = 1;
  double time_budget = 0;
  std::string overlay, range;
  bool wire = false, motion_blur = false;
  double fps = 0;  // 0: as the scene
  bool overwrite = false;
};

struct VerifyOptions {
  std::vector<std::string> studies;
  bool full = false;
  bool list = false;
  std::string plots;  // folder for SVG files; empty: none
};

struct BenchOptions {
  std::vector<std::string> scenes;
  std::vector<std::string> settings;
  int frames = 20;
  int warmup = 3;
  std::vector<int> thread_counts;  // each is timed; empty: --threads alone
  std::string plots;
};

struct ViewOptions : SceneOptions {
  std::string host = "127.0.0.1";
  int port = 8765;
  bool paused = false;
  std::string record, token;
};

struct MeshOptions {
  std::string input;   // a closed surface
  std::string output;  // FILE.msh; empty: named after the input
  std::string mesher = "bcc";
  int divisions = 16;
  bool overwrite = false;
};

struct InfoOptions {
  bool scene_format = false;
  bool json_schema = false;
};

int run(const CommonOptions& common, const RunOptions& options);
int render(const CommonOptions& common, const RenderOptions& options);
int check(const CommonOptions& common, const SceneOptions& options);
int verify(const CommonOptions& common, const VerifyOptions& options);
int bench(const CommonOptions& common, const BenchOptions& options);
int view(const CommonOptions& common, const ViewOptions& options);
int mesh(const CommonOptions& common, const MeshOptions& options);
int scenes(const CommonOptions& common);
int info(const CommonOptions& common, const InfoOptions& options);

}  // namespace selkie::cli
