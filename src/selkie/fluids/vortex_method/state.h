// State of a vortex-method domain: everything that influences a later step. The stream function is that of
// the middle of the last step (of the start, before the first): what the next solve begins with and what the
// length of the next step is judged by.
#pragma once

#include <array>
#include <cstdint>

#include "selkie/core/buffer.h"
#include "selkie/core/describe.h"
#include "selkie/fluids/vortex_method/model.h"
#include "selkie/math/types.h"

namespace selkie::vortex_method {

template <class Real>
struct State {
  Buffer<Vec3> positions;
  Buffer<Vec3> strengths;
  Buffer<Real> stream_x, stream_y, stream_z;  // on Model::edges; ghosts are zero
  Buffer<Real> density;
  std::uint64_t steps = 0;

  std::array<Buffer<Real>*, 3> stream() { return {&stream_x, &stream_y, &stream_z}; }
  std::array<const Buffer<Real>*, 3> stream() const { return {&stream_x, &stream_y, &stream_z}; }
};

template <class Real>
constexpr auto describe(State<Real>*) {
  using S = State<Real>;
  return Members{
      member("positions", &S::positions, "m", "Vortex particles"),
      member("strengths", &S::strengths, "m³/s", "Vorticity times volume of each"),
      member("stream_x", &S::stream_x, "m²/s", "Stream function along x at edges along x inside the box"),
      member("stream_y", &S::stream_y, "m²/s", "Stream function along y at edges along y inside the box"),
      member("stream_z", &S::stream_z, "m²/s", "Stream function along z at edges along z inside the box"),
      member("density", &S::density, "1", "Amount of smoke at cell centres"),
      member("steps", &S::steps, "", "Steps made; says when particles are put back on the grid"),
  };
}
static_assert(complete<State<float>>());

// No particles, no smoke.
template <class Real>
State<Real> make_state(const Model& model);

// Σ α, m³/s, and the linear impulse ½ Σ x × α, m⁴/s, of unit density, about the middle of the box.
template <class Real>
Vec3 total_strength(const State<Real>& state);
template <class Real>
Vec3 impulse(const Model& model, const State<Real>& state);

}  // namespace selkie::vortex_method
