// See delaunay.h.
#include "selkie/geometry/tetrahedra/delaunay.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "selkie/core/check.h"
#include "selkie/core/error.h"
#include "selkie/core/random.h"
#include "selkie/geometry/mesh_distance.h"
#include "selkie/geometry/predicates.h"

namespace selkie::geometry {
namespace {

constexpr std::uint32_t kInfinity = 0xffffffff;  // the vertex beyond the hull
constexpr std::uint32_t kNone = 0xffffffff;

// Which new tet came first to an edge of the hole; cleared by moving on to the next stamp.
class EdgeTable {
 public:
  void begin(std::size_t edges) {
    const std::size_t wanted = std::bit_ceil(4 * edges + 4);
    if (slots_.size() < wanted) slots_.assign(wanted, {});
    ++stamp_;
  }
  // The face stored for the edge before, or kNone after storing this one.
  std::uint32_t match(std::uint32_t a, std::uint32_t b, std::uint32_t face) {
    const std::uint64_t key = static_cast<std::uint64_t>(std::min(a, b)) << 32 | std::max(a, b);
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (key * 0x9e3779b97f4a7c15ull) >> 32 & mask;
    while (slots_[at].stamp == stamp_ && slots_[at].key != key) at = (at + 1) & mask;
    if (slots_[at].stamp == stamp_) return slots_[at].face;
    slots_[at] = {key, face, stamp_};
    return kNone;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t face = 0;
    std::uint32_t stamp = 0;
  };
  std::vector<Slot> slots_;
  std::uint32_t stamp_ = 0;
};

class Triangulation {
 public:
  explicit Triangulation(std::span<const Vec3> points) : x_(points) {
    corners_.reserve(points.size() * 7);
    neighbours_.reserve(points.size() * 7);
    mark_.reserve(points.size() * 7);
  }

  // The first tet and its four neighbours at infinity. A neighbour is its tet's face seen from outside.
  void begin(Tet tet) {
    if (side(tet, 3, tet[3]) < 0) std::swap(tet[0], tet[1]);
    for (std::uint32_t t = 0; t < 5; ++t) add();
    corners_[0] = tet;
    EdgeTable edges;
    edges.begin(6);
    for (std::uint32_t i = 0; i < 4; ++i) {
      Tet ghost = tet;
      ghost[i] = kInfinity;
      std::swap(ghost[(i + 1) % 4], ghost[(i + 2) % 4]);  // seen from the other side
      corners_[i + 1] = ghost;
      neighbours_[0][i] = i + 1;
      neighbours_[i + 1][i] = 0;
    }
    for (std::uint32_t i = 0; i < 4; ++i) link_around(i + 1, i, edges);
  }

  // False when the point equals a vertex.
  bool insert(std::uint32_t point) {
    const std::uint32_t home = locate(point);
    for (const std::uint32_t corner : corners_[home])
      if (corner != kInfinity && x_[corner] == x_[point]) return false;
    find_hole(home, point);
    for (const std::uint32_t tet : hole_) release(tet);
    edges_.begin(faces_.size() * 3 / 2 + 1);
    for (const Face& face : faces_) {
      const std::uint32_t tet = add();
      corners_[tet] = face.corners;
      corners_[tet][face.position] = point;
      neighbours_[tet][face.position] = face.outside;
      neighbours_[face.outside][face.outside_position] = tet;
      link_around(tet, face.position, edges_);
      if (!at_infinity(tet)) last_ = tet;
    }
    return true;
  }

  std::vector<Tet> finite_tets() const {
    std::vector<Tet> tets;
    for (std::uint32_t t = 0; t < corners_.size(); ++t)
      if (mark_[t] != kFree && !at_infinity(t)) tets.push_back(corners_[t]);
    return tets;
  }

 private:
  struct Face {  // of the hole: as corners of the tet inside, with the position of the corner it lies
                 // opposite to
    Tet corners;
    std::uint32_t position;
    std::uint32_t outside, outside_position;
  };
  static constexpr std::uint32_t kFree = 0xffffffff;

  std::uint32_t add() {
    if (!free_.empty()) {
      const std::uint32_t tet = free_.back();
      free_.pop_back();
      mark_[tet] = 0;
      return tet;
    }
    corners_.emplace_back();
    neighbours_.emplace_back();
    mark_.push_back(0);
    return static_cast<std::uint32_t>(corners_.size() - 1);
  }
  void release(std::uint32_t tet) {
    mark_[tet] = kFree;
    free_.push_back(tet);
  }

  bool at_infinity(std::uint32_t tet) const {
    const Tet& c = corners_[tet];
    return c[0] == kInfinity || c[1] == kInfinity || c[2] == kInfinity || c[3] == kInfinity;
  }

  // The orientation of the tet with the corner at `position` replaced by the point.
  int side(const Tet& tet, std::size_t position, std::uint32_t point) const {
    Tet c = tet;
    c[position] = point;
    return orient3d(x_[c[0]], x_[c[1]], x_[c[2]], x_[c[3]]);
  }

  // Whether the point is strictly inside the circumsphere. That of a tet at infinity is the half-space beyond
  // its finite face, and in the plane of that face the circle which the neighbour's sphere cuts out of it.
  bool conflicts(std::uint32_t tet, std::uint32_t point) const {
    const Tet& c = corners_[tet];
    for (std::size_t i = 0; i < 4; ++i)
      if (c[i] == kInfinity) {
        const int beyond = side(c, i, point);
        return beyond > 0 || (beyond == 0 && conflicts(neighbours_[tet][i], point));
      }
    return in_sphere(x_[c[0]], x_[c[1]], x_[c[2]], x_[c[3]], x_[point]) > 0;
  }

  // Walks to the tet that holds the point, or to one at infinity that the point sees. The face tried first
  // varies, which keeps walks short.
  std::uint32_t locate(std::uint32_t point) {
    std::uint32_t tet = last_;
    std::uint32_t came_from = kNone;
    while (true) {
      bool moved = false;
      const std::uint32_t first = ++turn_;
      for (std::uint32_t k = 0; k < 4 && !moved; ++k) {
        const std::size_t i = (first + k) & 3u;
        const std::uint32_t next = neighbours_[tet][i];
        if (next == came_from || side(corners_[tet], i, point) >= 0) continue;
        if (at_infinity(next)) return next;
        came_from = tet;
        tet = next;
        moved = true;
      }
      if (!moved) return tet;
    }
  }

  // Spreads from `home` over all tets in conflict: hole_, and the faces around it.
  void find_hole(std::uint32_t home, std::uint32_t point) {
    stamp_ += 2;
    const std::uint32_t in_hole = stamp_, outside = stamp_ + 1;
    SELKIE_CHECK(outside < kFree, "too many points");
    hole_.assign(1, home);
    faces_.clear();
    mark_[home] = in_hole;
    for (std::size_t at = 0; at < hole_.size(); ++at) {
      const std::uint32_t tet = hole_[at];
      for (std::uint32_t i = 0; i < 4; ++i) {
        const std::uint32_t next = neighbours_[tet][i];
        if (mark_[next] == in_hole) continue;
        if (mark_[next] != outside) {
          if (conflicts(next, point)) {
            mark_[next] = in_hole;
            hole_.push_back(next);
            continue;
          }
          mark_[next] = outside;
        }
        std::uint32_t back = 0;
        while (neighbours_[next][back] != tet) ++back;
        faces_.push_back({corners_[tet], i, next, back});
      }
    }
  }

  // Joins the three faces of a new tet that contain its corner `apex` with those of other new tets.
  void link_around(std::uint32_t tet, std::uint32_t apex, EdgeTable& edges) {
    for (std::uint32_t j = 0; j < 4; ++j) {
      if (j == apex) continue;
      std::array<std::uint32_t, 2> edge;
      std::size_t n = 0;
      for (std::uint32_t k = 0; k < 4; ++k)
        if (k != apex && k != j) edge[n++] = corners_[tet][k];
      const std::uint32_t other = edges.match(edge[0], edge[1], 4 * tet + j);
      if (other == kNone) continue;
      neighbours_[tet][j] = other / 4;
      neighbours_[other / 4][other % 4] = tet;
    }
  }

  std::span<const Vec3> x_;
  std::vector<Tet> corners_;     // positive; those with kInfinity are positive with a point beyond their face
  std::vector<Tet> neighbours_;  // [i]: across the face opposite corner i
  std::vector<std::uint32_t> mark_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> hole_;
  std::vector<Face> faces_;
  EdgeTable edges_;
  std::uint32_t stamp_ = 0, turn_ = 0, last_ = 0;
};

// Rounds of doubling size, each in Hilbert order: early points are spread at random, so that no input order
// is a bad one, and later walks are short. [Amenta03]
std::vector<std::uint32_t> insertion_order(std::span<const Vec3> points) {
  std::vector<std::uint32_t> order = hilbert_order(points);
  const int rounds = std::max(1, static_cast<int>(std::bit_width(points.size())) - 8);
  auto round_of = [&](std::uint32_t point) {
    const int late = std::countr_zero(random_bits(0xde1a, 0, point) | 1ull << 63);
    return rounds - std::min(late, rounds - 1);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return round_of(a) < round_of(b); });
  return order;
}

// Moves four points that span a volume to the front of the order.
void start_with_tet(std::span<const Vec3> x, std::vector<std::uint32_t>& order) {
  auto bring = [&](std::size_t place, auto&& fits) {
    const auto found = std::find_if(order.begin() + static_cast<std::ptrdiff_t>(place), order.end(), fits);
    if (found == order.end())
      throw InputError("the points lie in one plane", "tetrahedra need points that span a volume");
    std::rotate(order.begin() + static_cast<std::ptrdiff_t>(place), found, found + 1);
  };
  bring(1, [&](std::uint32_t p) { return x[p] != x[order[0]]; });
  const Vec3 a = x[order[0]], b = x[order[1]];
  bring(2, [&](std::uint32_t p) {
    // Not on the line through a and b: seen so along one of the axes.
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
      auto flat = [&](const Vec3& v) { return Vec2(v[(axis + 1) % 3], v[(axis + 2) % 3]); };
      if (orient2d(flat(a), flat(b), flat(x[p])) != 0) return true;
    }
    return false;
  });
  const Vec3 c = x[order[2]];
  bring(3, [&](std::uint32_t p) { return orient3d(a, b, c, x[p]) != 0; });
}

}  // namespace

Delaunay delaunay(std::span<const Vec3> points) {
  if (points.size() < 4)
    throw InputError("Delaunay tetrahedra need at least four points, but there are " +
                     std::to_string(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!points[i].allFinite()) throw InputError("point " + std::to_string(i) + " is not finite");
  std::vector<std::uint32_t> order = insertion_order(points);
  start_with_tet(points, order);
  Triangulation triangulation(points);
  triangulation.begin({order[0], order[1], order[2], order[3]});
  Delaunay result;
  for (std::size_t i = 4; i < order.size(); ++i)
    if (!triangulation.insert(order[i])) result.left_out.push_back(order[i]);
  std::sort(result.left_out.begin(), result.left_out.end());
  result.tets = triangulation.finite_tets();
  return result;
}

std::vector<Tet> tets_inside(const TriangleMesh& surface) {
  const std::vector<Vec3>& x = surface.positions;
  std::vector<Tet> tets = delaunay(x).tets;
  const MeshDistance distance(surface, 0);
  std::erase_if(tets, [&](const Tet& t) {
    return !(distance.exact((x[t[0]] + x[t[1]] + x[t[2]] + x[t[3]]) / 4).distance < 0);
  });
  return tets;
}

}  // namespace selkie::geometry
