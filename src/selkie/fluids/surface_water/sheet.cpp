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

}  // namespace

void make_sheet(const Model& model, const Metric& metric, const State& state, const SheetOptions& options,
                Sheet& sheet) {
  sheet.positions.clear(), sheet.triangles.clear(), sheet.source.clear(), sheet.shore.clear();
  sheet.crossing.assign(3 * model.complex.face_count, kUnset);
  const Builder builder{model, metric, state, options, sheet};
  builder.find_fades();
  builder.place_wet_vertices();
  for (std::size_t f = 0; f < model.complex.face_count; ++f) builder.cover(f);
}

bool all_wet(const State& state, double iso_level) {
  return std::all_of(state.depth.begin(), state.depth.end(), [&](double d) { return d > iso_level; });
}

}  // namespace selkie::surface_water
