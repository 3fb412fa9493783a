// Peer of pressure_bench: hypre's conjugate gradients with PFMG on the same problem, slabs of z over the
// ranks. Prints "iterations residual seconds", the best of three solves, set-up excluded. hypre_pressure N
// OBSTACLES
#include <HYPRE.h>
#include <HYPRE_struct_ls.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/pressure_problem.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  HYPRE_Init();
  const int n = argc > 1 ? std::atoi(argv[1]) : 64;
  const selkie::bench::PressureProblem problem{n, argc > 2 && std::atoi(argv[2]) != 0};
  const int first = n * rank / ranks, last = n * (rank + 1) / ranks;
  HYPRE_Int low[3] = {0, 0, first}, high[3] = {n - 1, n - 1, last - 1};

  std::vector<double> values, right, zero;
  for (int k = first; k < last; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        double diagonal = 0, w[3];
        for (int axis = 0; axis < 3; ++axis) {
          w[axis] = problem.open(axis, i, j, k);
          diagonal += w[axis] + problem.open(axis, i + (axis == 0), j + (axis == 1), k + (axis == 2));
        }
        if (diagonal == 0) diagonal = 1;
        values.insert(values.end(), {diagonal, -w[0], -w[1], -w[2]});
        right.push_back(problem.right(i, j, k));
        zero.push_back(0);
      }

  HYPRE_StructGrid grid;
  HYPRE_StructGridCreate(MPI_COMM_WORLD, 3, &grid);
  HYPRE_StructGridSetExtents(grid, low, high);
  HYPRE_StructGridAssemble(grid);
  HYPRE_StructStencil stencil;
  HYPRE_StructStencilCreate(3, 4, &stencil);
  HYPRE_Int offsets[4][3] = {{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}, entries[4] = {0, 1, 2, 3};
  for (int e = 0; e < 4; ++e) HYPRE_StructStencilSetElement(stencil, e, offsets[e]);
  HYPRE_StructMatrix matrix;
  HYPRE_StructMatrixCreate(MPI_COMM_WORLD, grid, stencil, &matrix);
  HYPRE_StructMatrixSetSymmetric(matrix, 1);
  HYPRE_StructMatrixInitialize(matrix);
  HYPRE_StructMatrixSetBoxValues(matrix, low, high, 4, entries, values.data());
  HYPRE_StructMatrixAssemble(matrix);
  HYPRE_StructVector b, x;
  for (HYPRE_StructVector* vector : {&b, &x}) {
    HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid, vector);
    HYPRE_StructVectorInitialize(*vector);
    HYPRE_StructVectorSetBoxValues(*vector, low, high, vector == &b ? right.data() : zero.data());
    HYPRE_StructVectorAssemble(*vector);
  }

  HYPRE_StructSolver solver, cycle;
  HYPRE_StructPCGCreate(MPI_COMM_WORLD, &solver);
  HYPRE_StructPCGSetMaxIter(solver, 500);
  HYPRE_StructPCGSetTol(solver, 1e-6);
  HYPRE_StructPCGSetTwoNorm(solver, 1);
  HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &cycle);
  HYPRE_StructPFMGSetMaxIter(cycle, 1);
  HYPRE_StructPFMGSetTol(cycle, 0);
  HYPRE_StructPFMGSetZeroGuess(cycle);
  HYPRE_StructPFMGSetRelaxType(cycle, 2);
  HYPRE_StructPFMGSetRAPType(cycle, problem.obstacles ? 0 : 1);
  HYPRE_StructPFMGSetNumPreRelax(cycle, 1);
  HYPRE_StructPFMGSetNumPostRelax(cycle, 1);
  HYPRE_StructPCGSetPrecond(solver, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, cycle);
  HYPRE_StructPCGSetup(solver, matrix, b, x);
  double best = 1e30;
  for (int repeat = 0; repeat < 3; ++repeat) {
    HYPRE_StructVectorSetBoxValues(x, low, high, zero.data());
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    HYPRE_StructPCGSolve(solver, matrix, b, x);
    MPI_Barrier(MPI_COMM_WORLD);
    best = std::min(best, MPI_Wtime() - begin);
  }
  HYPRE_Int iterations = 0;
  double residual = 0;
  HYPRE_StructPCGGetNumIterations(solver, &iterations);
  HYPRE_StructPCGGetFinalRelativeResidualNorm(solver, &residual);
  if (rank == 0) std::printf("%d %g %g\n", static_cast<int>(iterations), residual, best);
  MPI_Finalize();
}
