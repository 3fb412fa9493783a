// A volume of smoke or fire: extinction on a dense grid, the largest of each 8³ brick so that empty space is
// skipped, and the light that reaches each place, computed once per picture. Rays are marched in steps of
// about a cell from a random start [PBRT4 §11].
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "selkie/core/function_ref.h"
#include "selkie/ports/drawable.h"
#include "selkie/render/detail/finish.h"
#include "selkie/render/detail/light.h"
#include "selkie/render/detail/vectors.h"

namespace selkie::render::detail {

class SmokeBox {
 public:
  // Absent when there is nothing to see; `origin` is what positions are relative to.
  static std::optional<SmokeBox> make(const std::string& name, const ports::Volume& volume,
                                      const Finish& finish, const Vec3& origin);

  // Fills the light cache. `sun_visible(position)` tells whether surfaces leave the sun free, in [0, 1].
  void light_up(const Light& light, const Rgb& ground_radiance, FunctionRef<float(const Vec3f&)> sun_visible);

  // The part of a ray inside the box; entry >= exit when it misses.
  struct Span {
    float entry, exit;
  };
  Span span(const Vec3f& origin, const Vec3f& direction, float far) const;

  // Light gathered along the ray, and the share of light from behind that comes through.
  struct Result {
    Rgb radiance = Rgb::Zero();
    float through = 1;
  };
  Result march(const Vec3f& origin, const Vec3f& direction, Span span, float jitter,
               float cells_per_step) const;
  // Integral of the extinction along the ray.
  float optical_depth(const Vec3f& origin, const Vec3f& direction, Span span, float jitter,
                      float cells_per_step) const;

 private:
  SmokeBox() = default;
  template <class Visit>
  void walk(const Vec3f& origin, const Vec3f& direction, Span span, float jitter, float cells_per_step,
            Visit&& visit) const;
  void find_bricks();
  float at(const std::vector<float>& field, const Vec3f& cell) const;
  Rgb source(const Vec3f& cell, float extinction, float& emitted) const;

  Vec3f low_, high_;
  float cell_size_ = 1;
  std::array<int, 3> cells_{}, bricks_{}, light_cells_{};
  std::vector<float> extinction_, heat_, brick_max_;  // 1/m; 0 cold to 1 white-hot; either
  std::vector<std::array<float, 2>> light_;           // shares of sun and of sky that arrive
  int light_stride_ = 1;                              // cells per light cell
  Rgb albedo_, sun_, sky_, below_;
};

}  // namespace selkie::render::detail
