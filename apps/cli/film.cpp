// See film.h. The film grows beside its target and is renamed over it at the end, so that a film is complete
// or absent.
#include "film.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "selkie/core/error.h"
#include "selkie/core/text.h"
#include "selkie/io/atomic_file.h"

extern char** environ;

namespace selkie::cli {
namespace {

namespace fs = std::filesystem;

// An anonymous file that takes what a program says.
class Transcript {
 public:
  Transcript() : file_(std::tmpfile()) {
    if (file_ == nullptr) io::throw_output_error(fs::temp_directory_path(), errno);
    ::fcntl(descriptor(), F_SETFD, FD_CLOEXEC);
  }
  ~Transcript() { std::fclose(file_); }
  Transcript(const Transcript&) = delete;
  Transcript& operator=(const Transcript&) = delete;

  int descriptor() const { return ::fileno(file_); }
  std::string text() const {
    std::string all;
    std::rewind(file_);
    for (std::array<char, 4096> piece;
         const std::size_t n = std::fread(piece.data(), 1, piece.size(), file_);)
      all.append(piece.data(), n);
    return all;
  }

 private:
  std::FILE* file_;
};

// Starts a program found on the PATH with its input from `input` and its output and errors to `output`; in a
// group of its own, so that Ctrl-C reaches only us and we end the film in order. 0 or an error number.
int start(const std::vector<std::string>& words, int input, int output, pid_t& process) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  const int error = ::posix_spawnp(&process, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// The best encoder for MP4 that this ffmpeg has.
std::string choose_encoder(const fs::path& target) {
  const Transcript said;
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  pid_t process = -1;
  const int error = start({"ffmpeg", "-hide_banner", "-encoders"}, nothing, said.descriptor(), process);
  ::close(nothing);
  if (error == 0) wait_for(process);
  if (error != 0)
    throw OutputError(target.string(), "a film needs the program ffmpeg, which was not found",
                      "install it (Debian: apt-get install ffmpeg), or write pictures with -o FOLDER; PNG "
                      "needs no ffmpeg");
  const std::string encoders = said.text();
  for (const char* name : {"libx264", "libopenh264", "mpeg4"})
    if (encoders.find(fmt::format(" {} ", name)) != std::string::npos) return name;
  throw OutputError(target.string(), "this ffmpeg has no encoder for MP4 (libx264, libopenh264 or mpeg4)",
                    "install a complete ffmpeg, or write pictures with -o FOLDER");
}

std::string last_lines(const std::string& text, int count) {
  std::size_t begin = text.find_last_not_of('\n');
  for (int k = 0; k < count && begin != std::string::npos && begin > 0; ++k)
    begin = text.rfind('\n', begin - 1);
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

}  // namespace

struct Film::Process {
  fs::path target, partial;
  int width, height;
  Transcript said;
  int pipe = -1;
  pid_t id = -1;

  void close_pipe() {
    if (pipe >= 0) ::close(pipe);
    pipe = -1;
  }
  [[noreturn]] void fail() {
    close_pipe();
    if (id > 0) wait_for(id);
    id = -1;
    ::unlink(partial.c_str());
    throw OutputError(target.string(), "ffmpeg failed; its last words:\n" + last_lines(said.text(), 6),
                      "check the disk and the folder, or write pictures with -o FOLDER");
  }
};

Film::Film(const fs::path& target, int width, int height, double fps) : process_(new Process) {
  Process& p = *process_;
  p.target = target, p.partial = io::partial_name(target), p.width = width, p.height = height;
  const std::string encoder = choose_encoder(target);
  std::vector<std::string> words{"ffmpeg",
                                 "-hide_banner",
                                 "-loglevel",
                                 "warning",
                                 "-y",
                                 "-f",
                                 "rawvideo",
                                 "-pixel_format",
                                 "rgb24",
                                 "-video_size",
                                 fmt::format("{}x{}", width, height),
                                 "-framerate",
                                 number_text(fps),
                                 "-i",
                                 "-",
                                 "-c:v",
                                 encoder};
  if (encoder == "libx264")
    words.insert(words.end(), {"-crf", "18", "-preset", "medium"});
  else
    words.insert(words.end(), {"-b:v", "12M"});
  words.insert(words.end(),
               {"-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4", "file:" + p.partial.string()});
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) io::throw_output_error(target, errno);
  std::signal(SIGPIPE, SIG_IGN);  // an ffmpeg that died shows as a write error
  const int error = start(words, ends[0], p.said.descriptor(), p.id);
  ::close(ends[0]);
  p.pipe = ends[1];
  if (error != 0) p.id = -1, p.fail();
}

Film::~Film() {
  process_->close_pipe();
  if (process_->id <= 0) return;
  ::kill(process_->id, SIGKILL);
  wait_for(process_->id);
  ::unlink(process_->partial.c_str());
}

void Film::add(const io::RgbImage& picture) {
  std::span<const std::uint8_t> left = picture.rgb;
  while (!left.empty()) {
    const ssize_t written = ::write(process_->pipe, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) process_->fail();
    left = left.subspan(static_cast<std::size_t>(written));
  }
}

void Film::finish() {
  Process& p = *process_;
  p.close_pipe();
  const int status = wait_for(p.id);
  p.id = -1;
  std::error_code error;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) p.fail();
  fs::rename(p.partial, p.target, error);
  if (error) io::throw_output_error(p.target, error.value());
}

}  // namespace selkie::cli
