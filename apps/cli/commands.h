// The verbs of the `selkie` program. Each takes plain options (main.cpp fills them with CLI11) and returns
// the exit code; what is wrong with the input is thrown as InputError.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace selkie::cli {

inline constexpr int kDone = 0, kFailedCheck = 1, kBadInput = 2, kNumericalFailure = 3, kOutputFailure = 4,
                     kInterrupted = 130;

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

struct VerifyOptions {
  std::vector<std::string> studies;
  bool full = false;
  bool list = false;
};

struct BenchOptions {
  std::vector<std::string> scenes;
  std::vector<std::string> settings;
  int frames = 20;
  int warmup = 3;
};

struct ViewOptions : SceneOptions {
  std::string host = "127.0.0.1";
  int port = 8765;
  bool paused = false;
  std::string record, token;
};

struct InfoOptions {
  bool scene_format = false;
  bool json_schema = false;
};

int run(const CommonOptions& common, const RunOptions& options);
int check(const CommonOptions& common, const SceneOptions& options);
int verify(const CommonOptions& common, const VerifyOptions& options);
int bench(const CommonOptions& common, const BenchOptions& options);
int view(const CommonOptions& common, const ViewOptions& options);
int scenes(const CommonOptions& common);
int info(const CommonOptions& common, const InfoOptions& options);

}  // namespace selkie::cli
