// See surface.h.
#include "selkie/fluids/liquid/surface.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/profile.h"
#include "selkie/fluids/liquid/detail/batch.h"
#include "selkie/grid/loops.h"

namespace selkie::liquid {
namespace {

constexpr int kTable = 512;

// h(m) on kTable + 1 equal parts of m in [0, 1]; [0] 2-D, [1] 3-D.
struct FlatTable {
  std::array<std::array<float, kTable + 2>, 2> depth{};

  FlatTable() {
    for (std::size_t d = 0; d < 2; ++d) {
      const double q = d == 1 ? 4 : 3.5;
      // m falls from 1 to 0 as h rises from −1 to 1: walk up and note where m passes each part.
      constexpr int kSteps = 20000;
      double integral = 0, last_h = -1, last_m = 1;
      int next = kTable;
      depth[d][kTable] = -1, depth[d][kTable + 1] = -1;
      for (int s = 1; s <= kSteps; ++s) {
        const double h = -1 + 2.0 * s / kSteps, mid = h - 1.0 / kSteps;
        integral += 2.0 / kSteps * std::pow(1 - mid * mid, q);
        const double m = std::pow(std::max(0.0, 1 - h * h), q + 1) / (2 * (q + 1) * integral);
        while (next > 0 && m <= double(next - 1) / kTable) {
          --next;
          const double target = double(next) / kTable;
          depth[d][static_cast<std::size_t>(next)] =
              static_cast<float>(last_h + (h - last_h) * (last_m - target) / std::max(last_m - m, 1e-300));
        }
        last_h = h, last_m = m;
      }
      depth[d][0] = 1;
    }
  }
};
const FlatTable& flat_table() {
  static const FlatTable table;
  return table;
}

// What the particles around a point sum to.
template <class Real>
struct Around {
  Real weight = 0;
  std::array<Real, 3> offset{0, 0, 0};  // Σ w (x_p − x), cells
  Real nearest2 = Real(1e6);            // squared distance, cells
};

// The same in lanes, row by row of cells.
template <class Real, int Dims>
struct Look {
  using Lanes = detail::Lanes<Real>;
  const std::array<Lanes, 3> x;
  const Lanes number = detail::lane_numbers<Real>();
  Lanes weight{}, nearest2 = Real(1e6) - Lanes{};
  std::array<Lanes, 3> offset{};

  explicit Look(const std::array<Real, 3>& from) : x{from[0] - Lanes{}, from[1] - Lanes{}, from[2] - Lanes{}} {}

  void add(const std::array<const Real*, 3>& places, std::size_t begin, std::size_t end) {
    constexpr Real inverse2 = Real(1 / (kSurfaceReach * kSurfaceReach)), kFar = Real(-999);
    for (std::size_t p = begin; p < end; p += detail::kLanes<Real>) {
      const Real count = static_cast<Real>(end - p);
      const Lanes dx = detail::load_first<Real>(places[0] + p, number, count, kFar) - x[0],
                  dy = detail::load_first<Real>(places[1] + p, number, count, kFar) - x[1];
      Lanes dz{}, d2 = dx * dx + dy * dy;
      if constexpr (Dims == 3) dz = detail::load_first<Real>(places[2] + p, number, count, kFar) - x[2], d2 += dz * dz;
      Lanes t = 1 - d2 * inverse2;
      t = t > 0 ? t : Lanes{};
      const Lanes w = t * t * t;
      weight += w, offset[0] += w * dx, offset[1] += w * dy;
      if constexpr (Dims == 3) offset[2] += w * dz;
      nearest2 = d2 < nearest2 ? d2 : nearest2;
    }
  }
  Around<Real> sum() const {
    Around<Real> around;
    around.weight = detail::sum_lanes<Real>(weight);
    for (std::size_t a = 0; a < Dims; ++a) around.offset[a] = detail::sum_lanes<Real>(offset[a]);
    for (int l = 0; l < detail::kLanes<Real>; ++l) around.nearest2 = std::min(around.nearest2, nearest2[l]);
    return around;
  }
};

template <class Real>
struct Mirror {
  std::array<Real, 3> normal{0, 0, 0};
  Real distance = 0;  // of the cell's centre from the plane, cells; negative: behind it
};

template <class Real, int Dims>
class SurfaceFinder {
 public:
  SurfaceFinder(const Model& model, const Params& params, const PlacedSolids<Real>& solids,
                const CellRanges& ranges, State<Real>& state)
      : model_(model), params_(params), solids_(solids), ranges_(ranges), state_(state) {}

  // φ of a cell in cells; the particles of the cells around are sorted by rows, so each row is one range.
  Real at(int i, int j, int k) const {
    const std::array<Real, 3> center{static_cast<Real>(i + 0.5), static_cast<Real>(j + 0.5),
                                     Dims == 3 ? static_cast<Real>(k + 0.5) : Real(0)};
    Around<Real> sum = seen_from(center);
    std::array<Mirror<Real>, 4> mirrors;
    const int count = params_.surface == SurfaceKind::averaged ? find_mirrors(center, mirrors) : 0;
    for (int chosen = 1; chosen < 1 << count; ++chosen) add_mirrored(center, mirrors, count, chosen, sum);
    return distance_of(sum);
  }

 private:
  std::size_t cell(int i, int j, int k) const {
    const auto [nx, ny, nz] = model_.shape.cells();
    return static_cast<std::size_t>(i + nx * (j + ny * k));
  }

  Around<Real> seen_from(const std::array<Real, 3>& x) const {
    const grid::Index n = model_.shape.cells();
    grid::Index lo{0, 0, 0}, hi{0, 0, 0};
    constexpr Real kEdge = Real(1e-4);
    for (std::size_t a = 0; a < Dims; ++a) {
      const Real reach = static_cast<Real>(kSurfaceReach) - kEdge;
      lo[a] = std::max(0, static_cast<int>(std::floor(x[a] - reach)));
      hi[a] = std::min(n[a] - 1, static_cast<int>(std::floor(x[a] + reach)));
    }
    if (lo[0] > hi[0]) return {};
    const auto& p = state_.particles;
    const std::array<const Real*, 3> places{p.x.data(), p.y.data(), p.z.data()};
    Look<Real, Dims> look(x);
    for (int k = lo[2]; k <= hi[2]; ++k)
      for (int j = lo[1]; j <= hi[1]; ++j)
        look.add(places, ranges_.begin(cell(lo[0], j, k)), ranges_.end(cell(hi[0], j, k)));
    return look.sum();
  }

  int find_mirrors(const std::array<Real, 3>& center, std::array<Mirror<Real>, 4>& mirrors) const {
    int count = 0;
    const grid::Index n = model_.shape.cells();
    for (int axis = 0; axis < Dims; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      for (const bool high : {false, true}) {
        const Real away = high ? static_cast<Real>(n[a]) - center[a] : center[a];
        if (away > Real(kSurfaceReach) || model_.side(axis, high) != Side::closed || count == 3) continue;
        mirrors[static_cast<std::size_t>(count)].normal = {0, 0, 0};
        mirrors[static_cast<std::size_t>(count)].normal[a] = high ? -1 : 1;
        mirrors[static_cast<std::size_t>(count++)].distance = away;
      }
    }
    if (!solids_.any()) return count;
    const NodeDistance<Real> solid = distance_at(model_.shape, solids_.nodes, center);
    const Real away = solid.distance / static_cast<Real>(model_.shape.cell_size());
    if (std::abs(away) > Real(kSurfaceReach)) return count;
    mirrors[static_cast<std::size_t>(count++)] = {solid.normal, away};
    return count;
  }

  // The liquid behind the chosen mirrors: what the mirrored centre sees, mirrored back.
  void add_mirrored(const std::array<Real, 3>& center, const std::array<Mirror<Real>, 4>& mirrors, int count,
                    int chosen, Around<Real>& sum) const {
    std::array<Real, 3> x = center;
    for (int m = 0; m < count; ++m)
      if ((chosen >> m & 1) != 0) {
        const Mirror<Real>& mirror = mirrors[static_cast<std::size_t>(m)];
        Real along = mirror.distance;
        for (std::size_t a = 0; a < Dims; ++a) along += mirror.normal[a] * (x[a] - center[a]);
        for (std::size_t a = 0; a < Dims; ++a) x[a] -= 2 * along * mirror.normal[a];
      }
    Around<Real> seen = seen_from(x);
    for (int m = count - 1; m >= 0; --m)
      if ((chosen >> m & 1) != 0) {
        const Mirror<Real>& mirror = mirrors[static_cast<std::size_t>(m)];
        Real along = 0;
        for (std::size_t a = 0; a < Dims; ++a) along += mirror.normal[a] * seen.offset[a];
        for (std::size_t a = 0; a < Dims; ++a) seen.offset[a] -= 2 * along * mirror.normal[a];
      }
    sum.weight += seen.weight;
    for (std::size_t a = 0; a < 3; ++a) sum.offset[a] += seen.offset[a];
    sum.nearest2 = std::min(sum.nearest2, seen.nearest2);
  }

  Real distance_of(const Around<Real>& sum) const {
    if (params_.surface == SurfaceKind::spheres) {
      const Real radius = Real(1.01) * static_cast<Real>(0.5 * std::sqrt(double(Dims)));
      return std::min(std::sqrt(sum.nearest2) - radius, Real(kSurfaceReach));
    }
    if (!(sum.weight > Real(1e-6))) return Real(kSurfaceReach);
    const Real m = std::sqrt(sum.offset[0] * sum.offset[0] + sum.offset[1] * sum.offset[1] +
                             sum.offset[2] * sum.offset[2]) /
                   (sum.weight * Real(kSurfaceReach));
    return Real(kSurfaceReach) * static_cast<Real>(flat_distance(Dims, double(m)));
  }

  const Model& model_;
  const Params& params_;
  const PlacedSolids<Real>& solids_;
  const CellRanges& ranges_;
  State<Real>& state_;
};

constexpr int kLongestRow = 8192;                  // cells
constexpr std::uint8_t kHolds = 1, kNotEmpty = 2;  // has particles; or has no room for any

// What is known of each cell alone; beyond the sides nothing is missed.
template <class Real>
void flag_cells(const grid::Shape& shape, const PlacedSolids<Real>& solids, CellRanges& ranges) {
  if (ranges.flags.size() != shape.size()) ranges.flags.resize(shape.size());
  std::fill(ranges.flags.begin(), ranges.flags.end(), kNotEmpty);
  const auto flags = grid::view(shape, ranges.flags);
  const auto room = grid::view(shape, solids.room);
  const grid::Index n = shape.cells();
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    const std::uint32_t* const start = ranges.start.data() + n[0] * (j + n[1] * k);
    const std::uint8_t* const kind = room.line(j, k);
    std::uint8_t* const flag = flags.line(j, k);
    const std::uint8_t* const deep = ranges.full.empty() ? nullptr : ranges.full.data() + shape.at(0, j, k);
    for (int i = 0; i < n[0]; ++i) {
      const bool holds = start[i + 1] > start[i] || (deep != nullptr && deep[i] != 0), full = holds || kind[i] == grid::code_of(grid::CellKind::solid);
      flag[i] = static_cast<std::uint8_t>((holds ? kHolds : 0) | (full ? kNotEmpty : 0));
    }
  });
}

// Whether cells around those of a row hold particles (kHolds), and whether all that can do (kNotEmpty).
template <int Dims>
void look_around(const grid::Shape& shape, const Buffer<std::uint8_t>& all, int j, int k, std::uint8_t* some,
                 std::uint8_t* every, std::uint8_t* found) {
  const auto flags = grid::view(shape, all);
  const int n = shape.cells()[0];
  std::fill_n(some, n + 2, std::uint8_t(0));
  std::fill_n(every, n + 2, std::uint8_t(0xff));
  for (int c = Dims == 3 ? k - 1 : 0; c <= (Dims == 3 ? k + 1 : 0); ++c)
    for (int b = j - 1; b <= j + 1; ++b) {
      const std::uint8_t* const flag = flags.line(b, c) - 1;
      for (int i = 0; i < n + 2; ++i) some[i] |= flag[i], every[i] &= flag[i];
    }
  for (int i = 0; i < n; ++i)
    found[i] = static_cast<std::uint8_t>(((some[i] | some[i + 1] | some[i + 2]) & kHolds) |
                                         (every[i] & every[i + 1] & every[i + 2] & kNotEmpty));
}

template <class Real, int Dims>
void find_in(const Model& model, const Params& params, const PlacedSolids<Real>& solids,
             CellRanges& ranges, State<Real>& state) {
  const grid::Shape& shape = model.shape;
  const Real dx = static_cast<Real>(shape.cell_size()), reach = static_cast<Real>(kSurfaceReach);
  const auto phi = grid::view(shape, state.surface);
  SELKIE_CHECK(shape.cells()[0] <= kLongestRow, "rows of a liquid have at most 8192 cells");
  flag_cells(shape, solids, ranges);
  const SurfaceFinder<Real, Dims> finder(model, params, solids, ranges, state);
  const grid::Box box = grid::sample_box(shape, grid::Place::cell);
  const auto rows = static_cast<std::size_t>(box.hi[1]) * static_cast<std::size_t>(box.hi[2]);
  parallel_blocks(rows, 4, [&](std::size_t begin, std::size_t end) {
    std::array<std::array<std::uint8_t, kLongestRow + 2>, 3> lines;
    for (std::size_t r = begin; r < end; ++r) {
      const int j = static_cast<int>(r) % box.hi[1], k = static_cast<int>(r) / box.hi[1];
      look_around<Dims>(shape, ranges.flags, j, k, lines[0].data(), lines[1].data(), lines[2].data());
      Real* const row = phi.line(j, k);
      for (int i = 0; i < box.hi[0]; ++i) {
        const std::uint8_t around = lines[2][static_cast<std::size_t>(i)];
        row[i] = dx * ((around & kHolds) == 0 ? reach : (around & kNotEmpty) != 0 ? -reach : finder.at(i, j, k));
      }
    }
  });
}

// Particles alone in the air are liquid too, though their cell's centre may be out of their reach. One cell
// after the other, because each looks at its neighbours.
template <class Real>
void wet_lone_cells(const Model& model, const CellRanges& ranges, Buffer<Real>& surface) {
  const grid::Shape& shape = model.shape;
  const auto phi = grid::view(shape, surface);
  const grid::Index n = shape.cells();
  const Real just_inside = static_cast<Real>(-0.01 * shape.cell_size());
  std::size_t cell = 0;
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i, ++cell) {
        if (ranges.end(cell) == ranges.begin(cell) || phi(i, j, k) < 0) continue;
        bool alone = true;
        for (int axis = 0; axis < shape.dims() && alone; ++axis) {
          const int at = axis == 0 ? i : axis == 1 ? j : k;
          const std::ptrdiff_t step = shape.stride(axis);
          const Real* const here = &phi(i, j, k);
          // Cells that were made liquid here do not count, so that the order does not matter.
          if (at > 0 && here[-step] < just_inside) alone = false;
          if (at + 1 < n[static_cast<std::size_t>(axis)] && here[step] < just_inside) alone = false;
        }
        if (alone) phi(i, j, k) = just_inside;
      }
}

// The trap of LE-19: spheres cannot reach the centre of a wet cell that lies inside a solid.
template <class Real>
void wet_solid_centers(const Model& model, const PlacedSolids<Real>& solids, Buffer<Real>& surface) {
  const grid::Shape& shape = model.shape;
  const auto phi = grid::view(shape, surface);
  const Real half = static_cast<Real>(0.5 * shape.cell_size());
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    for (int i = 0; i < shape.cells()[0]; ++i) {
      if (!(phi(i, j, k) < half)) continue;
      const std::array<Real, 3> center{static_cast<Real>(i + 0.5), static_cast<Real>(j + 0.5),
                                       static_cast<Real>(k + 0.5)};
      if (plain_distance_at(shape, solids.nodes, center) < 0) phi(i, j, k) = -half;
    }
  });
}

}  // namespace

double flat_distance(int dims, double offset) {
  const auto& depth = flat_table().depth[dims == 3 ? 1 : 0];
  const double at = std::clamp(offset, 0.0, 1.0) * kTable;
  const auto n = static_cast<std::size_t>(at);
  return -(double(depth[n]) + (at - double(n)) * (double(depth[n + 1]) - double(depth[n])));
}

template <class Real>
void find_surface(const Model& model, const Params& params, const PlacedSolids<Real>& solids,
                  CellRanges& ranges, State<Real>& state) {
  const ProfileZone zone("liquid.surface");
  if (model.shape.dims() == 3)
    find_in<Real, 3>(model, params, solids, ranges, state);
  else
    find_in<Real, 2>(model, params, solids, ranges, state);
  wet_lone_cells(model, ranges, state.surface);
  if (params.surface == SurfaceKind::spheres && solids.any())
    wet_solid_centers(model, solids, state.surface);
  fill_surface_ghosts(model, state.surface);
}

template <class Real>
void fill_surface_ghosts(const Model& model, Buffer<Real>& surface) {
  const grid::Shape& shape = model.shape;
  const auto phi = grid::view(shape, surface);
  const grid::Index n = shape.cells();
  auto ghost = [&](int axis, bool high, Real inside) {
    return model.side(axis, high) == Side::open ? std::abs(inside) : inside;
  };
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j) {
      phi(-1, j, k) = ghost(0, false, phi(0, j, k));
      phi(n[0], j, k) = ghost(0, true, phi(n[0] - 1, j, k));
    }
  for (int k = 0; k < n[2]; ++k)
    for (int i = -1; i <= n[0]; ++i) {
      phi(i, -1, k) = ghost(1, false, phi(i, 0, k));
      phi(i, n[1], k) = ghost(1, true, phi(i, n[1] - 1, k));
    }
  if (shape.dims() == 2) return;
  for (int j = -1; j <= n[1]; ++j)
    for (int i = -1; i <= n[0]; ++i) {
      phi(i, j, -1) = ghost(2, false, phi(i, j, 0));
      phi(i, j, n[2]) = ghost(2, true, phi(i, j, n[2] - 1));
    }
}

#define SELKIE_INSTANTIATE(Real)                                                                   \
  template void find_surface<Real>(const Model&, const Params&, const PlacedSolids<Real>&,         \
                                   CellRanges&, State<Real>&);                               \
  template void fill_surface_ghosts<Real>(const Model&, Buffer<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::liquid
