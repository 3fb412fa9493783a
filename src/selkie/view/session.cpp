// See session.h.
#include "selkie/view/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>

#include "selkie/core/error.h"
#include "selkie/core/log.h"
#include "selkie/core/text.h"
#include "selkie/sim/input_log.h"

namespace selkie::view {
namespace {

constexpr double kSlowest = 0.01, kFastest = 4;

std::string told(const InputError& error) {
  const std::string where = error.where().text();
  return where.empty() ? error.problem() : where + ": " + error.problem();
}

}  // namespace

Session::Session(SessionOptions options) : options_(std::move(options)) {
  rebuild(options_.scene, options_.settings);
  playing_ = !options_.paused;
}
Session::~Session() = default;

double Session::step_seconds() const {
  const sim::WorldSettings& settings = stage_->world.settings();
  return 1 / (settings.fps * settings.steps_per_frame);
}

// A retried step ends between two cuts. Events there would not replay: the log's own tick would cut the step
// differently.
bool Session::at_cut() const {
  const sim::World& world = stage_->world;
  const Tick parts = world.settings().steps_per_frame, sync = kTicksPerFrame / parts;
  const Tick offset = world.now() % kTicksPerFrame;
  return offset == 0 || (offset % sync == 0 && offset / sync < parts);
}

void Session::rebuild(const std::string& scene, std::vector<std::string> settings) {
  Stage stage = options_.build(scene, settings);  // throws: everything stays as it is
  stage_.emplace(std::move(stage));
  scenery_.emplace(stage_->description.collider);
  scene_ = scene;
  settings_ = std::move(settings);
  trouble_.clear();
  last_ = {};
  budget_ = {};
  step_ms_ = rate_ = 0, steps_since_ = 0, rate_since_ = now_;
  bounds_.setEmpty();
  parts_.clear();
  for (const auto& system : stage_->world.systems()) {
    sim::SystemReport report;
    report.system = system->name();
    report.figures = system->figures(stage_->world.environment());
    last_.systems.push_back(std::move(report));
    parts_.emplace_back();
    for (const ports::Drawable& drawable : system->drawables()) {
      extend_bounds(bounds_, drawable);
      parts_.back().push_back(drawable.name);
    }
  }
  for (const ports::Drawable& drawable : scenery_->drawables(0)) extend_bounds(bounds_, drawable);
  ++version_, ++scene_version_;
}

Reply Session::carry_out(const Command& command) {
  try {
    return carry_out_checked(command);
  } catch (const InputError& error) {
    return Reply::refusal(told(error), error.remedy());
  } catch (const std::bad_alloc&) {
    return Reply::refusal("out of memory", "use a lower resolution");
  } catch (const std::exception& error) {
    return Reply::refusal(error.what());
  }
}

Reply Session::stopped() const {
  return Reply::refusal("the world has stopped: " + trouble_,
                        "reset it; a smaller step, softer parameters or an implicit integrator may help");
}

Reply Session::carry_out_checked(const Command& command) {
  switch (command.kind) {
    case CommandKind::play:
      if (!trouble_.empty()) return stopped();
      playing_ = true;
      return {};
    case CommandKind::pause:
      playing_ = false;
      return {};
    case CommandKind::step:
      playing_ = false;
      if (!trouble_.empty()) return stopped();
      take_step();
      return trouble_.empty() ? Reply{} : stopped();
    case CommandKind::reset:
      rebuild(scene_, settings_);
      return {};
    case CommandKind::open: {
      const auto& known = options_.scenes;
      if (std::none_of(known.begin(), known.end(), [&](const auto& s) { return s.name == command.scene; }))
        return Reply::refusal("there is no shipped scene '" + command.scene.substr(0, 80) + "'",
                              "`hello` lists them");
      rebuild(command.scene, {});
      return {};
    }
    case CommandKind::speed:
      if (!(command.factor >= kSlowest && command.factor <= kFastest))
        return Reply::refusal("the speed " + number_text(command.factor) + " is out of range",
                              "use 0.01 to 4");
      speed_ = command.factor;
      return {};
    case CommandKind::seek:
      return Reply::refusal("a live world cannot go to a frame", "step or reset it");
    case CommandKind::set:
      return set(command);
    case CommandKind::event:
      return send_event(command);
    case CommandKind::inputs: {
      const Recording log = recording();
      ValueArray settings;
      for (const std::string& setting : log.settings) settings.push_back({setting});
      return {
          true,
          {},
          {},
          {ValueTable{
              {"type", {std::string("inputs")}}, {"toml", {log.toml}}, {"settings", {std::move(settings)}}}}};
    }
    case CommandKind::hash:
      return {true,
              {},
              {},
              {ValueTable{{"type", {std::string("hash")}},
                          {"hash", {stage_->world.hash().hex()}},
                          {"frame", {stage_->world.frame()}},
                          {"tick", {std::to_string(stage_->world.now())}}}}};
  }
  return {};
}

// Only parameters of systems, never other keys of a scene: those name files.
Reply Session::set(const Command& command) {
  sim::World& world = stage_->world;
  sim::System* system = world.find(command.system);
  if (!system)
    return Reply::refusal("there is no system '" + command.system.substr(0, 80) + "'", "`scene` lists them");
  const Field* field = find_parameter(system->params_type(), command.path_or_action);
  if (!field)
    return Reply::refusal(
        "'" + command.system + "' has no parameter '" + command.path_or_action.substr(0, 80) + "'",
        "it has " + join_choices(system->params_type().field_names()));
  if (field->live && trouble_.empty()) {
    ports::InputEvent event{world.now(), command.system, "set", {}};
    event.arguments["path"].data = command.path_or_action;
    event.arguments["value"] = command.value;
    world.apply_now(std::move(event));
    ++version_, ++scene_version_;
    return {};
  }
  std::vector<std::string> settings = settings_;
  const std::string key = command.system + "." + command.path_or_action + "=";
  std::erase_if(settings, [&](const std::string& known) { return known.starts_with(key); });
  settings.push_back(key + to_toml_inline(command.value));
  rebuild(scene_, std::move(settings));
  return {};
}

Reply Session::send_event(const Command& command) {
  if (!trouble_.empty()) return stopped();
  if (command.path_or_action == "set")
    return Reply::refusal("'set' is no action", "send a message of type 'set'");
  stage_->world.apply_now({stage_->world.now(), command.system, command.path_or_action, command.value});
  ++version_;
  return {};
}

// To the next cut of the frame: one sync step, or several after a retry.
void Session::take_step() {
  sim::World& world = stage_->world;
  for (ports::InputEvent& event : budget_.after_step(world, last_, step_ms_ / 1000))
    world.apply_now(std::move(event));
  const auto begin = std::chrono::steady_clock::now();
  do {
    last_ = world.sync_step();
    pacer_.taken(last_.dt);
  } while (last_.ok && !at_cut());
  step_ms_ = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  ++version_, ++steps_since_;
  if (last_.ok) return;
  playing_ = false;
  trouble_ = fmt::format("t = {:.6g} s: {} (after {} halvings of the step)", last_.time, last_.trouble,
                         last_.retries);
  log_warning("the world stopped: " + trouble_);
}

void Session::advance(double now) {
  now_ = now;
  pacer_.pass(now, playing_ ? speed_ : 0, kCatchUpFrames / stage_->world.settings().fps);
  if (playing_ && pacer_.due(step_seconds())) {
    try {
      take_step();
    } catch (const std::exception& error) {
      playing_ = false;
      trouble_ = error.what();
    }
  }
  constexpr double kRateWindow = 0.5;  // s
  if (now - rate_since_ >= kRateWindow) {
    rate_ = static_cast<double>(steps_since_) / (now - rate_since_);
    rate_since_ = now, steps_since_ = 0;
  }
}

double Session::next_due(double) const { return pacer_.wait(step_seconds(), playing_ ? speed_ : 0); }

void Session::draw(ShotMaker& maker, Shot& shot) {
  sim::World& world = stage_->world;
  shot.frame = world.frame();
  shot.time = world.time();
  const auto& materials = stage_->description.material;
  auto add = [&](std::string_view system, std::vector<ports::Drawable> drawables) {
    for (ports::Drawable& drawable : drawables) {
      apply_materials(materials, system, drawable);
      maker.add(shot, system, drawable);
    }
  };
  for (const auto& system : world.systems()) add(system->name(), system->drawables());
  add("", scenery_->drawables(world.time()));
}

Value Session::systems_value() {
  ValueArray list;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    sim::System& system = *stage_->world.systems()[i];
    Value entry;
    entry["name"].data = system.name();
    entry["kind"].data = std::string(system.kind());
    ValueArray parts, actions;
    for (const std::string& part : parts_[i]) parts.push_back({part});
    for (const std::string& action : system.actions()) actions.push_back({action});
    entry["parts"].data = std::move(parts);
    entry["actions"].data = std::move(actions);
    entry["params"].data = parameter_list(system.params_type(), system.params());
    list.push_back(std::move(entry));
  }
  return {std::move(list)};
}

Value Session::scene_message() {
  Value message = scene_base(stage_->description, bounds_);
  message["systems"] = systems_value();
  return message;
}

Value Session::state_message() {
  Value message;
  message["type"].data = std::string("state");
  message["playing"].data = playing_;
  message["speed"].data = speed_;
  message["frame"].data = std::int64_t{stage_->world.frame()};
  message["time"].data = stage_->world.time();
  message["dropped"].data = pacer_.dropped();
  message["rate"].data = rate_;
  message["step_ms"].data = step_ms_;
  Value& phases = message["phases"];
  phases.data = ValueTable{};
  for (const auto& [name, time] : last_.phases) phases[name].data = time.seconds * 1e3;
  Value& figures = message["figures"];
  figures.data = ValueTable{};
  for (const sim::SystemReport& system : last_.systems) {
    Value& own = figures[system.system];
    own.data = ValueTable{};
    for (const auto& [name, value] : system.figures) own[name].data = value;
  }
  if (!trouble_.empty()) message["trouble"].data = trouble_;
  return message;
}

Recording Session::recording() const {
  return {scene_, settings_, sim::events_to_toml(stage_->world.applied_events())};
}

}  // namespace selkie::view
