// See particles.h.
#include "selkie/fluids/liquid/particles.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/core/random.h"

namespace selkie::liquid {

template <class Real>
void find_cells(const grid::Shape& shape, const Particles<Real>& particles, Buffer<std::uint32_t>& key) {
  const std::size_t count = particles.size();
  if (key.size() < count) key.resize(count);
  const auto [nx, ny, nz] = shape.cells();
  const Real *x = particles.x.data(), *y = particles.y.data(), *z = particles.z.data();
  const bool solid = shape.dims() == 3;
  std::uint32_t* const out = key.data();
  parallel_blocks(count, 16384, [&, nx = nx, ny = ny, nz = nz](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      const int i = std::clamp(static_cast<int>(x[p]), 0, nx - 1);
      const int j = std::clamp(static_cast<int>(y[p]), 0, ny - 1);
      const int k = solid ? std::clamp(static_cast<int>(z[p]), 0, nz - 1) : 0;
      out[p] = static_cast<std::uint32_t>(i + nx * (j + ny * k));
    }
  });
}

namespace {

// values[p] = values[source[p]] for the kept ones, through scratch.
template <class T>
void permute(const std::uint32_t* source, std::size_t kept, Buffer<T>& values, Buffer<T>& scratch) {
  if (values.empty()) return;
  if (scratch.size() < kept) scratch.resize(kept);
  const T* const from = values.data();
  T* const to = scratch.data();
  parallel_blocks(kept, 16384, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) to[p] = from[source[p]];
  });
  values.resize(kept);
  T* const back = values.data();
  parallel_blocks(kept, 65536, [&](std::size_t begin, std::size_t end) {
    std::copy(to + begin, to + end, back + begin);
  });
}

}  // namespace

template <class Real>
void sort(const grid::Shape& shape, Particles<Real>& particles, CellRanges& ranges, SortWork<Real>& work) {
  const std::size_t count = particles.size(), cells = shape.cell_count();
  ranges.start.assign(cells + 1, 0);
  if (work.source.size() < count) work.source.resize(count);
  const std::uint32_t* const key = work.key.data();
  std::uint32_t *const start = ranges.start.data(), *const source = work.source.data();
  // Counting sort; start[c + 1] counts, then becomes where cell c ends.
  bool in_order = true;
  std::uint32_t last = 0;
  for (std::size_t p = 0; p < count; ++p) {
    in_order &= key[p] >= last && key[p] != kDropped;
    last = key[p];
    if (key[p] != kDropped) ++start[key[p] + 1];
  }
  for (std::size_t c = 0; c < cells; ++c) start[c + 1] += start[c];
  if (in_order) return;
  const std::size_t kept = start[cells];
  for (std::size_t p = 0; p < count; ++p)
    if (key[p] != kDropped) source[start[key[p]]++] = static_cast<std::uint32_t>(p);
  std::copy_backward(start, start + cells, start + cells + 1);
  start[0] = 0;
  for (Buffer<Real>* values :
       {&particles.x, &particles.y, &particles.z, &particles.u, &particles.v, &particles.w})
    permute(source, kept, *values, work.values);
  permute(source, kept, particles.affine, work.affines);
  permute(source, kept, particles.identity, work.identities);
}

template <class Real>
void resize(const Model& model, std::size_t count, bool affine, Particles<Real>& particles) {
  for (std::size_t a = 0; a < static_cast<std::size_t>(model.shape.dims()); ++a) {
    particles.position()[a]->resize(count);
    particles.velocity()[a]->resize(count);
  }
  particles.identity.resize(count);
  if (affine)
    particles.affine.resize(count, Particles<Real>::Affine::Zero());
  else
    particles.affine.resize(0);
}

Vec3 seed_place(const Model& model, int i, int j, int k, int n, std::uint64_t stream) {
  const int s = model.seeds;
  const std::array<int, 3> part{n % s, n / s % s, n / (s * s)}, cell{i, j, k};
  const auto [nx, ny, nz] = model.shape.cells();
  const auto number =
      static_cast<std::uint64_t>((i + static_cast<std::int64_t>(nx) * (j + static_cast<std::int64_t>(ny) * k)) *
                                     model.particles_per_cell() +
                                 n);
  Vec3 place = Vec3::Zero();
  for (int a = 0; a < model.shape.dims(); ++a) {
    const auto b = static_cast<std::size_t>(a);
    // Not quite to the edge of the part: particles of neighbouring parts never fall together.
    const double jitter = random_uniform(stream, static_cast<std::uint64_t>(a), number, 0.05, 0.95);
    place[a] = cell[b] + (part[b] + jitter) / s;
  }
  return place;
}

template <class Real>
std::size_t seed(const Model& model, std::uint64_t stream, FunctionRef<bool(const Vec3&)> inside,
                 FunctionRef<Vec3(const Vec3&)> velocity, std::uint64_t& born, Particles<Real>& particles) {
  const grid::Shape& shape = model.shape;
  const std::size_t before = particles.size();
  const int dims = shape.dims(), per_cell = model.particles_per_cell();
  for (int k = 0; k < shape.cells()[2]; ++k)
    for (int j = 0; j < shape.cells()[1]; ++j)
      for (int i = 0; i < shape.cells()[0]; ++i)
        for (int n = 0; n < per_cell; ++n) {
          const Vec3 place = seed_place(model, i, j, k, n, stream);
          const Vec3 at = world_of(shape, place);
          if (!inside(at)) continue;
          const Vec3 moving = velocity ? velocity(at) : Vec3(Vec3::Zero());
          for (int a = 0; a < dims; ++a) {
            particles.position()[static_cast<std::size_t>(a)]->push_back(static_cast<Real>(place[a]));
            particles.velocity()[static_cast<std::size_t>(a)]->push_back(static_cast<Real>(moving[a]));
          }
          particles.identity.push_back(born++);
        }
  return particles.size() - before;
}

#define SELKIE_INSTANTIATE(Real)                                                                             \
  template void find_cells<Real>(const grid::Shape&, const Particles<Real>&, Buffer<std::uint32_t>&);        \
  template void sort<Real>(const grid::Shape&, Particles<Real>&, CellRanges&, SortWork<Real>&);              \
  template void resize<Real>(const Model&, std::size_t, bool, Particles<Real>&);                             \
  template std::size_t seed<Real>(const Model&, std::uint64_t, FunctionRef<bool(const Vec3&)>,               \
                                  FunctionRef<Vec3(const Vec3&)>, std::uint64_t&, Particles<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::liquid
