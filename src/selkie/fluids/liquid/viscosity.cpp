// See viscosity.h.
#include "selkie/fluids/liquid/viscosity.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/profile.h"
#include "selkie/grid/loops.h"

namespace selkie::liquid {
namespace {

constexpr std::int32_t kHeld = -1, kAirFace = -2;
constexpr double kLeastShare = 0.05;  // of a face's liquid: less makes the system stiff

template <class Real>
struct Builder {
  const Model& model;
  const PlacedSolids<Real>& solids;
  const State<Real>& state;
  const FlowWork<Real>& flow;
  ViscosityWork& work;
  const grid::Shape& shape = model.shape;
  const double dx = shape.cell_size();

  double share(double phi) const { return std::clamp(0.5 - phi / dx, 0.0, 1.0); }
  double phi(std::ptrdiff_t at) const { return double(state.surface[static_cast<std::size_t>(at)]); }
  std::uint8_t kind(std::ptrdiff_t at) const { return flow.kinds[static_cast<std::size_t>(at)]; }

  // Of a face `along` its axis; one in an open side has half of its volume outside.
  double face_share(std::ptrdiff_t at, std::ptrdiff_t step, int along, int last) const {
    if (along == 0) return 0.5 * share(phi(at));
    if (along == last) return 0.5 * share(phi(at - step));
    return share(0.5 * (phi(at) + phi(at - step)));
  }

  void number_faces() {
    std::int32_t count = 0;
    work.mass.resize(0), work.unknown.resize(0);
    for (int axis = 0; axis < shape.dims(); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      work.number[a].assign(shape.size(), kAirFace);
      const std::ptrdiff_t step = shape.stride(axis);
      const grid::Index n = shape.samples(grid::face_place(axis));
      for (int k = 0; k < n[2]; ++k)
        for (int j = 0; j < n[1]; ++j)
          for (int i = 0; i < n[0]; ++i) {
            const std::ptrdiff_t at = shape.at(i, j, k);
            const auto e = static_cast<std::size_t>(at);
            constexpr auto fluid = grid::code_of(grid::CellKind::fluid),
                           solid = grid::code_of(grid::CellKind::solid);
            const bool held =
                kind(at) == solid || kind(at - step) == solid || (solids.any() && !(solids.open[a][e] > 0));
            if (held)
              work.number[a][e] = kHeld;
            else if (kind(at) == fluid || kind(at - step) == fluid) {
              work.number[a][e] = count++;
              const int along = axis == 0 ? i : axis == 1 ? j : k;
              work.mass.push_back(std::max(kLeastShare, face_share(at, step, along, n[a] - 1)));
              work.unknown.push_back(double((*state.velocity()[a])[e]));
            }
          }
    }
  }

  // Adds sign · u of a face to a term; false where the face is in the air.
  bool add(int axis, std::ptrdiff_t at, double sign, int slot, ViscosityWork::Term& term) const {
    const auto a = static_cast<std::size_t>(axis);
    const std::int32_t n = work.number[a][static_cast<std::size_t>(at)];
    if (n == kAirFace) return false;
    term.face[static_cast<std::size_t>(slot)] = n;
    if (n == kHeld && solids.moving())
      term.given += sign * double(solids.velocity[a][static_cast<std::size_t>(at)]);
    return true;
  }

  void collect(double factor) {
    work.terms.clear();
    const grid::Index n = shape.cells();
    const int dims = shape.dims();
    for (int k = 0; k < n[2]; ++k)
      for (int j = 0; j < n[1]; ++j)
        for (int i = 0; i < n[0]; ++i) {
          const std::ptrdiff_t at = shape.at(i, j, k);
          const double whole = share(phi(at));
          // (∂_a u_a)², weight Δt ν V
          if (whole > 0)
            for (int a = 0; a < dims; ++a) {
              ViscosityWork::Term term{{kHeld, kHeld, kHeld, kHeld}, 2 * factor * whole, 0};
              if (add(a, at + shape.stride(a), 1, 0, term) && add(a, at, -1, 1, term))
                work.terms.push_back(term);
            }
        }
    for (int a = 0; a < dims; ++a)
      for (int b = a + 1; b < dims; ++b) collect_edges(a, b, factor);
  }

  // ½ (∂_b u_a + ∂_a u_b)² at the edges along neither a nor b, those of the box's sides included.
  void collect_edges(int a, int b, double factor) {
    const auto sa = static_cast<std::size_t>(a), sb = static_cast<std::size_t>(b);
    grid::Index n = shape.cells();
    const int last_a = n[sa]++, last_b = n[sb]++;
    for (int k = 0; k < n[2]; ++k)
      for (int j = 0; j < n[1]; ++j)
        for (int i = 0; i < n[0]; ++i) {
          const grid::Index index{i, j, k};
          const std::ptrdiff_t at = shape.at(i, j, k);
          const bool side_a = index[sa] == 0 || index[sa] == last_a,
                     side_b = index[sb] == 0 || index[sb] == last_b;
          const bool high_a = index[sa] == last_a, high_b = index[sb] == last_b;
          if (side_a && side_b) {
            add_corner(a, b, at, high_a, high_b, factor);
            add_corner(b, a, at, high_b, high_a, factor);
          } else if (side_a)
            add_side(b, a, at, high_a, factor);
          else if (side_b)
            add_side(a, b, at, high_b, factor);
          else
            add_edge(a, b, at, factor);
        }
  }

  void add_edge(int a, int b, std::ptrdiff_t at, double factor) {
    const std::ptrdiff_t sa = shape.stride(a), sb = shape.stride(b);
    const double part = share(0.25 * (phi(at) + phi(at - sa) + phi(at - sb) + phi(at - sa - sb)));
    if (!(part > 0)) return;
    ViscosityWork::Term term{{kHeld, kHeld, kHeld, kHeld}, factor * part, 0};
    if (add(a, at, 1, 0, term) && add(a, at - sb, -1, 1, term) && add(b, at, 1, 2, term) &&
        add(b, at - sa, -1, 3, term))
      work.terms.push_back(term);
  }

  // An edge in a side of the box across `normal`; half of its volume lies inside. A wall stands still, so
  // that beyond it u_along is mirrored with the other sign: ∂u = 2 u / Δx. An open side gives no traction:
  // what is beyond it follows, and no strain is left there.
  void add_side(int along, int normal, std::ptrdiff_t edge, bool high, double factor) {
    if (model.side(normal, high) == Side::open) return;
    const std::ptrdiff_t step = shape.stride(along), inside = high ? edge - shape.stride(normal) : edge;
    const double part = share(0.5 * (phi(inside) + phi(inside - step)));
    ViscosityWork::Term term{{kHeld, kHeld, kHeld, kHeld}, 0.5 * 4 * factor * part, 0};
    if (part > 0 && add(along, inside, 1, 0, term)) work.terms.push_back(term);
  }

  // A face along a that lies in an open side, where that meets a wall across b: a quarter of the edge is
  // inside.
  void add_corner(int a, int b, std::ptrdiff_t edge, bool high_a, bool high_b, double factor) {
    if (model.side(a, high_a) != Side::open || model.side(b, high_b) == Side::open) return;
    const std::ptrdiff_t face = high_b ? edge - shape.stride(b) : edge;
    ViscosityWork::Term term{{kHeld, kHeld, kHeld, kHeld}, 0, 0};
    term.factor = 0.25 * 4 * factor * share(phi(high_a ? face - shape.stride(a) : face));
    if (term.factor > 0 && add(a, face, 1, 0, term)) work.terms.push_back(term);
  }
};

constexpr std::array<double, 4> kSigns{1, -1, 1, -1};

void apply(const ViscosityWork& work, std::span<const double> x, std::span<double> y) {
  for (std::size_t n = 0; n < x.size(); ++n) y[n] = work.mass[n] * x[n];
  for (const ViscosityWork::Term& term : work.terms) {
    double strain = 0;
    for (std::size_t s = 0; s < 4; ++s)
      if (term.face[s] >= 0) strain += kSigns[s] * x[static_cast<std::size_t>(term.face[s])];
    strain *= term.factor;
    for (std::size_t s = 0; s < 4; ++s)
      if (term.face[s] >= 0) y[static_cast<std::size_t>(term.face[s])] += kSigns[s] * strain;
  }
}

}  // namespace

template <class Real>
StepReport diffuse(const Model& model, const Params& params, const PlacedSolids<Real>& solids, double dt,
                   State<Real>& state, const FlowWork<Real>& flow, ViscosityWork& work) {
  const ProfileZone zone("liquid.viscosity");
  const grid::Shape& shape = model.shape;
  Builder<Real> builder{model, solids, state, flow, work};
  builder.number_faces();
  const std::size_t count = work.mass.size();
  if (count == 0) return {};
  builder.collect(dt * params.viscosity / (params.density * shape.cell_size() * shape.cell_size()));
  work.right.resize(count), work.diagonal.resize(count);
  for (std::size_t n = 0; n < count; ++n)
    work.right[n] = work.mass[n] * work.unknown[n], work.diagonal[n] = work.mass[n];
  for (const ViscosityWork::Term& term : work.terms)
    for (std::size_t s = 0; s < 4; ++s)
      if (term.face[s] >= 0) {
        work.right[static_cast<std::size_t>(term.face[s])] -= kSigns[s] * term.factor * term.given;
        work.diagonal[static_cast<std::size_t>(term.face[s])] += term.factor;
      }
  const auto matrix = linalg::make_operator(
      count, [&](std::span<const double> x, std::span<double> y) { apply(work, x, y); });
  const auto jacobi = linalg::make_preconditioner([&](std::span<const double> r, std::span<double> z) {
    for (std::size_t n = 0; n < r.size(); ++n) z[n] = r[n] / work.diagonal[n];
  });
  const linalg::SolveReport report = linalg::pcg(
      matrix, jacobi, work.right.span(), work.unknown.span(),
      {.tolerance = std::min(params.tolerance, 1e-5), .max_iterations = 2000, .keep_history = false},
      work.pcg);
  StepReport step;
  if (!report.converged()) return StepReport::failure("viscosity: " + report.text());
  for (int axis = 0; axis < shape.dims(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    for (std::size_t e = 0; e < shape.size(); ++e)
      if (work.number[a][e] >= 0)
        (*state.velocity()[a])[e] =
            static_cast<Real>(work.unknown[static_cast<std::size_t>(work.number[a][e])]);
  }
  return step;
}

template StepReport diffuse<float>(const Model&, const Params&, const PlacedSolids<float>&, double,
                                   State<float>&, const FlowWork<float>&, ViscosityWork&);
template StepReport diffuse<double>(const Model&, const Params&, const PlacedSolids<double>&, double,
                                    State<double>&, const FlowWork<double>&, ViscosityWork&);

}  // namespace selkie::liquid
