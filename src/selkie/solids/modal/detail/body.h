// One body in one step, as its contacts see it. Included by .cpp files only.
#pragma once

#include "selkie/math/lanes.h"
#include "selkie/solids/modal/contacts.h"

namespace selkie::modal::detail {

struct Body {
  const Model& model;
  const Params& params;
  const Inputs& inputs;
  Interval interval;
  const State& from;
  std::size_t index;
  const FreeMotion& free;
  BodyWork& work;
  double h = interval.dt();
  Mat3 start_rotation = orientation(from, index).toRotationMatrix();
  Mat3 middle_rotation = orientation(from, index).slerp(0.5, free.orientation).toRotationMatrix();

  std::size_t width() const { return kFrame + model.padded_modes; }
  double* row(std::size_t contact, int axis) const {
    return work.rows.data() + (3 * contact + static_cast<std::size_t>(axis)) * width();
  }
};

// X + Φ q of one vertex in the body frame, q padded.
inline Vec3 local_position(const Model& model, const double* q, std::size_t vertex) {
  using namespace lanes;
  const double* phi = model.vertex_modes.data() + 3 * vertex * model.padded_modes;
  Vec3 x = model.rest_position(vertex);
  for (int c = 0; c < 3; ++c, phi += model.padded_modes) {
    Lanes sums{};
    for (std::size_t k = 0; k < model.padded_modes; k += kLanes)
      sums = madd(load(phi + k), load(q + k), sums);
    x[c] += sum(sums);
  }
  return x;
}

// Fills work.contacts.
void find_contacts(const Body& b);

// What the axes of the last contact see of the motion, and how it moves by impulses along them.
void finish_contact(const Body& b);

}  // namespace selkie::modal::detail
