// Passes over all elements: elastic forces, energies, tangents and stiffness products, eight elements at a
// time. Contributions reach the vertices in a fixed order, so the bits do not depend on the number of threads
// [geometry/scatter.h].
#pragma once

#include <span>

#include "selkie/solids/fem/model.h"
#include "selkie/solids/fem/params.h"
#include "selkie/solids/fem/work.h"

namespace selkie::fem {

// −∂E/∂x at positions x into work.sums (the fourth component is zero). [LE-23; RT-22]
void elastic_forces(const Model& model, const Params& params, const Buffer<Vec3>& x, Work& work);

// Tangents at x; `kind` as in material.h.
void find_tangents(const Model& model, const Params& params, const Buffer<Vec3>& x, TangentKind kind,
                   TangentField& field);

// K d into work.sums, d with three numbers a vertex; one readable number must follow the last.
void stiffness_product(const Model& model, const TangentField& field, const double* d, Work& work);

// Diagonal blocks of K into work.diagonal.
void stiffness_diagonal(const Model& model, const TangentField& field, Work& work);

// matrix = mass_factor·M + stiffness_factor·K.
void assemble(const Model& model, const TangentField& field, double mass_factor, double stiffness_factor,
              linalg::BlockSparseSymmetric<3>& matrix, Work& work);

// K of the rest shape under Hooke's law, the same for all laws: what vibrations of small amplitude see.
linalg::BlockSparseSymmetric<3> rest_stiffness(const Model& model, double young, double poisson);

double elastic_energy(const Model& model, const Params& params, const Buffer<Vec3>& x);  // J

// One element by itself.
template <int D>
Matrix<D> deformation_gradient(const Model& model, const Buffer<Vec3>& x, std::size_t element);

// Volume of the deformed body, Σ det F V; m³. Inverted elements count negative.
double deformed_volume(const Model& model, const Buffer<Vec3>& x);

}  // namespace selkie::fem
