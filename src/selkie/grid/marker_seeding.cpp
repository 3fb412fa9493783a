// Seeding and reseeding of markers, see particle_level_set.h. Kept markers stay in their order; new ones
// follow cell by cell. [Enright02]
#include <algorithm>
#include <cmath>

#include "selkie/core/profile.h"
#include "selkie/core/random.h"
#include "selkie/grid/loops.h"
#include "selkie/grid/particle_level_set.h"

namespace selkie::grid {
namespace {

constexpr double kSteepEnough = 0.8;
enum Fate : std::uint8_t { kKeep, kDelete, kEscaped, kLeft };

template <class T>
class Seeding {
 public:
  Seeding(const Shape& shape, Place place, const MarkerParams& params, const View<const T>& phi,
          Markers<T>& markers, MarkerWork<T>& work)
      : shape_(shape),
        params_(params),
        lattice_(shape, place),
        phi_(phi),
        markers_(markers),
        work_(work),
        reach_(params.band * shape.cell_size()),
        target_(params.per_cell > 0 ? params.per_cell
                : shape.dims() == 2 ? 16
                                    : 64) {}

  SeedReport run() {
    judge();
    sort_by_cell();
    thin_out();
    SeedReport report = drop_deleted();
    add(report);
    ++markers_.seedings;
    return report;
  }

 private:
  double phi_at(const Vec3& x) const { return interpolate(phi_, lattice_, x); }
  Vec3 position(std::size_t p) const { return markers_.positions[p].template cast<double>(); }

  // Cell of a point inside the grid.
  std::size_t cell_of(const Vec3& x) const {
    std::size_t cell = 0;
    for (int a = shape_.dims() - 1; a >= 0; --a) {
      const int n = shape_.cells()[static_cast<std::size_t>(a)];
      const int at = std::clamp(static_cast<int>((x[a] - shape_.origin()[a]) / shape_.cell_size()), 0, n - 1);
      cell = cell * static_cast<std::size_t>(n) + static_cast<std::size_t>(at);
    }
    return cell;
  }
  bool is_in_grid(const Vec3& x) const {
    for (int a = 0; a < shape_.dims(); ++a)
      if (!(x[a] >= shape_.origin()[a] && x[a] <= shape_.origin()[a] + shape_.extent()[a])) return false;
    return true;
  }

  // Whether the cell of a point holds markers.
  bool is_near(const Vec3& x) const {
    Vec3 centre = Vec3::Zero();
    for (int a = 0; a < shape_.dims(); ++a) {
      const double at = std::floor((x[a] - shape_.origin()[a]) / shape_.cell_size()) + 0.5;
      centre[a] = shape_.origin()[a] + shape_.cell_size() * at;
    }
    return std::abs(phi_at(centre)) <= reach_;
  }

  // Which markers have no place any more.
  void judge() {
    work_.flags.resize(markers_.size());
    parallel_for(markers_.size(), [&](std::size_t p) {
      const Vec3 x = position(p);
      if (!is_in_grid(x)) {
        work_.flags[p] = kLeft;
        return;
      }
      const double side = markers_.outer[p] != 0 ? 1 : -1;
      const bool is_escaped = side * phi_at(x) < -double(markers_.radii[p]);
      work_.flags[p] = is_escaped ? kEscaped : is_near(x) ? kKeep : kDelete;
    });
  }

  // order[starts[c] … starts[c+1]): the markers of cell c that stay, in their order.
  void sort_by_cell() {
    work_.starts.assign(shape_.cell_count() + 1, 0);
    auto stays = [&](std::size_t p) { return work_.flags[p] == kKeep || work_.flags[p] == kEscaped; };
    for (std::size_t p = 0; p < markers_.size(); ++p)
      if (stays(p)) ++work_.starts[cell_of(position(p)) + 1];
    for (std::size_t c = 0; c < shape_.cell_count(); ++c) work_.starts[c + 1] += work_.starts[c];
    work_.order.resize(work_.starts.back());
    for (std::size_t p = markers_.size(); p-- > 0;)  // backwards, so that starts[] ends where it should
      if (stays(p)) work_.order[--work_.starts[cell_of(position(p)) + 1]] = static_cast<std::uint32_t>(p);
    // starts[c+1] is now the begin of cell c.
    std::copy(work_.starts.begin() + 1, work_.starts.end(), work_.starts.begin());
    work_.starts.back() = static_cast<std::uint32_t>(work_.order.size());
  }

  // Of a crowded cell the markers farthest from touching the surface go.
  void thin_out() {
    work_.ranks.resize(markers_.size());
    work_.doubtful.resize(shape_.cell_count());
    parallel_for(
        shape_.cell_count(),
        [&](std::size_t c) {
          const std::uint32_t begin = work_.starts[c], end = work_.starts[c + 1];
          const auto target = static_cast<std::uint32_t>(target_);
          work_.doubtful[c] = 0;
          for (std::uint32_t n = begin; n < end; ++n)
            if (work_.flags[work_.order[n]] == kEscaped) work_.doubtful[c] = 1;
          if (end - begin <= target) return;
          for (std::uint32_t n = begin; n < end; ++n) {
            const std::uint32_t p = work_.order[n];
            const double side = markers_.outer[p] != 0 ? 1 : -1;
            work_.ranks[p] =
                side * phi_at(position(p)) - double(markers_.radii[p]);  // escaped ones come first
          }
          std::sort(work_.order.begin() + begin, work_.order.begin() + end, [&](auto p, auto q) {
            return work_.ranks[p] < work_.ranks[q] || (work_.ranks[p] == work_.ranks[q] && p < q);
          });
          for (std::uint32_t n = begin + target; n < end; ++n)
            if (work_.flags[work_.order[n]] != kEscaped) work_.flags[work_.order[n]] = kDelete;
        },
        1024);
  }

  SeedReport drop_deleted() {
    SeedReport report;
    std::size_t kept = 0;
    for (std::size_t p = 0; p < markers_.size(); ++p) {
      if (work_.flags[p] == kDelete || work_.flags[p] == kLeft) {
        ++report.deleted;
        report.left += work_.flags[p] == kLeft ? 1 : 0;
        continue;
      }
      markers_.positions[kept] = markers_.positions[p];
      markers_.radii[kept] = markers_.radii[p];
      markers_.outer[kept] = markers_.outer[p];
      markers_.identities[kept] = markers_.identities[p];
      ++kept;
    }
    resize(kept);
    return report;
  }
  void resize(std::size_t count) {
    markers_.positions.resize(count);
    markers_.radii.resize(count), markers_.outer.resize(count), markers_.identities.resize(count);
  }

  // Fills cells near the surface up to the target.
  void add(SeedReport& report) {
    const Index n = shape_.cells();
    // How many each cell lacks, then where its new markers begin; `order` is free again.
    work_.order.assign(shape_.cell_count() + 1, 0);
    for_each_row({{0, 0, 0}, n}, [&](int j, int k) {
      for (int i = 0; i < n[0]; ++i) {
        const std::size_t c = index_of(i, j, k);
        const std::uint32_t have = std::min(work_.starts[c + 1] - work_.starts[c], std::uint32_t(target_));
        if (is_near(shape_.position(Place::cell, i, j, k)) && is_trusted({i, j, k}))
          work_.order[c + 1] = static_cast<std::uint32_t>(target_) - have;
      }
    });
    for (std::size_t c = 0; c < shape_.cell_count(); ++c) work_.order[c + 1] += work_.order[c];
    const std::size_t old = markers_.size();
    report.added = work_.order.back();
    resize(old + report.added);
    for_each_row({{0, 0, 0}, n}, [&](int j, int k) {
      for (int i = 0; i < n[0]; ++i) {
        const std::size_t c = index_of(i, j, k);
        for (std::uint32_t m = work_.order[c]; m < work_.order[c + 1]; ++m)
          place_marker(old + m, {i, j, k}, c, m - work_.order[c]);
      }
    });
    markers_.born += report.added;
  }
  // New markers repeat what φ says, for good or ill. Where markers escaped φ is wrong, and on its ridges,
  // inside of films that the grid hardly shows, it soon will be: there the old markers know better.
  bool is_trusted(const Index& at) const {
    const Index n = shape_.cells();
    for (int k = std::max(at[2] - 1, 0); k <= std::min(at[2] + 1, n[2] - 1); ++k)
      for (int j = std::max(at[1] - 1, 0); j <= std::min(at[1] + 1, n[1] - 1); ++j)
        for (int i = std::max(at[0] - 1, 0); i <= std::min(at[0] + 1, n[0] - 1); ++i)
          if (work_.doubtful[index_of(i, j, k)] != 0) return false;
    return gradient_at(phi_, lattice_, shape_.position(Place::cell, at[0], at[1], at[2])).norm() >
           kSteepEnough;
  }
  std::size_t index_of(int i, int j, int k) const {
    const Index n = shape_.cells();
    return static_cast<std::size_t>(i) +
           static_cast<std::size_t>(n[0]) *
               (static_cast<std::size_t>(j) + static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(k));
  }
  void place_marker(std::size_t p, const Index& at, std::size_t cell, std::uint32_t ordinal) {
    const double h = shape_.cell_size();
    Vec3 x = shape_.origin() + h * Vec3(at[0], at[1], at[2]);
    for (int a = 0; a < shape_.dims(); ++a)
      x[a] += h * random_uniform(static_cast<std::uint64_t>(params_.seed), cell,
                                 markers_.seedings << 16 | std::uint64_t(ordinal) << 2 | std::uint64_t(a));
    const double f = phi_at(x);
    markers_.positions[p] = x.template cast<T>();
    markers_.outer[p] = f < 0 ? 0 : 1;
    markers_.radii[p] = static_cast<T>(
        std::clamp(std::abs(f), params_.smallest * h, std::max(params_.largest, params_.smallest) * h));
    markers_.identities[p] = static_cast<std::uint32_t>(markers_.born + (p - (markers_.size() - added())));
  }
  std::size_t added() const { return work_.order.back(); }

  const Shape& shape_;
  const MarkerParams& params_;
  Lattice lattice_;
  View<const T> phi_;
  Markers<T>& markers_;
  MarkerWork<T>& work_;
  double reach_;
  int target_;
};

}  // namespace

template <class T>
SeedReport reseed_markers(const Shape& shape, Place place, const MarkerParams& params, const ReadView<T>& phi,
                          Markers<T>& markers, MarkerWork<T>& work) {
  const ProfileZone zone("markers.reseed");
  return Seeding<T>(shape, place, params, phi, markers, work).run();
}

template SeedReport reseed_markers(const Shape&, Place, const MarkerParams&, const ReadView<float>&,
                                   Markers<float>&, MarkerWork<float>&);
template SeedReport reseed_markers(const Shape&, Place, const MarkerParams&, const ReadView<double>&,
                                   Markers<double>&, MarkerWork<double>&);

}  // namespace selkie::grid
