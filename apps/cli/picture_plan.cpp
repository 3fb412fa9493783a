// See picture_plan.h.
#include "picture_plan.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <set>
#include <variant>

#include "selkie/core/error.h"
#include "selkie/core/text.h"
#include "selkie/io/atomic_file.h"
#include "selkie/io/write_png.h"
#include "terminal.h"

namespace selkie::cli {
namespace {

namespace fs = std::filesystem;

// The parts of "A:B", "960x540": numbers with `separator` between them; nothing when a part is no number.
template <class T>
std::optional<std::vector<T>> numbers_in(const std::string& text, char separator) {
  std::vector<T> numbers;
  const char *at = text.data(), *end = at + text.size();
  while (true) {
    T value{};
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc{}) return {};
    numbers.push_back(value);
    if (next == end) return numbers;
    if (*next != separator) return {};
    at = next + 1;
  }
}

[[noreturn]] void refuse(const std::string& option, const std::string& value, const std::string& remedy) {
  throw InputError({option + " " + value, 0, 0}, "cannot be understood", remedy);
}

std::vector<std::int64_t> frames_in_range(const FrameSource& source, const std::string& text) {
  const auto parts = numbers_in<std::int64_t>(text, ':');
  if (!parts || parts->size() < 2 || parts->size() > 3 || (*parts)[0] < 0 || (*parts)[1] < (*parts)[0] ||
      (parts->size() == 3 && (*parts)[2] < 1))
    refuse("--frames", text, "for example --frames 0:120, or every second one with --frames 0:120:2");
  const std::int64_t first = (*parts)[0], last = (*parts)[1], step = parts->size() == 3 ? (*parts)[2] : 1;
  if ((last - first) / step >= 1'000'000)
    refuse("--frames", text, "that is more than a million pictures; choose a larger step");
  source.require(first);
  source.require(last);
  // A run that wrote every n-th frame only has gaps.
  std::vector<std::int64_t> frames;
  for (std::int64_t frame = first; frame <= last; frame += step)
    if (source.has(frame)) frames.push_back(frame);
  return frames;
}

void read_size(const RenderOptions& options, render::Settings& settings) {
  settings.width = options.width, settings.height = options.height;
  if (options.size.empty()) return;
  const auto parts = numbers_in<int>(options.size, 'x');
  if (!parts || parts->size() != 2 || (*parts)[0] < 1 || (*parts)[1] < 1 || (*parts)[0] > 16384 ||
      (*parts)[1] > 16384)
    refuse("--size", options.size, "for example --size 960x540, at most 16384 each way");
  settings.width = (*parts)[0], settings.height = (*parts)[1];
}

void read_overlay(const RenderOptions& options, render::Overlay& overlay) {
  overlay.attribute = options.overlay;
  overlay.wire = options.wire;
  if (options.range.empty()) return;
  const auto parts = numbers_in<double>(options.range, ':');
  if (!parts || parts->size() != 2 || !((*parts)[0] < (*parts)[1]))
    refuse("--range", options.range, "for example --range 0:2.5, the lower end first");
  overlay.lo = (*parts)[0], overlay.hi = (*parts)[1];
}

PictureForm form_of(const fs::path& target, bool several) {
  std::error_code error;
  std::string extension = target.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (fs::is_directory(target, error) || !target.has_filename()) return PictureForm::folder;
  if (extension == ".mp4") return PictureForm::film;
  if (extension == ".png") {
    if (several)
      throw InputError({target.string(), 0, 0}, "one PNG file cannot hold several frames",
                       "name a folder or a .mp4 film, or choose one frame with --frame N");
    return PictureForm::picture;
  }
  if (!extension.empty())
    throw InputError({target.string(), 0, 0}, "pictures cannot be written as '" + extension + "'",
                     "end the name in .png or .mp4, or name a folder");
  return PictureForm::folder;
}

// Said now rather than after the first hour.
void require_writable(const PicturePlan& plan, bool overwrite) {
  const fs::path folder = plan.form == PictureForm::folder    ? plan.target
                          : plan.target.parent_path().empty() ? fs::path(".")
                                                              : plan.target.parent_path();
  io::make_output_folder(folder);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) io::throw_output_error(plan.target, errno);
  std::error_code error;
  if (overwrite || plan.form == PictureForm::folder || !fs::exists(plan.target, error)) return;
  if (plan.form == PictureForm::film)
    throw InputError({plan.target.string(), 0, 0}, "the film exists already",
                     "replace it with --overwrite, or choose another name with -o");
  if (!io::is_png(plan.target))
    throw InputError({plan.target.string(), 0, 0}, "exists and is not a PNG picture",
                     "replace it with --overwrite, or choose another name with -o");
}

// Frames that a film shows per second of the world.
double real_time_rate(const std::vector<std::int64_t>& frames, double fps) {
  if (frames.size() < 2) return fps;
  const double stride =
      static_cast<double>(frames.back() - frames.front()) / static_cast<double>(frames.size() - 1);
  return fps / stride;
}

std::vector<std::string> attribute_names(std::span<const ports::Drawable> drawables) {
  std::set<std::string> names;
  for (const ports::Drawable& drawable : drawables)
    std::visit(
        [&](const auto& shape) {
          if constexpr (requires { shape.attributes; })
            for (const ports::Attribute& attribute : shape.attributes) names.insert(attribute.name);
        },
        drawable.shape);
  return {names.begin(), names.end()};
}

void require_overlay(std::span<const ports::Drawable> drawables, const std::string& attribute) {
  if (attribute.empty() || render::attribute_range(drawables, attribute)) return;
  const std::vector<std::string> names = attribute_names(drawables);
  const std::string nearest = nearest_word(attribute, names);
  throw InputError({"--overlay " + attribute, 0, 0}, "nothing in this scene has the attribute",
                   (nearest.empty() ? "" : "did you mean '" + nearest + "'? ") +
                       (names.empty() ? "There are none" : "Known: " + join_choices(names)));
}

// The camera asked for, or the scene's first; nothing when it is to be found.
std::optional<ports::Camera> camera_of(const scene::SceneDescription& scene, const std::string& name) {
  if (name.empty()) return scene.camera.empty() ? std::nullopt : std::optional(scene.camera.front());
  std::vector<std::string> names;
  for (const ports::Camera& camera : scene.camera) {
    if (camera.name == name) return camera;
    names.push_back(camera.name);
  }
  if (name == "auto") return {};
  names.emplace_back("auto");
  const std::string nearest = nearest_word(name, names);
  throw InputError(
      {"--camera " + name, 0, 0}, "the scene has no camera of this name",
      (nearest.empty() ? "" : "did you mean '" + nearest + "'? ") + "Known: " + join_choices(names));
}

}  // namespace

PicturePlan plan_pictures(const FrameSource& source, const RenderOptions& options) {
  const scene::SceneDescription& scene = source.description();
  PicturePlan plan;
  plan.target = options.output;
  const bool several = options.all || !options.frames.empty();
  if (options.output.empty())
    plan.target = several ? scene.scene.name + "-pictures" : scene.scene.name + ".png";
  plan.form = form_of(plan.target, several);
  if (options.frame >= 0) {
    source.require(options.frame);
    plan.frames = {options.frame};
  } else if (!options.frames.empty()) {
    plan.frames = frames_in_range(source, options.frames);
  } else if (options.all || plan.form != PictureForm::picture) {
    plan.frames = source.all();
  } else {
    plan.frames = {source.last()};
  }
  read_size(options, plan.settings);
  read_overlay(options, plan.settings.overlay);
  plan.settings.samples = options.samples;
  plan.settings.seed = options.seed;
  plan.settings.motion_blur = options.motion_blur;
  plan.settings.time_budget = options.time_budget;
  plan.settings.frame_seconds = 1 / scene.scene.fps;
  plan.film_fps = options.fps > 0 ? options.fps : real_time_rate(plan.frames, scene.scene.fps);
  if (plan.form == PictureForm::film && (plan.settings.width % 2 != 0 || plan.settings.height % 2 != 0))
    throw InputError(fmt::format("a film of {} x {} pixels is not possible: both must be even",
                                 plan.settings.width, plan.settings.height),
                     fmt::format("for example --size {}x{}", (plan.settings.width + 1) / 2 * 2,
                                 (plan.settings.height + 1) / 2 * 2));
  plan.light = scene.light;
  (void)camera_of(scene, options.camera);
  require_writable(plan, options.overwrite);
  return plan;
}

void settle_view(FrameSource& source, const RenderOptions& options, PicturePlan& plan) {
  const double aspect = static_cast<double>(plan.settings.width) / plan.settings.height;
  const std::optional<ports::Camera> camera = camera_of(source.description(), options.camera);
  if (camera) plan.camera = *camera;
  render::Overlay& overlay = plan.settings.overlay;
  if (plan.frames.size() == 1) {
    const std::vector<ports::Drawable> drawables = source.drawables(plan.frames[0]);
    require_overlay(drawables, overlay.attribute);
    if (!camera) plan.camera = render::frame_camera(drawables, aspect);
    return;
  }
  const bool wants_range = !overlay.attribute.empty() && !overlay.lo;
  require_overlay(source.drawables(plan.frames[0]), overlay.attribute);
  std::optional<render::Box> box;
  std::optional<std::array<double, 2>> range;
  for (const std::int64_t frame : plan.frames) {
    if (interrupted()) throw Interrupted{};
    const std::vector<ports::Drawable> drawables = source.drawables(frame);
    if (const auto here = render::bounds(drawables)) box = box ? render::united(*box, *here) : *here;
    if (!wants_range) continue;
    if (const auto here = render::attribute_range(drawables, overlay.attribute))
      range =
          range ? std::array{std::min((*range)[0], (*here)[0]), std::max((*range)[1], (*here)[1])} : *here;
  }
  if (range) overlay.lo = (*range)[0], overlay.hi = (*range)[1];
  if (!camera) plan.camera = render::frame_camera(box.value_or(render::Box{}), aspect);
  if (box && !plan.light.ground_height) plan.light.ground_height = box->low.y();
}

fs::path picture_path(const PicturePlan& plan, const std::string& scene_name, std::int64_t frame) {
  return plan.form == PictureForm::folder ? plan.target / fmt::format("{}.{:04}.png", scene_name, frame)
                                          : plan.target;
}

}  // namespace selkie::cli
