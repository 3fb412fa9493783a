// See playback.h.
#include "selkie/view/playback.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "selkie/core/error.h"
#include "selkie/core/text.h"
#include "selkie/io/read_frame.h"
#include "selkie/io/read_stats.h"
#include "selkie/scene/scene_type.h"

namespace selkie::view {
namespace {

scene::Scene load_scene(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "scene.toml";
  std::error_code error;
  if (!std::filesystem::exists(file, error))
    throw InputError({folder.string(), 0, 0}, "holds no finished run: there is no scene.toml in it",
                     "give the folder that `selkie run -o` wrote");
  return scene::load(file);
}

std::optional<double> number_of(const std::string& cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size()) return std::nullopt;
  return value;
}

// What of a row a page shows: "cloth.energy" are figures, "ms.springs.force" phases.
Value note_of(const std::vector<std::string>& columns, const std::vector<std::string>& row) {
  Value note;
  note["figures"].data = ValueTable{};
  note["phases"].data = ValueTable{};
  for (std::size_t c = 2; c < row.size(); ++c) {
    const std::optional<double> value = number_of(row[c]);
    if (!value) continue;
    const std::size_t dot = columns[c].find('.');
    if (dot == std::string::npos) continue;
    const std::string head = columns[c].substr(0, dot), tail = columns[c].substr(dot + 1);
    Value& place = head == "ms" ? note["phases"][tail] : note["figures"][head][tail];
    place.data = *value;
  }
  return note;
}

}  // namespace

Playback::Playback(std::filesystem::path folder, bool paused)
    : folder_(std::move(folder)),
      scene_(load_scene(folder_)),
      scenery_(scene_.description.collider),
      frames_(io::frame_numbers(folder_)),
      playing_(!paused) {
  // Every list of named tables but these holds systems, and its key is their kind.
  const Value description = write(scene::scene_type(), &scene_.description);
  for (const TableEntry& entry : description.table()) {
    if (!entry.value.is_array() || entry.key == "camera" || entry.key == "collider") continue;
    for (const Value& element : entry.value.array())
      if (const Value* name = element.find("name"))
        if (const auto* text = std::get_if<std::string>(&name->data))
          systems_.push_back({*text, entry.key, {}});
  }
  read_stats();
  position_ = static_cast<double>(frames_.front());
  for (const io::OwnedDrawable& drawable : io::read_frame(folder_, frames_.front())) {
    extend_bounds(bounds_, drawable.get());
    const std::string owner = system_of(drawable.get().name);
    for (SystemName& system : systems_)
      if (system.name == owner) system.parts.push_back(drawable.get().name);
  }
  for (const ports::Drawable& drawable : scenery_.drawables(0)) extend_bounds(bounds_, drawable);
}
Playback::~Playback() = default;

// A run without statistics can still be looked at.
void Playback::read_stats() {
  std::error_code error;
  const std::filesystem::path file = folder_ / "stats.csv";
  if (!std::filesystem::exists(file, error)) return;
  const io::StatsRows stats = io::read_stats(file);
  for (const std::vector<std::string>& row : stats.rows)
    if (const auto frame = number_of(row[0]); frame && std::abs(*frame) < 1e15)
      notes_[static_cast<std::int64_t>(*frame)] = note_of(stats.columns, row);
}

std::string Playback::system_of(const std::string& drawable) const {
  for (const SystemName& system : systems_)
    if (drawable == system.name || drawable.starts_with(system.name + "-")) return system.name;
  return {};
}

void Playback::show(std::size_t index) {
  if (index == shown_) return;
  shown_ = index;
  ++version_;
  trouble_.clear();
}

Reply Playback::carry_out(const Command& command) {
  auto go_to = [&](std::size_t index) {
    show(index);
    position_ = static_cast<double>(frames_[index]);
  };
  switch (command.kind) {
    case CommandKind::play:
      if (shown_ + 1 == frames_.size()) go_to(0);  // from the start again
      playing_ = true;
      return {};
    case CommandKind::pause:
      playing_ = false;
      return {};
    case CommandKind::step:
      playing_ = false;
      go_to(std::min(shown_ + 1, frames_.size() - 1));
      return {};
    case CommandKind::reset:
      go_to(0);
      return {};
    case CommandKind::seek: {
      const auto found = std::lower_bound(frames_.begin(), frames_.end(), command.frame);
      if (found == frames_.end() || *found != command.frame)
        return Reply::refusal("the run has no frame " + std::to_string(command.frame),
                              "it has " + std::to_string(frames_.size()) + " frames from " +
                                  std::to_string(frames_.front()) + " to " + std::to_string(frames_.back()));
      go_to(static_cast<std::size_t>(found - frames_.begin()));
      return {};
    }
    case CommandKind::speed:
      if (!(command.factor >= 0.01 && command.factor <= 4))
        return Reply::refusal("the speed " + number_text(command.factor) + " is out of range",
                              "use 0.01 to 4");
      speed_ = command.factor;
      return {};
    default:
      return Reply::refusal("a finished run does not change", "view the scene itself to touch it");
  }
}

void Playback::advance(double now) {
  const double passed = has_clock_ ? std::max(0.0, now - last_) : 0;
  last_ = now, has_clock_ = true;
  if (!playing_) return;
  position_ += passed * speed_ * scene_.description.scene.fps;
  const auto after = std::upper_bound(frames_.begin(), frames_.end(),
                                      static_cast<std::int64_t>(std::floor(position_ + 1e-6)));
  show(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after - frames_.begin() - 1)));
  if (shown_ + 1 == frames_.size()) {
    playing_ = false;
    position_ = static_cast<double>(frames_.back());
  }
}

double Playback::next_due(double) const {
  if (!playing_ || shown_ + 1 >= frames_.size())
    return playing_ ? 0 : std::numeric_limits<double>::infinity();
  const double left = static_cast<double>(frames_[shown_ + 1]) - position_;
  return std::max(0.0, left / (speed_ * scene_.description.scene.fps));
}

void Playback::draw(ShotMaker& maker, Shot& shot) {
  shot.frame = frame();
  shot.time = static_cast<double>(frame()) / scene_.description.scene.fps;
  const auto& materials = scene_.description.material;
  auto add = [&](const std::string& system, ports::Drawable drawable) {
    apply_materials(materials, system, drawable);
    maker.add(shot, system, drawable);
  };
  try {
    for (const io::OwnedDrawable& drawable : io::read_frame(folder_, frame()))
      add(system_of(drawable.get().name), drawable.get());
  } catch (const std::exception& error) {
    trouble_ = error.what();
    playing_ = false;
  }
  for (ports::Drawable& drawable : scenery_.drawables(shot.time)) add("", std::move(drawable));
}

Value Playback::scene_message() {
  Value message = scene_base(scene_.description, bounds_);
  message["frames"].data = frames_.back();
  ValueArray list;
  for (const SystemName& system : systems_) {
    ValueArray parts;
    for (const std::string& part : system.parts) parts.push_back({part});
    Value entry;
    entry["name"].data = system.name;
    entry["kind"].data = system.kind;
    entry["parts"].data = std::move(parts);
    entry["actions"].data = ValueArray{};
    entry["params"].data = ValueArray{};
    list.push_back(std::move(entry));
  }
  message["systems"].data = std::move(list);
  return message;
}

Value Playback::state_message() {
  Value message;
  message["type"].data = std::string("state");
  message["playing"].data = playing_;
  message["speed"].data = speed_;
  message["frame"].data = frame();
  message["time"].data = static_cast<double>(frame()) / scene_.description.scene.fps;
  message["dropped"].data = 0.0;
  message["rate"].data = playing_ ? speed_ * scene_.description.scene.fps : 0.0;
  message["step_ms"].data = 0.0;
  const auto note = notes_.find(frame());
  message["phases"] = note == notes_.end() ? Value{ValueTable{}} : note->second["phases"];
  message["figures"] = note == notes_.end() ? Value{ValueTable{}} : note->second["figures"];
  if (!trouble_.empty()) message["trouble"].data = trouble_;
  return message;
}

}  // namespace selkie::view
