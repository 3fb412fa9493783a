// See particle_surface.h. Lengths are in cells.
#include "selkie/grid/particle_surface.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "selkie/core/profile.h"
#include "selkie/grid/detail/near_particles.h"
#include "selkie/grid/loops.h"

namespace selkie::grid {
namespace {

using Vec3f = Eigen::Vector3f;
using Mat3f = Eigen::Matrix3f;

constexpr double kSmoothing =
    0.9;  // share of the way from a particle to the mean of its neighbours [Yu13: λ]
// Shortest axis of a kernel over its reach [Yu13: 1/k_r, there 1/4]: cells must still resolve it.
constexpr float kFlattest = 0.6f;
constexpr float kLone = 0.75f;  // cells: axes of a particle with few neighbours [Yu13: k_n]
constexpr double kLevel = 0.4;  // of F on the surface: a lone particle reaches 0.46

// ∫ (1 − s²)³ over the unit ball or disc.
double kernel_volume(int dims) { return dims == 3 ? 64 * std::numbers::pi / 315 : std::numbers::pi / 4; }
// Offset of the mean, over the reach, on the plane that bounds evenly spread liquid: m(0) of
// ∫ z (1 − s²)³ / ∫ (1 − s²)³ over half a ball or disc.
double flat_offset(int dims) { return dims == 3 ? 63.0 / 256 : 256 / (315 * std::numbers::pi); }
// Variance along an axis, over reach², of 1 − s³ on a ball or disc.
double full_variance(int dims) { return dims == 3 ? 0.15 : 5.0 / 28; }

// ∫ (1 − s³) over the unit ball or disc.
double full_weight(int dims) { return dims == 3 ? 2 * std::numbers::pi / 3 : 0.6 * std::numbers::pi; }
// How crowded a particle's neighbourhood is, full liquid being 1; a particle stands for 1/crowd of its
// volume, so that the surface does not ripple where particles lie unevenly. [Yu13: V = m/ρ]
double crowd_of(double weight) { return std::clamp(weight, 0.4, 2.0); }

float axis_of(double variance, int dims) {
  return std::clamp(static_cast<float>(variance / full_variance(dims)), kFlattest, 1.0f);
}

// F at depth z (over the reach) below the plane that bounds evenly spread liquid. Particles at depth d have
// their neighbours' mean and variance along the normal from the part of the ball below the plane; with these
// their kernels are added up. Lateral spread is full.
class FlatProfile {
 public:
  explicit FlatProfile(int dims) {
    std::array<double, 2 * kParts> places{}, axes{}, crowds{};  // of kernels by depth, up to twice the reach
    for (std::size_t d = 0; d < places.size(); ++d) {
      const double depth = (double(d) + 0.5) / kParts, top = std::min(depth, 1.0);
      double sum = 0, mean = 0, square = 0;
      for (int n = 0; n < kParts; ++n) {
        const double z = -1 + (n + 0.5) / kParts * (1 + top), w = slice(dims, z);
        sum += w, mean += w * z, square += w * z * z;
      }
      mean /= sum;
      crowds[d] = crowd_of(sum * (1 + top) / kParts / full_weight(dims));
      places[d] = depth - kSmoothing * mean;
      axes[d] = double(axis_of(square / sum - mean * mean, dims));
    }
    for (std::size_t n = 0; n < levels_.size(); ++n) {
      levels_[n] = 0;
      for (std::size_t d = 0; d < places.size(); ++d)
        levels_[n] +=
            float(layer(dims, (places[d] - depth_of(double(n))) / axes[d]) / (crowds[d] * axes[d] * kParts));
      if (n > 0) levels_[n] = std::max(levels_[n], levels_[n - 1]);  // rises but for rounding
    }
  }
  float depth(float level) const {
    const auto above = std::upper_bound(levels_.begin(), levels_.end(), level);
    if (above == levels_.begin()) return float(depth_of(0));
    if (above == levels_.end()) return float(depth_of(double(levels_.size() - 1)));
    const auto below = above - 1;
    return float(depth_of(double(below - levels_.begin()) + double((level - *below) / (*above - *below))));
  }

 private:
  static constexpr int kParts = 120;
  static double depth_of(double n) { return -0.5 + n / kParts; }  // up to 1.5
  // Weight of the slice of the unit ball at height z: ∫ (1 − s³) over the slice.
  static double slice(int dims, double z) {
    const double edge = std::sqrt(std::max(0.0, 1 - z * z));
    double sum = 0;
    for (int n = 0; n < kParts; ++n) {
      const double r = (n + 0.5) / kParts * edge, s = std::sqrt(z * z + r * r);
      sum += (1 - s * s * s) * (dims == 3 ? 2 * std::numbers::pi * r : 2.0) * edge / kParts;
    }
    return sum;
  }
  // W over the slice at height z, normalised: what a full layer of kernels contributes.
  static double layer(int dims, double z) {
    const double t = std::max(0.0, 1 - z * z);
    return dims == 3 ? 315.0 / 256 * t * t * t * t : 128 / (35 * std::numbers::pi) * std::pow(t, 3.5);
  }
  std::array<float, 2 * kParts + 1> levels_{};
};
const FlatProfile& flat_profile(int dims) {
  static const FlatProfile profiles[2] = {FlatProfile(2), FlatProfile(3)};
  return profiles[dims - 2];
}

// Marks cells that may hold the surface or lie beside it. The particles of all others are so deep that their
// neighbourhoods are full.
template <class T>
void mark_cells(const Shape& shape, int per_cell, const SortedParticles<T>& particles,
                std::vector<std::uint8_t>& marks) {
  const Index n = shape.cells();
  marks.assign(shape.cell_count(), 0);
  auto index = [&](int i, int j, int k) {
    return std::size_t(i) + std::size_t(n[0]) * (std::size_t(j) + std::size_t(n[1]) * std::size_t(k));
  };
  auto count = [&](int i, int j, int k) {
    const std::size_t c = index(i, j, k);
    return static_cast<int>(particles.start[c + 1] - particles.start[c]);
  };
  // any(test) over the cells within two of (i, j, k)
  auto any = [&](int i, int j, int k, auto&& test) {
    for (int c = std::max(k - 2, 0); c <= std::min(k + 2, n[2] - 1); ++c)
      for (int b = std::max(j - 2, 0); b <= std::min(j + 2, n[1] - 1); ++b)
        for (int a = std::max(i - 2, 0); a <= std::min(i + 2, n[0] - 1); ++a)
          if (test(a, b, c)) return true;
    return false;
  };
  // Deep liquid: no cell around is thinner than half. Deep air: no cell around has any.
  for_each_row({{0, 0, 0}, n}, [&](int j, int k) {
    for (int i = 0; i < n[0]; ++i)
      if (any(i, j, k, [&](int a, int b, int c) { return 2 * count(a, b, c) < per_cell; }) &&
          any(i, j, k, [&](int a, int b, int c) { return count(a, b, c) > 0; }))
        marks[index(i, j, k)] = 1;
  });
}

template <class T>
class Surfacing {
 public:
  Surfacing(const Shape& shape, const ParticleSurfaceParams& params, const SortedParticles<T>& particles,
            ParticleSurfaceWork<T>& work)
      : shape_(shape),
        params_(params),
        near_(shape, params.mirror, particles),
        particles_(particles),
        work_(work),
        reach_(float(params.reach)),
        layers_(static_cast<int>(std::ceil(params.reach))) {}

  // φ / Δx at a cell centre.
  float averaged(const Index& at) const {
    const Vec3f x = centre(at);
    const float inverse = 1 / reach_;
    float sum = 0;
    Vec3f mean = Vec3f::Zero(), slope = Vec3f::Zero();  // Σ w, Σ w d, Σ ∇w, with d = x_p − x
    Mat3f moment = Mat3f::Zero();                       // Σ d ∇wᵀ
    near_.each_run(at, layers_, [&](std::uint32_t begin, std::uint32_t end, const auto& image) {
      for (std::uint32_t p = begin; p < end; ++p) {
        const auto q = image.of(near_.position(p));
        const Vec3f d = (Vec3f(q[0], q[1], q[2]) - x) * inverse;
        const float t = 1 - d.squaredNorm();
        if (t <= 0) continue;
        const float w = t * t * t;
        sum += w, mean += w * d;
        const Vec3f g = 6 * t * t * d;  // of w by x, times the reach
        slope += g, moment += d * g.transpose();
      }
    });
    if (sum <= 0) return reach_;
    mean /= sum;
    // ∂x̄/∂x; where it stretches, the mean jumps from one body to another. [Solenthaler07]
    Mat3f change = (moment - mean * slope.transpose()) / sum;
    const Eigen::SelfAdjointEigenSolver<Mat3f> eigen(Mat3f(0.5f * (change + change.transpose())),
                                                     Eigen::EigenvaluesOnly);
    const float stretch = eigen.eigenvalues().maxCoeff();
    const float gamma = std::clamp((3.5f - stretch) / 3.1f, 0.0f, 1.0f);
    const float f = gamma * (gamma * (gamma - 3) + 3);
    return reach_ * (mean.norm() - float(flat_offset(shape_.dims())) * f);
  }

  // Centre and G of the kernels of all particles that matter; the others are round.
  void shape_kernels() {
    work_.kernels.resize(particles_.position[0].size());
    const Index n = shape_.cells();
    for_each_row({{0, 0, 0}, n}, [&](int j, int k) {
      for (int i = 0; i < n[0]; ++i) {
        const std::size_t c = index(i, j, k);
        for (std::uint32_t p = particles_.start[c]; p < particles_.start[c + 1]; ++p)
          work_.kernels[p] = work_.near_surface[c] != 0 ? kernel_of({i, j, k}, p) : round(p, 1);
      }
    });
  }

  // F at a cell centre, 1 in full liquid.
  float density(const Index& at) const {
    const Vec3f x = centre(at);
    const int dims = shape_.dims();
    float sum = 0;
    near_.each_run(at, layers_ + 1, [&](std::uint32_t begin, std::uint32_t end, const auto& image) {
      for (std::uint32_t p = begin; p < end; ++p) {
        const std::array<float, 10>& kernel = work_.kernels[p];
        const auto q = image.of({kernel[0], kernel[1], kernel[2]});
        const float dx = x[0] - q[0], dy = x[1] - q[1], dz = x[2] - q[2];
        if (dx * dx + dy * dy + dz * dz >= reach_ * reach_) continue;
        // G of the image: mirrored along with the centre.
        const float xy = kernel[6] * image.sign[0] * image.sign[1],
                    xz = kernel[7] * image.sign[0] * image.sign[2],
                    yz = kernel[8] * image.sign[1] * image.sign[2];
        const float gx = kernel[3] * dx + xy * dy + xz * dz, gy = xy * dx + kernel[4] * dy + yz * dz,
                    gz = xz * dx + yz * dy + kernel[5] * dz;
        const float t = 1 - (gx * gx + gy * gy + gz * gz);
        if (t <= 0) continue;
        const float det = dims == 2 ? kernel[3] * kernel[4] - xy * xy
                                    : kernel[3] * (kernel[4] * kernel[5] - yz * yz) -
                                          xy * (xy * kernel[5] - yz * xz) + xz * (xy * yz - kernel[4] * xz);
        sum += kernel[9] * det * t * t * t;
      }
    });
    return sum / static_cast<float>(kernel_volume(dims) * params_.per_cell);
  }

 private:
  std::size_t index(int i, int j, int k) const {
    const Index n = shape_.cells();
    return std::size_t(i) + std::size_t(n[0]) * (std::size_t(j) + std::size_t(n[1]) * std::size_t(k));
  }
  Vec3f centre(const Index& at) const {
    return {float(at[0]) + 0.5f, float(at[1]) + 0.5f, shape_.dims() == 3 ? float(at[2]) + 0.5f : 0.0f};
  }
  std::array<float, 10> round(std::uint32_t p, float axis) const {
    const auto x = near_.position(p);
    const float g = 1 / (axis * reach_);
    return {x[0], x[1], x[2], g, g, g, 0, 0, 0, 1};
  }

  // [Yu13]: mean and covariance of the neighbours, weighted with 1 − s³.
  std::array<float, 10> kernel_of(const Index& at, std::uint32_t self) const {
    const auto own = near_.position(self);
    const Vec3f x(own[0], own[1], own[2]);
    const float inverse = 1 / reach_;
    float sum = 0;
    int neighbours = 0;
    Vec3f mean = Vec3f::Zero();
    float xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
    near_.each_run(at, layers_, [&](std::uint32_t begin, std::uint32_t end, const auto& image) {
      for (std::uint32_t p = begin; p < end; ++p) {
        const auto q = image.of(near_.position(p));
        const Vec3f d = (Vec3f(q[0], q[1], q[2]) - x) * inverse;
        const float s2 = d.squaredNorm();
        if (s2 >= 1) continue;
        const float w = 1 - s2 * std::sqrt(s2);
        sum += w, mean += w * d;
        xx += w * d[0] * d[0], yy += w * d[1] * d[1], zz += w * d[2] * d[2];
        xy += w * d[0] * d[1], xz += w * d[0] * d[2], yz += w * d[1] * d[2];
        ++neighbours;
      }
    });
    if (neighbours <= params_.per_cell) return round(self, kLone / reach_);
    mean /= sum;
    Mat3f moment;
    moment << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    const Mat3f covariance = moment / sum - mean * mean.transpose();
    const Eigen::SelfAdjointEigenSolver<Mat3f> eigen(covariance);
    Vec3f inverse_axes;
    for (int a = 0; a < 3; ++a)
      inverse_axes[a] = 1 / (reach_ * axis_of(double(eigen.eigenvalues()[a]), shape_.dims()));
    Mat3f g = eigen.eigenvectors() * inverse_axes.asDiagonal() * eigen.eigenvectors().transpose();
    if (shape_.dims() == 2) g(2, 2) = 1, g(0, 2) = g(1, 2) = 0;  // z has no spread: its own eigenvector
    const Vec3f middle = x + float(kSmoothing) * reach_ * mean;
    const double full =
        full_weight(shape_.dims()) * params_.per_cell * std::pow(double(reach_), shape_.dims());
    const auto volume = static_cast<float>(1 / crowd_of(double(sum) / full));
    return {middle[0], middle[1], middle[2], g(0, 0), g(1, 1), g(2, 2), g(0, 1), g(0, 2), g(1, 2), volume};
  }

  const Shape& shape_;
  const ParticleSurfaceParams& params_;
  detail::NearParticles<T> near_;
  const SortedParticles<T>& particles_;
  ParticleSurfaceWork<T>& work_;
  float reach_;
  int layers_;
};

}  // namespace

template <class T>
void sort_particles(const Shape& shape, std::span<const Vec3> positions, SortedStorage<T>& sorted) {
  const Index n = shape.cells();
  const int dims = shape.dims();
  auto cell_of = [&](const Vec3& x) {
    std::ptrdiff_t cell = 0;
    for (int a = dims - 1; a >= 0; --a) {
      const double at = (x[a] - shape.origin()[a]) / shape.cell_size();
      if (!(at >= 0 && at < n[std::size_t(a)])) return std::ptrdiff_t(-1);
      cell = cell * n[std::size_t(a)] + static_cast<int>(at);
    }
    return cell;
  };
  sorted.start.assign(shape.cell_count() + 1, 0);
  for (const Vec3& x : positions)
    if (const std::ptrdiff_t cell = cell_of(x); cell >= 0) ++sorted.start[std::size_t(cell) + 1];
  for (std::size_t c = 0; c < shape.cell_count(); ++c) sorted.start[c + 1] += sorted.start[c];
  for (int a = 0; a < dims; ++a) sorted.position[std::size_t(a)].resize(sorted.start.back());
  std::vector<std::uint32_t> next(sorted.start.begin(), sorted.start.end() - 1);
  for (const Vec3& x : positions) {
    const std::ptrdiff_t cell = cell_of(x);
    if (cell < 0) continue;
    const std::uint32_t p = next[std::size_t(cell)]++;
    for (int a = 0; a < dims; ++a)
      sorted.position[std::size_t(a)][p] = static_cast<T>((x[a] - shape.origin()[a]) / shape.cell_size());
  }
}

template <class T>
void surface_from_particles(const Shape& shape, const ParticleSurfaceParams& params,
                            const SortedParticles<T>& particles, const View<T>& phi,
                            ParticleSurfaceWork<T>& work) {
  const ProfileZone zone("surface.particles");
  SELKIE_CHECK(params.reach > 0.9 && params.reach <= 2, "a particle is felt for one to two cells");
  SELKIE_CHECK(particles.start.size() == shape.cell_count() + 1, "the particles belong to another grid");
  mark_cells(shape, params.per_cell, particles, work.near_surface);
  Surfacing<T> surfacing(shape, params, particles, work);
  const bool averaged = params.kernel == ParticleKernel::averaged;
  if (!averaged) surfacing.shape_kernels();
  const FlatProfile& profile = flat_profile(shape.dims());
  const float reach = float(params.reach), surface_depth = profile.depth(float(kLevel));
  const Index n = shape.cells();
  const double h = shape.cell_size();
  for_each_row({{0, 0, 0}, n}, [&](int j, int k) {
    for (int i = 0; i < n[0]; ++i) {
      const std::size_t c =
          std::size_t(i) + std::size_t(n[0]) * (std::size_t(j) + std::size_t(n[1]) * std::size_t(k));
      float value = particles.start[c + 1] > particles.start[c] ? -2.0f : 2.0f;
      if (work.near_surface[c] != 0)
        value = averaged ? surfacing.averaged({i, j, k})
                         : reach * (surface_depth - profile.depth(surfacing.density({i, j, k})));
      phi(i, j, k) = static_cast<T>(h * double(value));
    }
  });
  redistance(shape, Place::cell, {DistanceMethod::closest, params.band}, phi, work.distance);
  if (averaged) return;
  // Smoothed centres lie deeper than the particles; the surface is put back by as much as it is off on a
  // plane.
  const auto offset = static_cast<T>(double(surface_depth * reach) * h);
  for_each_row({{0, 0, 0}, n}, [&](int j, int k) {
    for (int i = 0; i < n[0]; ++i) phi(i, j, k) -= offset;
  });
}

#define SELKIE_INSTANTIATE(T)                                                           \
  template void sort_particles(const Shape&, std::span<const Vec3>, SortedStorage<T>&); \
  template void surface_from_particles(const Shape&, const ParticleSurfaceParams&,      \
                                       const SortedParticles<T>&, const View<T>&, ParticleSurfaceWork<T>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::grid
