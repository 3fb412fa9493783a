// See sheet.h.
#include "selkie/fluids/surface_water/sheet.h"

#include <algorithm>

namespace selkie::surface_water {
namespace {

constexpr std::uint32_t kUnset = 0xffffffff;

struct Builder {
  const Model& model;
  const Metric& m;
  const State& state;
  const SheetOptions& o;
  Sheet& s;

  const Complex& complex() const { return model.complex; }
  bool wet(std::uint32_t v) const { return state.depth[v] > o.iso_level; }
  std::uint32_t corner(std::size_t f, std::uint32_t c) const { return complex().vertex[c][f]; }

  std::uint32_t add(const Vec3& position, std::uint32_t source) const {
    s.positions.push_back(position);
    s.source.push_back(source);
    return static_cast<std::uint32_t>(s.positions.size() - 1);
  }

  // Share of the wet end at the crossing: 1 where the crossing is at the wet end itself.
  double alpha(std::uint32_t wet_end, std::uint32_t dry_end) const {
    return (o.iso_level - state.depth[dry_end]) / (state.depth[wet_end] - state.depth[dry_end]);
  }

  void find_fades() const {
    s.fade.assign(complex().vertex_count, 0);
    for (std::size_t f = 0; f < complex().face_count; ++f)
      for (std::uint32_t c = 0; c < 3; ++c) {
        const std::uint32_t a = corner(f, c), b = corner(f, next_corner(c));
        if (wet(a) == wet(b)) continue;
        const std::uint32_t in = wet(a) ? a : b, out = wet(a) ? b : a;
        s.fade[in] = std::max(s.fade[in], alpha(in, out));
      }
  }

  void place_wet_vertices() const {
    s.front.assign(complex().vertex_count, kUnset);
    s.back.assign(complex().vertex_count, kUnset);
    for (std::uint32_t v = 0; v < complex().vertex_count; ++v) {
      if (!wet(v)) continue;
      const double h = state.depth[v] - model.bottom[v], fade = s.fade[v];
      const double low = fade * (-model.bottom[v] - o.thickness);
      s.front[v] = add(state.positions[v] + ((1 - fade) * h + low) * m.vertex_normal[v], v);
      if (o.back)
        s.back[v] =
            add(state.positions[v] + ((1 - fade) * (h - 2 * o.thickness) + low) * m.vertex_normal[v], v);
    }
  }

  // The position where the edge opposite to corner c is crossed, shared by both faces and both sheets.
  std::uint32_t crossing(std::size_t f, std::uint32_t c) const {
    std::uint32_t& here = s.crossing[3 * f + c];
    if (here != kUnset) return here;
    const std::uint32_t a = corner(f, next_corner(c)), b = corner(f, last_corner(c));
    const std::uint32_t in = wet(a) ? a : b, out = wet(a) ? b : a;
    const double t = alpha(in, out);
    auto low = [&](std::uint32_t v) {
      return Vec3(state.positions[v] - (model.bottom[v] + o.thickness) * m.vertex_normal[v]);
    };
    here = add(t * low(in) + (1 - t) * low(out), in);
    const std::uint32_t there = complex().across[c][f];
    if (there != Corner::kNone)
      s.crossing[3 * std::size_t{Corner::face(there)} + Corner::corner(there)] = here;
    return here;
  }

  // Front corners in order; the back has the same face from the other side.
  void add_face(const std::array<std::uint32_t, 4>& front, const std::array<std::uint32_t, 4>& back,
                std::size_t count) const {
    for (std::size_t k = 2; k < count; ++k) {
      s.triangles.push_back({front[0], front[k - 1], front[k]});
      if (o.back) s.triangles.push_back({back[0], back[k], back[k - 1]});
    }
  }

  void cover(std::size_t f) const {
    std::uint32_t inside = 0;
    for (std::uint32_t c = 0; c < 3; ++c) inside += wet(corner(f, c));
    if (inside == 0) return;
    std::uint32_t c = 0;  // turned so that the odd one out comes first
    if (inside == 1)
      while (!wet(corner(f, c))) ++c;
    if (inside == 2)
      while (wet(corner(f, c))) ++c;
    const std::uint32_t n = next_corner(c), l = last_corner(c), a = corner(f, c), b = corner(f, n),
                        d = corner(f, l);
    if (inside == 3)
      return add_face({s.front[a], s.front[b], s.front[d]}, {s.back[a], s.back[b], s.back[d]}, 3);
    // Crossings of the edges a-b (opposite to l) and a-d (opposite to n).
    const std::uint32_t p = crossing(f, l), q = crossing(f, n);
    if (inside == 1) {
      add_face({s.front[a], p, q}, {s.back[a], p, q}, 3);
      s.shore.push_back({p, q});
    } else {
      add_face({s.front[b], s.front[d], q, p}, {s.back[b], s.back[d], q, p}, 4);
      s.shore.push_back({q, p});
    }
  }
};

// Cuts ears off a closed line of positions, seen along its mean normal: corners that turn left and hold no
// other vertex. Where the line crosses itself in that view none may be left; the sharpest corner goes then,
// and the surface is still closed.
class EarCutter {
 public:
  EarCutter(const std::vector<Vec3>& positions, std::vector<std::uint32_t>& loop,
            std::vector<geometry::Triangle>& triangles)
      : positions_(positions), loop_(loop), triangles_(triangles) {
    for (std::size_t k = 0; k < loop.size(); ++k)
      normal_ += positions[loop[k]].cross(positions[loop[(k + 1) % loop.size()]]);
  }

  void run() {
    while (loop_.size() > 3) cut(best());
    if (loop_.size() == 3) triangles_.push_back({loop_[0], loop_[1], loop_[2]});
  }

 private:
  const Vec3& at(std::size_t k) const { return positions_[loop_[k % loop_.size()]]; }
  double turn(const Vec3& a, const Vec3& b, const Vec3& c) const { return (b - a).cross(c - a).dot(normal_); }
  bool is_ear(std::size_t k) const {
    const std::size_t n = loop_.size();
    const Vec3 &a = at(k + n - 1), &b = at(k), &c = at(k + 1);
    if (!(turn(a, b, c) > 0)) return false;
    for (std::size_t i = 0; i < n - 3; ++i) {
      const Vec3& p = at(k + 2 + i);
      if (turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0) return false;
    }
    return true;
  }
  // Of the ears the one with the shortest new edge, which keeps the triangles compact.
  std::size_t best() const {
    const std::size_t n = loop_.size();
    std::size_t found = n, sharpest = 0;
    double least = 1e300, most = -1e300;
    for (std::size_t k = 0; k < n; ++k) {
      const double length = (at(k + 1) - at(k + n - 1)).squaredNorm();
      if (length < least && is_ear(k)) least = length, found = k;
      const double turned = turn(at(k + n - 1), at(k), at(k + 1));
      if (turned > most) most = turned, sharpest = k;
    }
    return found < n ? found : sharpest;
  }
  void cut(std::size_t k) {
    const std::size_t n = loop_.size();
    triangles_.push_back({loop_[(k + n - 1) % n], loop_[k], loop_[(k + 1) % n]});
    loop_.erase(loop_.begin() + static_cast<std::ptrdiff_t>(k));
  }

  const std::vector<Vec3>& positions_;
  std::vector<std::uint32_t>& loop_;
  std::vector<geometry::Triangle>& triangles_;
  Vec3 normal_ = Vec3::Zero();
};

// Shores that end at the rim of an open mesh stay open.
void cap_shores(Sheet& s) {
  s.next.assign(s.positions.size(), kUnset);
  for (const auto& [a, b] : s.shore) s.next[b] = a;  // the cap runs against the water's edge
  for (const auto& edge : s.shore) {
    s.loop.clear();
    std::uint32_t at = edge[1];
    while (at != kUnset && (s.loop.empty() || at != s.loop.front())) {
      s.loop.push_back(at);
      const std::uint32_t next = s.next[at];
      s.next[at] = kUnset;
      at = next;
    }
    if (at == kUnset || s.loop.size() < 3) continue;
    EarCutter(s.positions, s.loop, s.triangles).run();
  }
}

}  // namespace

void make_sheet(const Model& model, const Metric& metric, const State& state, const SheetOptions& options,
                Sheet& sheet) {
  sheet.positions.clear(), sheet.triangles.clear(), sheet.source.clear(), sheet.shore.clear();
  sheet.crossing.assign(3 * model.complex.face_count, kUnset);
  const Builder builder{model, metric, state, options, sheet};
  builder.find_fades();
  builder.place_wet_vertices();
  for (std::size_t f = 0; f < model.complex.face_count; ++f) builder.cover(f);
  if (options.cap && !options.back) cap_shores(sheet);
}

bool all_wet(const State& state, double iso_level) {
  return std::all_of(state.depth.begin(), state.depth.end(), [&](double d) { return d > iso_level; });
}

}  // namespace selkie::surface_water
