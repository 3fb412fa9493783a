// Where `selkie render` takes its frames from: the folder of a run, or a scene simulated on the spot.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "selkie/ports/drawable.h"
#include "selkie/scene/scene.h"

namespace selkie::cli {

// A simulation gave up on the way to a frame.
struct NumericalFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// A signal came while a frame was being made.
struct Interrupted {};

class FrameSource {
 public:
  virtual ~FrameSource() = default;

  virtual const scene::SceneDescription& description() const = 0;
  // Frames that can be asked for when nobody names one, in order, and the last of them.
  virtual std::vector<std::int64_t> all() const = 0;
  virtual std::int64_t last() const = 0;
  virtual bool has(std::int64_t frame) const = 0;
  // InputError when this source can never give the frame.
  virtual void require(std::int64_t frame) const = 0;
  // Systems and colliders at a frame. The spans stay valid until the next call. Going back is allowed.
  virtual std::vector<ports::Drawable> drawables(std::int64_t frame) = 0;
};

// `progress` hears of every simulated frame.
std::unique_ptr<FrameSource> open_frames(const std::string& scene_or_folder,
                                         const std::vector<std::string>& settings,
                                         std::function<void(std::int64_t frame)> progress);

}  // namespace selkie::cli
