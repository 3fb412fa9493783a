// A finished run for pages to look at: its frame files, its scene and the figures of its stats.csv. Frames
// are read only when somebody waits for one, so that a slow disk skips frames and never lags behind.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "selkie/scene/scene.h"
#include "selkie/sim/scenery.h"
#include "selkie/view/messages.h"
#include "selkie/view/source.h"

namespace selkie::view {

class Playback final : public Source {
 public:
  // InputError when the folder holds no run.
  explicit Playback(std::filesystem::path folder, bool paused = false);
  ~Playback() override;

  std::string_view mode() const override { return "playback"; }
  Reply carry_out(const Command& command) override;
  void advance(double now) override;
  double next_due(double now) const override;
  bool playing() const override { return playing_; }
  const std::string& trouble() const override { return trouble_; }
  std::uint64_t version() const override { return version_; }
  std::uint64_t scene_version() const override { return 1; }
  void draw(ShotMaker& maker, Shot& shot) override;
  Value scene_message() override;
  Value state_message() override;

  std::int64_t frame() const { return frames_[shown_]; }

 private:
  struct SystemName {
    std::string name, kind;
    std::vector<std::string> parts;
  };
  void read_stats();
  void show(std::size_t index);
  std::string system_of(const std::string& drawable) const;

  std::filesystem::path folder_;
  scene::Scene scene_;
  sim::Scenery scenery_;
  std::vector<std::int64_t> frames_;
  std::vector<SystemName> systems_;
  geometry::BoundingBox bounds_;
  std::map<std::int64_t, Value> notes_;  // frame to the figures, phases and time of its row

  bool playing_ = false;
  double speed_ = 1;
  double position_ = 0;  // in frames
  double last_ = 0;
  bool has_clock_ = false;
  std::size_t shown_ = 0;
  std::uint64_t version_ = 1;
  std::string trouble_;
};

}  // namespace selkie::view
