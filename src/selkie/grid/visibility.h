// Visibility policies of samplers. A policy says which samples may have something between them and the values
// they read, and answers for those; the others never ask. With AllVisible the questions compile away.
//
// A policy for thin shells (HY-17) provides:
//   static constexpr bool kAllVisible = false;
//   bool affects(Place, int i, int j, int k) const     rays from this sample may meet something
//   Vec3 ray_end(const Vec3& from, const Vec3& to) const      where a ray stops: `to`, or just before a hit
//   double seen(const Vec3& from, Place, int i, int j, int k, double stored) const
//                                            the stored value of a sample, or what stands in for a hidden one
#pragma once

#include "selkie/grid/shape.h"

namespace selkie::grid {

struct AllVisible {
  static constexpr bool kAllVisible = true;
};

}  // namespace selkie::grid
