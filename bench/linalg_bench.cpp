// Speed of the linear algebra on a cloth-like sheet (structural, shear and bending springs: 12 neighbours per
// vertex). SpMV is compared with the STREAM triad of the same run, since memory traffic bounds it, and with
// the alternative storage of full rows, which reads every off-diagonal block twice.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "selkie/core/parallel.h"
#include "selkie/linalg/cholesky.h"
#include "selkie/linalg/pcg.h"
#include "selkie/linalg/preconditioners.h"
#include "selkie/math/svd.h"

namespace {

using namespace selkie;
using namespace selkie::linalg;

BlockSparseSymmetric<3> cloth_matrix(std::uint32_t side) {
  std::vector<VertexPair> edges;
  std::vector<Vec3> directions;
  auto join = [&](std::uint32_t x, std::uint32_t y, int dx, int dy) {
    const std::int64_t u = std::int64_t{x} + dx, v = std::int64_t{y} + dy;
    if (u < 0 || u >= side || v >= side) return;
    edges.push_back({y * side + x, static_cast<std::uint32_t>(v * side + u)});
    directions.push_back(Vec3(dx, dy, 0).normalized());
  };
  constexpr int kSprings[][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}, {2, 0}, {0, 2}};
  for (std::uint32_t y = 0; y < side; ++y)
    for (std::uint32_t x = 0; x < side; ++x)
      for (const auto& [dx, dy] : kSprings) join(x, y, dx, dy);
  BlockSparseSymmetric<3> a(std::size_t{side} * side, edges);
  for (std::size_t i = 0; i < a.vertex_count(); ++i) a.add_diagonal(i, Mat3::Identity());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const Mat3 k = 100 * (0.1 * Mat3::Identity() + 0.9 * directions[e] * directions[e].transpose());
    a.add_diagonal(edges[e][0], k);
    a.add_diagonal(edges[e][1], k);
    a.add_edge(a.pattern().edge_slots()[e], -k);
  }
  return a;
}

// Bytes a product must move if every stored number is read once.
double half_storage_bytes(const BlockSparseSymmetric<3>& a) {
  const auto v = static_cast<double>(a.vertex_count()), s = static_cast<double>(a.pattern().slot_count());
  return v * (72 + 8 + 48) + s * (72 + 4 + 8);
}

void triad(benchmark::State& state) {
  set_thread_count(static_cast<int>(state.range(0)));
  const std::size_t n = 8u << 20;
  Buffer<double> a(n, 1.0), b(n, 2.0), c(n, 3.0);
  for (auto _ : state) {
    parallel_blocks(n, 65536, [&](std::size_t begin, std::size_t end) {
      double* out = a.data();
      const double *x = b.data(), *y = c.data();
      for (std::size_t i = begin; i < end; ++i) out[i] = x[i] + 3.0 * y[i];
    });
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * n * 24));
}

void spmv(benchmark::State& state) {
  set_thread_count(static_cast<int>(state.range(0)));
  const auto a = cloth_matrix(static_cast<std::uint32_t>(state.range(1)));
  Buffer<double> x(a.size(), 1.0), y(a.size());
  for (auto _ : state) {
    a.apply(x, y);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(
      static_cast<std::int64_t>(static_cast<double>(state.iterations()) * half_storage_bytes(a)));
}

// Every block of every row stored: no indirection, twice the values.
struct FullRows {
  std::vector<std::uint32_t> begin, column;
  Buffer<Mat3> blocks;

  explicit FullRows(const BlockSparseSymmetric<3>& a) : begin{0} {
    const BlockPattern& p = a.pattern();
    for (std::size_t i = 0; i < a.vertex_count(); ++i) {
      for (auto k = p.lower_begin()[i]; k < p.lower_begin()[i + 1]; ++k)
        append(p.lower()[k].column, a.upper_blocks()[p.lower()[k].slot].transpose());
      append(static_cast<std::uint32_t>(i), a.diagonal(i));
      for (auto s = p.upper_begin()[i]; s < p.upper_begin()[i + 1]; ++s)
        append(p.upper_column()[s], a.upper_blocks()[s]);
      begin.push_back(static_cast<std::uint32_t>(column.size()));
    }
  }
  void append(std::uint32_t j, const Mat3& block) {
    column.push_back(j);
    blocks.push_back(block);
  }
  void apply(const double* x, double* y) const {
    typedef double Lane4 __attribute__((vector_size(32), aligned(8), may_alias));
    parallel_blocks(begin.size() - 1, 256, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        Lane4 sum{};
        for (auto k = begin[i]; k < begin[i + 1]; ++k) {
          const double* b = blocks.data()[k].data();
          const double* v = x + 3 * std::size_t{column[k]};
          sum += *reinterpret_cast<const Lane4*>(b) * v[0];
          sum += *reinterpret_cast<const Lane4*>(b + 3) * v[1];
          sum += *reinterpret_cast<const Lane4*>(b + 6) * v[2];
        }
        for (int c = 0; c < 3; ++c) y[3 * i + static_cast<std::size_t>(c)] = sum[c];
      }
    });
  }
};

void spmv_full_rows(benchmark::State& state) {
  set_thread_count(static_cast<int>(state.range(0)));
  const auto a = cloth_matrix(static_cast<std::uint32_t>(state.range(1)));
  const FullRows rows(a);
  Buffer<double> x(a.size(), 1.0), y(a.size());
  for (auto _ : state) {
    rows.apply(x.data(), y.data());
    benchmark::ClobberMemory();
  }
  const double bytes =
      static_cast<double>(rows.column.size()) * 76 + static_cast<double>(a.vertex_count()) * 52;
  state.SetBytesProcessed(static_cast<std::int64_t>(static_cast<double>(state.iterations()) * bytes));
}

// A whole solve to 1e-6; range(2): 0 Jacobi, 1 block Jacobi, 2 incomplete Cholesky, else its chunk size.
void solve(benchmark::State& state) {
  set_thread_count(static_cast<int>(state.range(0)));
  const auto a = cloth_matrix(static_cast<std::uint32_t>(state.range(1)));
  JacobiPreconditioner jacobi;
  BlockJacobiPreconditioner<3> block_jacobi;
  IncompleteCholesky<3> ic(state.range(2) > 2 ? static_cast<std::size_t>(state.range(2)) : 0);
  const Preconditioner* m = &ic;
  if (state.range(2) == 0) m = &jacobi;
  if (state.range(2) == 1) m = &block_jacobi;
  Buffer<double> b(a.size()), x(a.size());
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i * 2654435761u % 1000) - 500;
  PcgWork work;
  int iterations = 0;
  for (auto _ : state) {
    if (m == &jacobi) jacobi.refresh(a);
    if (m == &block_jacobi) block_jacobi.refresh(a);
    if (m == &ic && !ic.refresh(a).ok) state.SkipWithError("breakdown");
    std::fill(x.begin(), x.end(), 0.0);
    const SolveReport report = pcg(a, *m, b, x, {.max_iterations = 1000, .keep_history = false}, work);
    if (!report.converged()) state.SkipWithError("not converged");
    iterations = report.iterations;
  }
  state.counters["iterations"] = iterations;
}

void cholesky_refactorise(benchmark::State& state) {
  const auto backend = state.range(0) == 0 ? CholeskyBackend::simplicial : CholeskyBackend::cholmod;
  if (!is_available(backend)) {
    state.SkipWithError("not in this build");
    return;
  }
  const auto a = cloth_matrix(static_cast<std::uint32_t>(state.range(1)));
  SparseCholesky cholesky(backend);
  for (auto _ : state)
    if (!cholesky.factorize(a)) state.SkipWithError("not positive definite");
  state.counters["factor_nonzeros"] = static_cast<double>(cholesky.factor_nonzeros());
}

void cholesky_solve(benchmark::State& state) {
  const auto a = cloth_matrix(static_cast<std::uint32_t>(state.range(0)));
  SparseCholesky cholesky;
  if (!cholesky.factorize(a)) state.SkipWithError("not positive definite");
  std::vector<double> b(a.size(), 1.0), x(a.size());
  for (auto _ : state) benchmark::DoNotOptimize(cholesky.solve(b, x).residual);
}

void polar_of_sheared_stretch(benchmark::State& state) {
  Mat3 f;
  f << 1.1, 0.3, -0.2, 0.1, 0.9, 0.4, -0.3, 0.2, 1.3;
  for (auto _ : state) {
    f(0, 1) += 1e-9;
    benchmark::DoNotOptimize(polar3(f).rotation.sum());
  }
}

BENCHMARK(triad)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(spmv)->ArgsProduct({{1, 2}, {100, 700}})->UseRealTime();
BENCHMARK(spmv_full_rows)->ArgsProduct({{1, 2}, {100, 700}})->UseRealTime();
BENCHMARK(solve)
    ->ArgsProduct({{1, 2}, {100, 300}, {0, 1, 2, 1024, 8192}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(cholesky_refactorise)->ArgsProduct({{0, 1}, {50, 100}})->Unit(benchmark::kMillisecond);
BENCHMARK(cholesky_solve)->Arg(50)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK(polar_of_sheared_stretch);

}  // namespace
