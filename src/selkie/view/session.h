// A live world for pages to look at and touch. Time is paced by RT-01 (pacer.h); everything a user does
// enters through World::apply_now, only at the cuts of a frame, so that the log replays to the same bits
// offline. A world that fails numerically stands still and says why; it goes on after a reset.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "selkie/scene/scene.h"
#include "selkie/sim/scenery.h"
#include "selkie/sim/step_budget.h"
#include "selkie/sim/world.h"
#include "selkie/view/messages.h"
#include "selkie/view/pacer.h"
#include "selkie/view/source.h"

namespace selkie::view {

struct Stage {
  scene::SceneDescription description;
  sim::World world;
};
// Builds a scene by name or path with these `--set`s; InputError when it cannot.
using StageBuilder = std::function<Stage(const std::string& scene, std::span<const std::string> settings)>;

struct SessionOptions {
  StageBuilder build;
  std::string scene;                  // the first one
  std::vector<std::string> settings;  // as in --set, for the first one
  std::vector<SceneChoice> scenes;    // what `open` accepts
  bool paused = false;
};

// The log of a session: what `selkie run --inputs` replays, and the --sets it needs.
struct Recording {
  std::string scene;
  std::vector<std::string> settings;
  std::string toml;
};

class Session final : public Source {
 public:
  explicit Session(SessionOptions options);
  ~Session() override;

  std::string_view mode() const override { return "live"; }
  Reply carry_out(const Command& command) override;
  void advance(double now) override;
  double next_due(double now) const override;
  bool playing() const override { return playing_; }
  const std::string& trouble() const override { return trouble_; }
  std::uint64_t version() const override { return version_; }
  std::uint64_t scene_version() const override { return scene_version_; }
  void draw(ShotMaker& maker, Shot& shot) override;
  Value scene_message() override;
  Value state_message() override;

  Recording recording() const;
  sim::World& world() { return stage_->world; }
  double dropped() const { return pacer_.dropped(); }

  // At most this many frames are caught up when the clock has run ahead.
  static constexpr int kCatchUpFrames = 4;

 private:
  Reply carry_out_checked(const Command& command);
  void rebuild(const std::string& scene, std::vector<std::string> settings);
  Reply set(const Command& command);
  Reply send_event(const Command& command);
  void take_step();
  bool at_cut() const;
  double step_seconds() const;
  Value systems_value();
  Reply stopped() const;

  SessionOptions options_;
  std::string scene_;
  std::vector<std::string> settings_;
  std::optional<Stage> stage_;
  std::optional<sim::Scenery> scenery_;
  geometry::BoundingBox bounds_;
  std::vector<std::vector<std::string>> parts_;  // drawables of each system at the start

  bool playing_ = false;
  double speed_ = 1;
  Pacer pacer_;
  std::string trouble_;
  std::uint64_t version_ = 1, scene_version_ = 1;

  sim::SyncReport last_;  // of the last step
  double step_ms_ = 0;
  sim::StepBudget budget_;
  double now_ = 0, rate_since_ = 0, rate_ = 0;
  std::int64_t steps_since_ = 0;
};

}  // namespace selkie::view
