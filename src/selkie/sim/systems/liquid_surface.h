// From what the surface of a liquid that is drawn and exported is made.
#pragma once

#include <array>
#include <string_view>

#include "selkie/fluids/liquid/state.h"
#include "selkie/grid/particle_surface.h"

namespace selkie::sim {

enum class LiquidMesh {
  solver,       // the surface that the solver steps with
  averaged,     // the mean of the particles around [Zhu05 §5; Solenthaler07]
  anisotropic,  // particles flattened along the surface: thin sheets and sharp splashes [Yu13]
};
constexpr auto describe(LiquidMesh*) {
  return std::array<std::string_view, 3>{"solver", "averaged", "anisotropic"};
}

struct LiquidSurfaceWork {
  std::vector<std::uint32_t> start;
  grid::ParticleSurfaceWork<float> particles;
};

// φ at cell centres from the particles, by other kernels than the solver's.
void find_drawn_surface(const liquid::Model& model, LiquidMesh kernel,
                        const liquid::Particles<float>& particles, Buffer<float>& surface,
                        LiquidSurfaceWork& work);

}  // namespace selkie::sim
