// See frame_source.h.
#include "frame_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "selkie/core/error.h"
#include "selkie/io/owned_drawable.h"
#include "selkie/io/read_frame.h"
#include "selkie/sim/scenery.h"
#include "shipped_scenes.h"
#include "terminal.h"

namespace selkie::cli {
namespace {

namespace fs = std::filesystem;

scene::Scene load_of_run(const fs::path& folder, const std::vector<std::string>& settings) {
  std::error_code error;
  if (!fs::exists(folder / "scene.toml", error))
    throw InputError({folder.string(), 0, 0}, "the folder holds frames but no scene.toml",
                     "name the folder that `selkie run` wrote, or a scene file");
  return scene::load(folder / "scene.toml", settings);
}

class RunFolder : public FrameSource {
 public:
  RunFolder(fs::path folder, const std::vector<std::string>& settings)
      : folder_(std::move(folder)),
        frames_(io::frame_numbers(folder_)),
        scene_(load_of_run(folder_, settings)),
        scenery_(scene_.description.collider) {}

  const scene::SceneDescription& description() const override { return scene_.description; }
  std::vector<std::int64_t> all() const override { return frames_; }
  std::int64_t last() const override { return frames_.back(); }
  bool has(std::int64_t frame) const override {
    return std::binary_search(frames_.begin(), frames_.end(), frame);
  }
  void require(std::int64_t frame) const override {
    if (!has(frame)) (void)io::read_frame(folder_, frame);
  }
  std::vector<ports::Drawable> drawables(std::int64_t frame) override {
    shown_ = io::read_frame(folder_, frame);
    std::vector<ports::Drawable> all =
        scenery_.drawables(static_cast<double>(frame) / scene_.description.scene.fps);
    for (const io::OwnedDrawable& owned : shown_) all.push_back(owned.get());
    return all;
  }

 private:
  fs::path folder_;
  std::vector<std::int64_t> frames_;
  scene::Scene scene_;
  sim::Scenery scenery_;
  std::vector<io::OwnedDrawable> shown_;
};

class Simulation : public FrameSource {
 public:
  Simulation(const fs::path& file, const std::vector<std::string>& settings,
             std::function<void(std::int64_t)> progress)
      : scene_(scene::load(file, settings)),
        scenery_(scene_.description.collider),
        world_(scene::build(scene_)),
        progress_(std::move(progress)) {}

  const scene::SceneDescription& description() const override { return scene_.description; }
  std::vector<std::int64_t> all() const override {
    std::vector<std::int64_t> frames(static_cast<std::size_t>(last()) + 1);
    std::iota(frames.begin(), frames.end(), std::int64_t{0});
    return frames;
  }
  std::int64_t last() const override { return scene_.description.scene.frames; }
  bool has(std::int64_t) const override { return true; }  // a scene can always run on
  void require(std::int64_t) const override {}

  std::vector<ports::Drawable> drawables(std::int64_t frame) override {
    std::vector<ports::Drawable> all =
        scenery_.drawables(static_cast<double>(frame) / scene_.description.scene.fps);
    for (const io::OwnedDrawable& owned : at(frame)) all.push_back(owned.get());
    return all;
  }

 private:
  // A film looks at its frames twice (camera first, pictures then), so they are kept while memory allows;
  // what was not kept is simulated again, to the same bits.
  static constexpr std::size_t kBytesKept = std::size_t{1} << 30;

  const std::vector<io::OwnedDrawable>& at(std::int64_t frame) {
    const auto found = kept_.find(frame);
    if (found != kept_.end()) return found->second;
    if (world_.frame() > frame) world_ = scene::build(scene_);
    while (world_.frame() < frame) {
      if (interrupted()) throw Interrupted{};
      const sim::SyncReport report = world_.sync_step();
      if (!report.ok) throw NumericalFailure(fmt::format("t = {:.6g} s: {}", report.time, report.trouble));
      if (world_.at_frame()) progress_(world_.frame());
    }
    std::vector<io::OwnedDrawable> drawables;
    std::size_t bytes = 0;
    for (const auto& system : world_.systems())
      for (const ports::Drawable& drawable : system->drawables()) {
        drawables.emplace_back(drawable);
        bytes += drawables.back().bytes();
      }
    if (bytes_ + bytes > kBytesKept) {
      passing_ = std::move(drawables);
      return passing_;
    }
    bytes_ += bytes;
    return kept_.emplace(frame, std::move(drawables)).first->second;
  }

  scene::Scene scene_;
  sim::Scenery scenery_;
  sim::World world_;
  std::function<void(std::int64_t)> progress_;
  std::map<std::int64_t, std::vector<io::OwnedDrawable>> kept_;
  std::size_t bytes_ = 0;
  std::vector<io::OwnedDrawable> passing_;
};

}  // namespace

std::unique_ptr<FrameSource> open_frames(const std::string& scene_or_folder,
                                         const std::vector<std::string>& settings,
                                         std::function<void(std::int64_t)> progress) {
  std::error_code error;
  if (fs::is_directory(scene_or_folder, error)) return std::make_unique<RunFolder>(scene_or_folder, settings);
  return std::make_unique<Simulation>(find_scene(scene_or_folder), settings, std::move(progress));
}

}  // namespace selkie::cli
