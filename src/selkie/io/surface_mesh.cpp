// See surface_mesh.h. The samples are first copied into a box that ends with a layer on each wall (φ
// extrapolated by half a cell from cell centres) and one more in the same place, outside: cells between these
// two have no thickness, and their vertices are the caps.
#include "selkie/io/surface_mesh.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/check.h"
#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/grid/level_set.h"
#include "selkie/grid/loops.h"
#include "selkie/io/detail/surface_patches.h"

namespace selkie::io {
namespace {

using detail::Patches;

class Mesher {
 public:
  Mesher(const grid::Shape& shape, grid::Place place, SurfaceMesh& surface, SurfaceMeshWork& work)
      : surface_(surface), work_(work) {
    for (int a = 0; a < 3; ++a) {
      const int n = shape.samples(place)[std::size_t(a)];
      const bool at_walls = place == grid::Place::node || place == grid::face_place(a);
      before_[a] = at_walls ? 1 : 2;  // layers in front of the first sample
      count_[a] = n + 2 * before_[a];
      coordinates_[a].resize(std::size_t(count_[a]));
      const double first = shape.position(place, 0, 0, 0)[a], h = shape.cell_size();
      const double low = shape.origin()[a], high = low + shape.extent()[a];
      for (int e = 0; e < count_[a]; ++e)
        coordinates_[a][std::size_t(e)] = std::clamp(first + h * (e - before_[a]), low, high);
    }
    stride_ = {1, count_[0], std::ptrdiff_t(count_[0]) * count_[1]};
  }

  template <class T>
  void load(const grid::Shape& shape, grid::Place place, const grid::View<const T>& phi) {
    const auto outside = static_cast<float>(shape.cell_size());
    work_.values.resize(std::size_t(stride_[2]) * std::size_t(count_[2]));
    const grid::Index n = shape.samples(place);
    grid::for_each_row({{0, 0, 0}, {count_[0], count_[1], count_[2]}}, [&](int y, int z) {
      float* const row = work_.values.data() + y * stride_[1] + z * stride_[2];
      std::fill_n(row, count_[0], outside);
      const int j = y - before_[1], k = z - before_[2];
      if (j < 0 || j >= n[1] || k < 0 || k >= n[2]) return;
      const T* const from = phi.line(j, k);
      float* const to = row + before_[0];
      for (int i = 0; i < n[0]; ++i) to[i] = static_cast<float>(from[i]);
    });
    for (int a = 0; a < 3; ++a)
      if (before_[a] == 2) extrapolate(a, n[std::size_t(a)]);
  }

  void run() {
    number_vertices();
    place_vertices();
    count_quads();
    write_triangles();
  }

 private:
  // φ on the two walls across an axis, half a cell beyond the last samples.
  void extrapolate(int a, int samples) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    const std::ptrdiff_t s = stride_[a], inner = samples > 1 ? s : 0;
    for (int z = 1; z < count_[c] - 1; ++z)
      for (int y = 1; y < count_[b] - 1; ++y) {
        float* const low = work_.values.data() + y * stride_[b] + z * stride_[c] + s;
        low[0] = 1.5f * low[s] - 0.5f * low[s + inner];
        float* const high = low + samples * s + s;
        high[0] = 1.5f * high[-s] - 0.5f * high[-s - inner];
      }
  }

  const float* at(int i, int j, int k) const {
    return work_.values.data() + i + j * stride_[1] + k * stride_[2];
  }
  unsigned code(const float* f) const {
    auto inside = [](float v) { return v < 0 ? 1u : 0u; };
    const std::ptrdiff_t y = stride_[1], z = stride_[2];
    return inside(f[0]) | inside(f[1]) << 1 | inside(f[y]) << 2 | inside(f[y + 1]) << 3 | inside(f[z]) << 4 |
           inside(f[z + 1]) << 5 | inside(f[z + y]) << 6 | inside(f[z + y + 1]) << 7;
  }
  // The patches of a cell. Where two cells would each cross their common face twice with one patch, four
  // quadrangles would meet in one edge: both join the inner corners there instead. [Wenger13]
  Patches patches_of(const float* f, unsigned inside) const {
    const Patches& usual = detail::default_patches()[inside];
    if (usual.twice == 0) return usual;
    unsigned joined = 0;
    for (int face = 0; face < 6; ++face) {
      if ((usual.twice >> face & 1) == 0) continue;
      const std::ptrdiff_t step = (face & 1) != 0 ? stride_[face / 2] : -stride_[face / 2];
      if ((detail::default_patches()[code(f + step)].twice >> (face ^ 1) & 1) != 0) joined |= 1u << face;
    }
    return joined == 0 ? usual : detail::trace_patches(inside, joined);
  }

  // visit(i, j, k, f, code) for the cells of a row that the surface crosses.
  template <class Visit>
  void each_cell(int j, int k, Visit&& visit) const {
    const float* const f = at(0, j, k);
    const std::ptrdiff_t y = stride_[1], z = stride_[2];
    auto column = [&](int i) {
      return unsigned(f[i] < 0) | unsigned(f[i + y] < 0) << 2 | unsigned(f[i + z] < 0) << 4 |
             unsigned(f[i + z + y] < 0) << 6;
    };
    unsigned low = column(0);
    for (int i = 0; i < count_[0] - 1; ++i) {
      const unsigned high = column(i + 1), inside = low | high << 1;
      if (inside != 0 && inside != 255) visit(i, f + i, inside);
      low = high;
    }
  }
  grid::Box cell_rows() const { return {{0, 0, 0}, {count_[0] - 1, count_[1] - 1, count_[2] - 1}}; }
  std::size_t row_of(int j, int k) const { return std::size_t(j) + std::size_t(k) * std::size_t(count_[1]); }

  static std::uint32_t sum_up(std::vector<std::uint32_t>& counts) {  // counts become begins
    std::uint32_t sum = 0;
    for (std::uint32_t& c : counts) sum += std::exchange(c, sum);
    return sum;
  }

  void number_vertices() {
    work_.row_vertices.assign(std::size_t(count_[1]) * std::size_t(count_[2]), 0);
    work_.first.resize(work_.values.size());
    grid::for_each_row(cell_rows(), [&](int j, int k) {
      std::uint32_t count = 0;
      each_cell(j, k, [&](int, const float* f, unsigned inside) { count += patches_of(f, inside).count; });
      work_.row_vertices[row_of(j, k)] = count;
    });
    const std::size_t count = sum_up(work_.row_vertices);
    surface_.mesh.positions.resize(count);
    surface_.on_wall.resize(count);
  }

  void place_vertices() {
    grid::for_each_row(cell_rows(), [&](int j, int k) {
      std::uint32_t next = work_.row_vertices[row_of(j, k)];
      each_cell(j, k, [&](int i, const float* f, unsigned inside) {
        const Patches patches = patches_of(f, inside);
        work_.first[std::size_t(f - work_.values.data())] = next;
        for (std::uint8_t patch = 0; patch < patches.count; ++patch, ++next)
          place_vertex({i, j, k}, f, patches, patch, next);
      });
    });
  }
  void place_vertex(const std::array<int, 3>& cell, const float* f, const Patches& patches,
                    std::uint8_t patch, std::uint32_t vertex) {
    Vec3 low, size;
    for (int a = 0; a < 3; ++a) {
      const double* const x = coordinates_[a].data() + cell[std::size_t(a)];
      low[a] = x[0], size[a] = x[1] - x[0];
    }
    std::array<double, 8> corners;
    for (std::size_t c = 0; c < 8; ++c)
      corners[c] = f[(c & 1) + (c >> 1 & 1) * std::size_t(stride_[1]) + (c >> 2) * std::size_t(stride_[2])];
    // Mean of the crossings; those of edges without length tell nothing if there are others.
    Vec3 sum = Vec3::Zero(), flat_sum = Vec3::Zero();
    int count = 0, flat_count = 0;
    for (int e = 0; e < 12; ++e) {
      if (patches.of_edge[std::size_t(e)] != patch) continue;
      const auto [p, q] = detail::ends_of(e);
      Vec3 x(p & 1, p >> 1 & 1, p >> 2);
      x[e / 4] = corners[std::size_t(p)] / (corners[std::size_t(p)] - corners[std::size_t(q)]);
      if (size[e / 4] > 0)
        sum += x, ++count;
      else
        flat_sum += x, ++flat_count;
    }
    Vec3 x = count > 0 ? Vec3(sum / count) : Vec3(flat_sum / flat_count);
    std::uint8_t walls = 0;
    for (int a = 0; a < 3; ++a) walls = std::uint8_t(walls | (size[a] > 0 ? 0 : 1 << a));
    if (walls == 0 && patches.count == 1) x = onto_surface(corners, size, x);
    surface_.mesh.positions[vertex] = low + size.cwiseProduct(x);
    surface_.on_wall[vertex] = walls;
  }
  // Two steps of Newton's method towards the zero of the trilinear interpolant, within the cell.
  static Vec3 onto_surface(const std::array<double, 8>& c, const Vec3& size, Vec3 x) {
    // Off the faces, so that no two vertices coincide; where the crossings lie in a corner, not farther in.
    const Vec3 least = x.cwiseMin(0.02), most = x.cwiseMax(0.98);
    for (int step = 0; step < 2; ++step) {
      const double u = x[0], v = x[1], w = x[2];
      const double c00 = c[0] + u * (c[1] - c[0]), c10 = c[2] + u * (c[3] - c[2]),
                   c01 = c[4] + u * (c[5] - c[4]), c11 = c[6] + u * (c[7] - c[6]);
      const double c0 = c00 + v * (c10 - c00), c1 = c01 + v * (c11 - c01), f = c0 + w * (c1 - c0);
      const double fx = (1 - w) * ((1 - v) * (c[1] - c[0]) + v * (c[3] - c[2])) +
                        w * ((1 - v) * (c[5] - c[4]) + v * (c[7] - c[6]));
      const double fy = (1 - w) * (c10 - c00) + w * (c11 - c01), fz = c1 - c0;
      const Vec3 g = Vec3(fx, fy, fz).cwiseQuotient(size);
      const double g2 = g.squaredNorm();
      if (!(g2 > 0)) break;
      x -= (f / g2 * g).cwiseQuotient(size);
      x = x.cwiseMax(least).cwiseMin(most);
    }
    return x;
  }

  // The samples of a row, without the last layers, with the edges they own.
  template <class Visit>
  void each_crossing(int j, int k, Visit&& visit) const {
    const float* const f = at(0, j, k);
    for (int i = 0; i < count_[0] - 1; ++i) {
      const bool inside = f[i] < 0;
      for (int a = 0; a < 3; ++a)
        if ((f[i + stride_[a]] < 0) != inside) visit(a, f + i, inside);
    }
  }
  void count_quads() {
    work_.row_quads.assign(std::size_t(count_[1]) * std::size_t(count_[2]), 0);
    grid::for_each_row(cell_rows(), [&](int j, int k) {
      std::uint32_t count = 0;
      each_crossing(j, k, [&](int, const float*, bool) { ++count; });
      work_.row_quads[row_of(j, k)] = count;
    });
    surface_.mesh.triangles.resize(2 * std::size_t(sum_up(work_.row_quads)));
  }

  // The vertices of the four cells around each crossed edge, counter-clockwise seen from outside.
  void write_triangles() {
    grid::for_each_row(cell_rows(), [&](int j, int k) {
      std::size_t next = 2 * std::size_t(work_.row_quads[row_of(j, k)]);
      each_crossing(j, k, [&](int a, const float* f, bool inside) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        std::array<std::uint32_t, 4> q;
        constexpr int kBack[4][2] = {{1, 1}, {0, 1}, {0, 0}, {1, 0}};
        for (std::size_t n = 0; n < 4; ++n) {
          const float* const cell = f - kBack[n][0] * stride_[b] - kBack[n][1] * stride_[c];
          const Patches patches = patches_of(cell, code(cell));
          q[n] = work_.first[std::size_t(cell - work_.values.data())] +
                 patches.of_edge[std::size_t(4 * a + kBack[n][0] + 2 * kBack[n][1])];
        }
        if (!inside) std::swap(q[1], q[3]);
        // Along the shorter diagonal.
        const std::vector<Vec3>& x = surface_.mesh.positions;
        const bool other = (x[q[1]] - x[q[3]]).squaredNorm() < (x[q[0]] - x[q[2]]).squaredNorm();
        auto& triangles = surface_.mesh.triangles;
        triangles[next++] =
            other ? geometry::Triangle{q[0], q[1], q[3]} : geometry::Triangle{q[0], q[1], q[2]};
        triangles[next++] =
            other ? geometry::Triangle{q[1], q[2], q[3]} : geometry::Triangle{q[0], q[2], q[3]};
      });
    });
  }

  SurfaceMesh& surface_;
  SurfaceMeshWork& work_;
  int before_[3]{}, count_[3]{};
  std::array<std::ptrdiff_t, 3> stride_{};
  std::array<std::vector<double>, 3> coordinates_;
};

// Taubin's pair of passes: one towards the mean of the neighbours, one back, which leaves long waves and the
// volume alone. [Taubin95] Vertices on walls stay.
void smooth(int passes, SurfaceMesh& surface, SurfaceMeshWork& work) {
  std::vector<Vec3>& x = surface.mesh.positions;
  work.starts.assign(x.size() + 1, 0);
  // In a closed mesh each neighbour follows a vertex in exactly one triangle.
  for (const geometry::Triangle& t : surface.mesh.triangles)
    for (const std::uint32_t v : t) ++work.starts[v + 1];
  for (std::size_t v = 0; v < x.size(); ++v) work.starts[v + 1] += work.starts[v];
  work.neighbours.resize(work.starts.back());
  for (std::size_t n = surface.mesh.triangles.size(); n-- > 0;)
    for (std::size_t c = 0; c < 3; ++c) {
      const geometry::Triangle& t = surface.mesh.triangles[n];
      work.neighbours[--work.starts[t[c] + 1]] = t[(c + 1) % 3];
    }
  std::copy(work.starts.begin() + 1, work.starts.end(), work.starts.begin());
  work.starts.back() = static_cast<std::uint32_t>(work.neighbours.size());
  work.positions.resize(x.size());
  for (int pass = 0; pass < 2 * passes; ++pass) {
    const double step = pass % 2 == 0 ? 0.5 : -0.526;  // pass band 0.1
    parallel_for(x.size(), [&](std::size_t v) {
      work.positions[v] = x[v];
      if (surface.on_wall[v] != 0) return;
      Vec3 mean = Vec3::Zero();
      for (std::uint32_t n = work.starts[v]; n < work.starts[v + 1]; ++n) mean += x[work.neighbours[n]];
      mean /= double(work.starts[v + 1] - work.starts[v]);
      work.positions[v] += step * (mean - x[v]);
    });
    x.swap(work.positions);
  }
}

}  // namespace

template <class T>
void make_surface_mesh(const grid::Shape& shape, grid::Place place, const grid::View<const T>& phi,
                       const SurfaceMeshOptions& options, SurfaceMesh& surface, SurfaceMeshWork& work) {
  const ProfileZone zone("surface.mesh");
  SELKIE_CHECK(shape.dims() == 3, "a surface mesh needs a grid of three dimensions");
  Mesher mesher(shape, place, surface, work);
  mesher.load(shape, place, phi);
  mesher.run();
  surface.velocities.clear();
  if (options.smoothing > 0) smooth(options.smoothing, surface, work);
  surface.normals = geometry::vertex_normals(surface.mesh.positions, surface.mesh.triangles);
  if (options.smoothing > 0) return;
  const grid::Lattice lattice(shape, place);
  parallel_for(surface.normals.size(), [&](std::size_t v) {
    if (surface.on_wall[v] != 0) return;
    const Vec3 g = grid::gradient_at(phi, lattice, surface.mesh.positions[v]);
    const double length = g.norm();
    // At kinks the field has no normal to speak of; the triangles' stays.
    if (length > 0 && g.dot(surface.normals[v]) > 0.5 * length) surface.normals[v] = g / length;
  });
}

template <class T>
void sample_velocities(const grid::Shape& shape, const grid::FaceViews<const T>& velocity,
                       SurfaceMesh& surface) {
  surface.velocities.resize(surface.mesh.positions.size());
  parallel_for(surface.velocities.size(), [&](std::size_t v) {
    surface.velocities[v] = grid::velocity_at(shape, velocity, surface.mesh.positions[v]);
  });
}

#define SELKIE_INSTANTIATE(T)                                                                  \
  template void make_surface_mesh(const grid::Shape&, grid::Place, const grid::View<const T>&, \
                                  const SurfaceMeshOptions&, SurfaceMesh&, SurfaceMeshWork&);  \
  template void sample_velocities(const grid::Shape&, const grid::FaceViews<const T>&, SurfaceMesh&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::io
