// See pressure_reference.h.
#include "selkie/grid/pressure_reference.h"

#include "selkie/linalg/pcg.h"
#include "selkie/linalg/preconditioners.h"

namespace selkie::grid {
namespace {

struct Link {
  std::size_t a, b;
  double w;
};

double share_of(const PressureDomain<double>& d, int axis, const Index& face) {
  const View<const double>& open = d.open[static_cast<std::size_t>(axis)];
  return open.data == nullptr ? 1.0 : open(face[0], face[1], face[2]);
}

double air_weight(const PressureDomain<double>& d, double w, const Index& in, const Index& out) {
  if (d.surface.data == nullptr) return w;
  return w / surface_distance(d.surface(in[0], in[1], in[2]), d.surface(out[0], out[1], out[2]));
}

std::vector<std::size_t> flood(std::size_t count, const std::vector<Link>& links) {
  std::vector<std::size_t> parent(count);
  for (std::size_t n = 0; n < count; ++n) parent[n] = n;
  auto root = [&](std::size_t n) {
    while (parent[n] != n) n = parent[n] = parent[parent[n]];
    return n;
  };
  for (const Link& link : links) parent[root(link.a)] = root(link.b);
  for (std::size_t n = 0; n < count; ++n) parent[n] = root(n);
  return parent;
}

void remove_means(const AssembledPressure& system, std::span<double> values) {
  std::vector<double> sum(system.closed.size(), 0), count(system.closed.size(), 0);
  for (std::size_t n = 0; n < values.size(); ++n)
    sum[system.region[n]] += values[n], ++count[system.region[n]];
  for (std::size_t n = 0; n < values.size(); ++n)
    if (system.closed[system.region[n]] != 0) values[n] -= sum[system.region[n]] / count[system.region[n]];
}

}  // namespace

AssembledPressure assemble(const PressureDomain<double>& d) {
  const Index n = d.shape.cells();
  constexpr auto fluid = code_of(CellKind::fluid), air = code_of(CellKind::air);
  std::vector<std::ptrdiff_t> number(d.shape.size(), -1);
  std::vector<Index> cells;
  std::vector<Link> links;
  std::vector<double> diagonal;
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i) {
        if (d.kinds(i, j, k) != fluid) continue;
        double to_air = 0, total = 0;
        for (int axis = 0; axis < d.shape.dims(); ++axis)
          for (int side = 0; side < 2; ++side) {
            Index face{i, j, k}, nb{i, j, k};
            face[static_cast<std::size_t>(axis)] += side;
            nb[static_cast<std::size_t>(axis)] += 2 * side - 1;
            const std::uint8_t kind = d.kinds(nb[0], nb[1], nb[2]);
            const double w = kind == fluid || kind == air ? share_of(d, axis, face) : 0;
            total += w;
            if (kind == air) to_air += air_weight(d, w, {i, j, k}, nb);
            const std::ptrdiff_t other = number[static_cast<std::size_t>(d.shape.at(nb[0], nb[1], nb[2]))];
            if (kind == fluid && side == 0 && w > 0 && other >= 0)
              links.push_back({cells.size(), static_cast<std::size_t>(other), w});
          }
        if (total == 0) continue;
        number[static_cast<std::size_t>(d.shape.at(i, j, k))] = static_cast<std::ptrdiff_t>(cells.size());
        cells.push_back({i, j, k});
        diagonal.push_back(to_air);
      }
  std::vector<linalg::VertexPair> edges;
  for (const Link& link : links)
    edges.push_back({static_cast<std::uint32_t>(link.a), static_cast<std::uint32_t>(link.b)});
  AssembledPressure system{linalg::BlockSparseSymmetric<1>(cells.size(), edges), cells,
                           flood(cells.size(), links), std::vector<char>(cells.size(), 1)};
  using Block = linalg::BlockSparseSymmetric<1>::Block;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    system.matrix.add_diagonal(c, Block(diagonal[c]));
    if (diagonal[c] > 0) system.closed[system.region[c]] = 0;
  }
  const std::span<const linalg::Slot> slots = system.matrix.pattern().edge_slots();
  for (std::size_t e = 0; e < links.size(); ++e) {
    system.matrix.add_edge(slots[e], Block(-links[e].w));
    system.matrix.add_diagonal(links[e].a, Block(links[e].w));
    system.matrix.add_diagonal(links[e].b, Block(links[e].w));
  }
  return system;
}

linalg::SolveReport reference_solve(const PressureDomain<double>& domain, View<const double> b,
                                    View<double> p, ReferenceMethod method, double tolerance,
                                    int max_iterations) {
  const AssembledPressure system = assemble(domain);
  std::vector<double> right(system.cells.size()), x(system.cells.size(), 0.0);
  for (std::size_t c = 0; c < right.size(); ++c)
    right[c] = b(system.cells[c][0], system.cells[c][1], system.cells[c][2]);
  remove_means(system, right);
  linalg::IncompleteCholesky<1> cholesky;
  const linalg::IdentityPreconditioner identity;
  const linalg::Preconditioner* preconditioner = &identity;
  if (method == ReferenceMethod::incomplete_cholesky && cholesky.refresh(system.matrix).ok)
    preconditioner = &cholesky;
  linalg::PcgWork work;
  const linalg::PcgOptions options{.tolerance = tolerance, .max_iterations = max_iterations};
  linalg::SolveReport report = linalg::pcg(system.matrix, *preconditioner, right, x, options, work);
  remove_means(system, x);
  const Index n = domain.shape.cells();
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i) p(i, j, k) = 0;
  for (std::size_t c = 0; c < x.size(); ++c)
    p(system.cells[c][0], system.cells[c][1], system.cells[c][2]) = x[c];
  return report;
}

}  // namespace selkie::grid
