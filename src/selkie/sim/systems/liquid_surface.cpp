// See liquid_surface.h.
#include "selkie/sim/systems/liquid_surface.h"

namespace selkie::sim {

void find_drawn_surface(const liquid::Model& model, LiquidMesh kernel,
                        const liquid::Particles<float>& particles, Buffer<float>& surface,
                        LiquidSurfaceWork& work) {
  const grid::Shape& shape = model.shape;
  const auto [nx, ny, nz] = shape.cells();
  // Particles are in the order of cells (particles.h).
  work.start.assign(shape.cell_count() + 1, 0);
  for (std::size_t p = 0; p < particles.size(); ++p) {
    const Vec3 at = liquid::place_of(particles, p);
    ++work.start[static_cast<std::size_t>(int(at.x()) + nx * (int(at.y()) + ny * int(at.z()))) + 1];
  }
  for (std::size_t c = 0; c < shape.cell_count(); ++c) work.start[c + 1] += work.start[c];
  grid::ParticleSurfaceParams params;
  params.kernel =
      kernel == LiquidMesh::averaged ? grid::ParticleKernel::averaged : grid::ParticleKernel::anisotropic;
  params.per_cell = model.particles_per_cell();
  for (std::size_t side = 0; side < 6; ++side)
    params.mirror[side] = model.sides[side] == liquid::Side::closed;
  grid::SortedParticles<float> sorted;
  for (std::size_t a = 0; a < static_cast<std::size_t>(shape.dims()); ++a)
    sorted.position[a] = {particles.position()[a]->data(), particles.size()};
  sorted.start = work.start;
  if (surface.size() != shape.size()) surface.resize(shape.size());
  grid::surface_from_particles<float>(shape, params, sorted, grid::view(shape, surface), work.particles);
}

}  // namespace selkie::sim
