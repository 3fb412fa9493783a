// The light of a picture: a sun with a disc, and a sky that fades from horizon to zenith.
#pragma once

#include <array>

#include "selkie/ports/picture.h"
#include "selkie/render/detail/vectors.h"

namespace selkie::render::detail {

class Light {
 public:
  explicit Light(const ports::Lighting& lighting);

  // Radiance of the sky without the sun. Below the horizon it has the horizon's colour.
  Rgb sky(const Vec3f& direction) const;
  // Mean radiance of the upper half, weighted by the cosine: what a white level surface shows.
  const Rgb& sky_mean() const { return sky_mean_; }

  bool has_sun() const { return sun_irradiance_.maxCoeff() > 0; }
  const Rgb& sun_irradiance() const { return sun_irradiance_; }  // on a surface that faces it
  const Vec3f& sun_direction() const { return sun_.n; }
  // Evenly over the disc.
  Vec3f sample_sun(const std::array<float, 2>& u) const;
  // Density (1/sr) of sample_sun; 0 away from the disc and for a sun without width.
  float sun_density(const Vec3f& direction) const;

 private:
  Frame sun_;
  Rgb sun_irradiance_, zenith_, horizon_, sky_mean_;
  float sun_cosine_ = 1;   // of half its width
  float sun_density_ = 0;  // one over its solid angle
};

}  // namespace selkie::render::detail
