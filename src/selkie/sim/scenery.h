// Colliders as drawables: renderer and viewer show what bodies fall on. A plane becomes a wide square and
// counts as backdrop; other shapes are meshes at rest size, moved to their place at a time.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "selkie/ports/drawable.h"
#include "selkie/sim/collider.h"

namespace selkie::sim {

class Scenery {
 public:
  explicit Scenery(std::span<const ColliderDescription> colliders);
  ~Scenery();
  Scenery(Scenery&&) noexcept;
  Scenery& operator=(Scenery&&) noexcept;

  // Where the colliders are at `time` (s). The spans stay valid until the next call.
  std::vector<ports::Drawable> drawables(double time);

 private:
  struct Piece;
  std::vector<std::unique_ptr<Piece>> pieces_;
};

}  // namespace selkie::sim
