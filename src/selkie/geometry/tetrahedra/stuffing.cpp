// See stuffing.h. The stages of [Labelle07 §3]: values at the lattice points, cut points where edges change
// sign, snapping of lattice points to cut points nearby, and the parts inside of the tets that remain cut.
#include "selkie/geometry/tetrahedra/stuffing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "selkie/core/check.h"
#include "selkie/core/error.h"
#include "selkie/core/parallel.h"
#include "selkie/core/text.h"
#include "selkie/geometry/detail/bcc_lattice.h"

namespace selkie::geometry {
namespace {

using detail::BccLattice;
using detail::kLatticeSteps;
using detail::kLongSteps;
using detail::LatticePoint;
using detail::stepped;

// A cut point nearer to a lattice point than this share of the edge attracts it [Labelle07 §4]. On random
// surfaces these give 11.1° to 157.9°; all others tried were worse (0.215 and 0.359: 8.0° to 160.1°).
constexpr double kSnapLong = 0.24999, kSnapShort = 0.41189;

constexpr double kUncut = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint32_t kUnnumbered = 0xffffffff;
constexpr std::uint32_t kNoRecord = 0xffffffff;
constexpr std::uint32_t kUnmoved = 0xffffffff;

// Where the function vanishes between p and q, as a share of the way: false position with Illinois' cure for
// ends that stay. Distances are nearly linear, so that two or three evaluations do.
double root_between(FunctionRef<double(const Vec3&)> field, const Vec3& p, const Vec3& q, double at_p,
                    double at_q) {
  const double small = 1e-6 * (std::abs(at_p) + std::abs(at_q));
  double lo = 0, hi = 1, share = 0.5;
  int moved = 0;  // the end that moved last: -1 p's, +1 q's
  for (int n = 0; n < 12; ++n) {
    share = lo + (hi - lo) * at_p / (at_p - at_q);
    const double value = field(p + share * (q - p));
    if (std::abs(value) <= small) break;
    if ((value > 0) == (at_p > 0)) {
      lo = share, at_p = value;
      if (moved == -1) at_q *= 0.5;
      moved = -1;
    } else {
      hi = share, at_q = value;
      if (moved == 1) at_p *= 0.5;
      moved = 1;
    }
  }
  return share;
}

double cubes_along(const BoundingBox& box, std::size_t axis, double cell) {
  return std::ceil(box.sizes()[static_cast<Eigen::Index>(axis)] / cell);
}

class Stuffing {
 public:
  Stuffing(FunctionRef<double(const Vec3&)> field, const BoundingBox& box, double cell)
      : field_(field), lattice_(lattice_over(box, cell)) {}

  TetMesh make() {
    evaluate();
    cut_edges();
    snap();
    emit_all();
    return std::move(mesh_);
  }

 private:
  struct Record {  // of a point with a cut edge among its forward ones
    std::size_t point;
    std::array<double, 7> cut;  // share of the way along each step; kUncut
    std::array<std::uint32_t, 7> number;
  };
  struct Corner {
    std::size_t index;
    LatticePoint point;
    int sign;
  };
  // Corners of a tet in positive order: long edges join 0 with 1 and 2 with 3.
  using Corners = std::array<Corner, 4>;

  // One more cube on each side, so that no tet inside is missing.
  static BccLattice lattice_over(const BoundingBox& box, double cell) {
    require_moderate_lattice(box, cell);
    BccLattice lattice{box.min() - Vec3::Constant(cell), cell / 2, {}};
    for (std::size_t k = 0; k < 3; ++k) lattice.cubes[k] = static_cast<int>(cubes_along(box, k, cell)) + 2;
    return lattice;
  }

  void evaluate() {
    value_.resize(lattice_.point_count());
    parallel_for(
        value_.size(), [&](std::size_t i) { value_[i] = field_(lattice_.position(lattice_.point(i))); }, 256);
    record_of_.assign(value_.size(), kNoRecord);
  }

  // Visits the lattice points at the other ends of the fourteen edges: visit(owner of the edge, step, other
  // end, whether the edge runs forward from p).
  template <class Visit>
  void each_edge(std::size_t index, Visit&& visit) const {
    const LatticePoint p = lattice_.point(index);
    for (std::size_t s = 0; s < kLatticeSteps.size(); ++s) {
      const LatticePoint ahead = stepped(p, kLatticeSteps[s], 1), behind = stepped(p, kLatticeSteps[s], -1);
      if (lattice_.contains(ahead)) visit(index, s, lattice_.index(ahead), true);
      if (lattice_.contains(behind)) visit(lattice_.index(behind), s, lattice_.index(behind), false);
    }
  }

  bool changes_sign(std::size_t a, std::size_t b) const {
    return (value_[a] > 0 && value_[b] < 0) || (value_[a] < 0 && value_[b] > 0);
  }

  void cut_edges() {
    for (std::size_t i = 0; i < value_.size(); ++i) {
      bool cut = false;
      each_edge(i, [&](std::size_t, std::size_t, std::size_t other, bool forward) {
        cut |= forward && changes_sign(i, other);
      });
      if (!cut) continue;
      record_of_[i] = static_cast<std::uint32_t>(records_.size());
      records_.push_back({i, {}, {}});
    }
    parallel_for(
        records_.size(),
        [&](std::size_t r) {
          Record& record = records_[r];
          record.cut.fill(kUncut);
          record.number.fill(kUnnumbered);
          const Vec3 p = lattice_.position(lattice_.point(record.point));
          each_edge(record.point, [&](std::size_t, std::size_t s, std::size_t other, bool forward) {
            if (!forward || !changes_sign(record.point, other)) return;
            record.cut[s] = root_between(field_, p, lattice_.position(lattice_.point(other)),
                                         value_[record.point], value_[other]);
          });
        },
        64);
  }

  // Moves a point to the nearest cut point of those too near to it; the point is on the surface then, and the
  // cut points of its edges are gone. One after the other: a move spares the neighbours theirs.
  void snap() {
    moved_of_.assign(value_.size(), kUnmoved);
    for (std::size_t i = 0; i < value_.size(); ++i) {
      if (value_[i] == 0) continue;
      double nearest = std::numeric_limits<double>::infinity();
      Vec3 target = Vec3::Zero();
      each_edge(i, [&](std::size_t owner, std::size_t s, std::size_t other, bool forward) {
        if (record_of_[owner] == kNoRecord) return;
        const double cut = records_[record_of_[owner]].cut[s], share = forward ? cut : 1 - cut;
        const bool is_long = s < kLongSteps;
        if (!(share < (is_long ? kSnapLong : kSnapShort))) return;  // kUncut is not less
        const double distance = share * (is_long ? 2 : std::sqrt(3.0));
        if (distance >= nearest) return;
        nearest = distance;
        target = between(lattice_.point(i), lattice_.point(other), share);
      });
      if (nearest == std::numeric_limits<double>::infinity()) continue;
      moved_of_[i] = static_cast<std::uint32_t>(moved_.size());
      moved_.push_back(target);
      value_[i] = 0;
      each_edge(i, [&](std::size_t owner, std::size_t s, std::size_t, bool) {
        if (record_of_[owner] != kNoRecord) records_[record_of_[owner]].cut[s] = kUncut;
      });
    }
  }

  void emit_all() {
    number_.assign(value_.size(), kUnnumbered);
    const auto& n = lattice_.cubes;
    LatticePoint middle;
    for (middle[2] = 1; middle[2] < 2 * n[2]; middle[2] += 2)
      for (middle[1] = 1; middle[1] < 2 * n[1]; middle[1] += 2)
        for (middle[0] = 1; middle[0] < 2 * n[0]; middle[0] += 2)
          for (std::size_t axis = 0; axis < 3; ++axis)
            if (middle[axis] + 2 < 2 * n[axis]) emit_around(middle, axis);
  }

  // The four tets around the long edge from a middle to the next along the axis.
  void emit_around(const LatticePoint& middle, std::size_t axis) {
    const LatticePoint next = stepped(middle, kLatticeSteps[axis], 1);
    std::array<LatticePoint, 4> ring;
    constexpr std::array<std::array<int, 2>, 4> turns = {{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}};
    for (std::size_t k = 0; k < 4; ++k) {
      ring[k] = middle;
      ring[k][axis] += 1;
      ring[k][(axis + 1) % 3] += turns[k][0];
      ring[k][(axis + 2) % 3] += turns[k][1];
    }
    for (std::size_t k = 0; k < 4; ++k)
      emit({corner(middle), corner(next), corner(ring[k]), corner(ring[(k + 1) % 4])});
  }

  Corner corner(const LatticePoint& p) const {
    const std::size_t index = lattice_.index(p);
    return {index, p, value_[index] > 0 ? 1 : value_[index] < 0 ? -1 : 0};
  }

  void emit(const Corners& c) {
    std::array<std::size_t, 4> inside{}, outside{};
    std::size_t inside_count = 0, outside_count = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      if (c[i].sign > 0) inside[inside_count++] = i;
      if (c[i].sign < 0) outside[outside_count++] = i;
    }
    if (inside_count == 0) return;
    Tet tet{};
    for (std::size_t i = 0; i < 4; ++i)
      if (c[i].sign >= 0) tet[i] = lattice_vertex(c[i].index);
    if (outside_count == 0) {
      mesh_.tets.push_back(tet);
    } else if (inside_count == 1) {
      for (std::size_t k = 0; k < outside_count; ++k)
        tet[outside[k]] = cut_vertex(c[inside[0]], c[outside[k]]);
      mesh_.tets.push_back(tet);
    } else if (outside_count == 1) {
      emit_frustum(c, tet, std::span(inside.data(), inside_count), outside[0]);
    } else {
      emit_wedge(c, tet, inside[0], inside[1], outside[0], outside[1]);
    }
  }

  // Whether the quad that the face (x, y, n) leaves, n outside, is cut by the diagonal from y to the cut
  // point of x, and not the other way round. It depends on the face alone, so that both its tets agree; the
  // longer edge decides, or, between equals, which of the two is the even one of its kind.
  bool cut_first(const Corner& x, const Corner& y, const Corner& n) const {
    const bool long_x = is_long(x, n), long_y = is_long(y, n);
    if (long_x != long_y) return long_x;
    return even(x.point);
  }
  static bool is_long(const Corner& a, const Corner& b) { return ((a.point[0] ^ b.point[0]) & 1) == 0; }
  static bool even(const LatticePoint& p) { return (((p[0] >> 1) + (p[1] >> 1) + (p[2] >> 1)) & 1) == 0; }

  // Two or three corners inside, one outside: a staircase from the kept corners down to their cut points.
  void emit_frustum(const Corners& c, Tet tet, std::span<std::size_t> inside, std::size_t out) {
    std::sort(inside.begin(), inside.end(),
              [&](std::size_t x, std::size_t y) { return x != y && cut_first(c[x], c[y], c[out]); });
    for (const std::size_t i : inside) {
      tet[out] = cut_vertex(c[i], c[out]);
      mesh_.tets.push_back(tet);
      tet[i] = tet[out];
    }
  }

  // Corners p and q inside, n and m outside: a wedge with the edge pq. Its two inner quads are cut as
  // cut_first says; the one on the surface belongs to this tet alone.
  void emit_wedge(const Corners& c, const Tet& kept, std::size_t p, std::size_t q, std::size_t n,
                  std::size_t m) {
    if (!cut_first(c[p], c[q], c[n])) std::swap(p, q);  // now the diagonal of face pqn ends at q
    const std::uint32_t pn = cut_vertex(c[p], c[n]), pm = cut_vertex(c[p], c[m]);
    const std::uint32_t qn = cut_vertex(c[q], c[n]), qm = cut_vertex(c[q], c[m]);
    auto tet = [&](std::uint32_t at_p, std::uint32_t at_q, std::uint32_t at_n, std::uint32_t at_m) {
      Tet t{};
      t[p] = at_p, t[q] = at_q, t[n] = at_n, t[m] = at_m;
      return t;
    };
    const std::uint32_t vp = kept[p], vq = kept[q];
    if (!cut_first(c[p], c[q], c[m])) {
      // Diagonals q-pn and p-qm leave one way to cut the surface's quad.
      mesh_.tets.insert(mesh_.tets.end(), {tet(vp, vq, pn, qm), tet(vp, qm, pn, pm), tet(pn, vq, qn, qm)});
      return;
    }
    mesh_.tets.push_back(tet(vp, vq, pn, pm));
    const std::array<Tet, 2> one = {tet(pn, vq, qn, qm), tet(pm, vq, pn, qm)};
    const std::array<Tet, 2> other = {tet(pm, vq, qn, qm), tet(pn, vq, qn, pm)};
    const std::array<Tet, 2>& better = least_angle(one) >= least_angle(other) ? one : other;
    mesh_.tets.insert(mesh_.tets.end(), better.begin(), better.end());
  }

  double least_angle(const std::array<Tet, 2>& tets) const {
    double least = 180;
    for (const Tet& t : tets)
      least = std::min(least, dihedral_angles(mesh_.positions[t[0]], mesh_.positions[t[1]],
                                              mesh_.positions[t[2]], mesh_.positions[t[3]])
                                  .min);
    return least;
  }

  // A share of the way between two lattice points that were not moved.
  Vec3 between(const LatticePoint& a, const LatticePoint& b, double share) const {
    return lattice_.position(a) + share * (lattice_.position(b) - lattice_.position(a));
  }
  std::uint32_t add_vertex(const Vec3& position) {
    mesh_.positions.push_back(position);
    return static_cast<std::uint32_t>(mesh_.positions.size() - 1);
  }
  std::uint32_t lattice_vertex(std::size_t index) {
    if (number_[index] == kUnnumbered)
      number_[index] = add_vertex(moved_of_[index] == kUnmoved ? lattice_.position(lattice_.point(index))
                                                               : moved_[moved_of_[index]]);
    return number_[index];
  }
  std::uint32_t cut_vertex(const Corner& a, const Corner& b) {
    for (std::size_t s = 0; s < kLatticeSteps.size(); ++s) {
      const bool forward = stepped(a.point, kLatticeSteps[s], 1) == b.point;
      if (!forward && stepped(b.point, kLatticeSteps[s], 1) != a.point) continue;
      const Corner &from = forward ? a : b, &to = forward ? b : a;
      Record& record = records_[record_of_[from.index]];
      if (record.number[s] == kUnnumbered)
        record.number[s] = add_vertex(between(from.point, to.point, record.cut[s]));
      return record.number[s];
    }
    SELKIE_CHECK(false, "the points of an edge of the lattice");
    return 0;
  }

  FunctionRef<double(const Vec3&)> field_;
  BccLattice lattice_;
  std::vector<double> value_;  // of the lattice points; 0 where they were moved to the surface
  std::vector<std::uint32_t> record_of_, moved_of_, number_;  // per lattice point
  std::vector<Vec3> moved_;
  std::vector<Record> records_;
  TetMesh mesh_;
};

}  // namespace

void require_moderate_lattice(const BoundingBox& box, double cell) {
  constexpr double kMostPoints = 2e8;  // some gigabytes while the lattice is cut
  double points = 2;
  for (std::size_t axis = 0; axis < 3; ++axis) points *= cubes_along(box, axis, cell) + 2;
  if (points > kMostPoints)
    throw InputError(
        "cells of " + number_text(cell) + " m make a lattice of " + number_text(points) + " points",
        "use fewer divisions: at most " + number_text(kMostPoints) + " points are made");
}

TetMesh stuff(FunctionRef<double(const Vec3&)> field, const BoundingBox& box, double cell) {
  return Stuffing(field, box, cell).make();
}

}  // namespace selkie::geometry
