// Model of a mass-spring body: what never changes after building (RT-15). Masses sit on vertices; springs are
// a structure of arrays in blocks of lower vertices. Stiffness and damping are stored relative to the
// parameters,
//   k_s = params.stiffness · relative_stiffness,
//   b   = params.damping · relative_damping                        (damping kind "absolute")
//   b   = 2 · params.damping · √params.stiffness · fraction_damping (damping kind "fraction", HY-26),
// so that both stay live parameters. [Müller08 §3.1, §3.6; Selle08 §5.3]
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "selkie/geometry/mesh.h"
#include "selkie/geometry/scatter.h"
#include "selkie/linalg/block_sparse.h"
#include "selkie/math/types.h"

namespace selkie::mass_spring {

using geometry::Chunk;
using geometry::make_schedule;
using geometry::ScatterSchedule;
using SpringEnds = std::array<std::uint32_t, 2>;

// The tetrahedra that the inversion guard watches [inversion_guard.h]; none for cloth and ropes.
struct InversionGuard {
  std::vector<geometry::Tet> tets;
  std::vector<double> inverse_determinants;  // 1/m³, 1/(6 V0), negative for tetrahedra numbered left-handed
  std::vector<double> relative_stiffness;    // m² or m: mean of its springs' times the mean square height
};

// The tetrahedra whose shortest altitude is a spring [altitude_springs.h]; none unless asked for.
struct AltitudeSprings {
  double factor = 0;  // stiffness and absolute damping relative to the edge springs'
  std::vector<geometry::Tet> tets;
  std::vector<std::array<double, 7>> rest_lengths;  // m, of each altitude, signed
  std::vector<double> relative_stiffness;           // pure number, or 1/m
  ScatterSchedule schedule;
};

// Springs that lead from kEvenVertices consecutive vertices i, i + 1, … equally far ahead, row after row:
// springs begin + 8r … begin + 8r + 7 join them to i + reach_r, i + reach_r + 1, … Blocks and sheets consist
// of little else.
struct EvenSprings {
  std::uint32_t begin, end;
};
inline constexpr std::uint32_t kEvenVertices = 8;

struct Model {
  std::uint32_t vertex_count = 0;
  std::vector<double> masses;          // kg, > 0
  std::vector<double> inverse_masses;  // 1/kg

  std::vector<SpringEnds> springs;         // (low, high) vertex
  std::vector<double> rest_lengths;        // m
  std::vector<double> relative_stiffness;  // pure number, or 1/m when stiffness is a force (HY-26)
  std::vector<double> relative_damping;    // factor of an absolute damping
  std::vector<double> fraction_damping;    // √(relative_stiffness · m_h), m_h = m1 m2 / (m1 + m2)
  std::vector<std::uint32_t> source;       // place of each spring in the list given to the builder
  std::vector<EvenSprings> even_springs;   // ascending; the other springs are in no such order

  double mean_rest_length = 0;  // m
  InversionGuard guard;
  AltitudeSprings altitudes;

  ScatterSchedule schedule;
  std::shared_ptr<const linalg::BlockPattern> pattern;  // of the tangent matrix; slots of springs first

  std::size_t spring_count() const { return springs.size(); }
};

struct SpringInput {
  SpringEnds ends{};
  double factor = 1;  // ≥ 0; multiplies stiffness and damping (bending springs are weaker, say)
  std::optional<double> rest_length = {};  // m, ≥ 0; none: the distance in the rest positions
};

struct BuildOptions {
  // Spring constant ∝ 1/rest length: params.stiffness is then a force in N, the tension at strain 1 (RT-03
  // "relative form", HY-26), and a body keeps its stiffness when its mesh is refined along the load.
  bool stiffness_per_length = false;
  // Stiffness of altitude springs in tetrahedra (HY-28) and of axial bending between triangles (HY-29),
  // relative to the edge springs'; 0: none.
  double altitude_factor = 0;
};

// Throws InputError for an index out of range, a spring from a vertex to itself, a mass that is not positive,
// a factor or rest length that is negative or not finite, or a spring whose rest length is zero while
// stiffness_per_length is set.
Model build_model(std::span<const Vec3> rest_positions, std::span<const SpringInput> springs,
                  std::span<const double> masses, const BuildOptions& options = {});

// One spring per edge, masses lumped from the elements; density in kg/m³, kg/m² and kg/m. Tetrahedra also get
// an inversion guard, except those without volume.
Model from_tets(const geometry::TetMesh& mesh, double density, const BuildOptions& options = {});
Model from_segments(const geometry::SegmentMesh& mesh, double density, const BuildOptions& options = {});

// `bending_factor` > 0 adds bending springs of that relative strength between the unshared vertices of
// neighbouring triangles (HY-26). They stiffen a flat sheet in its plane, too, and do not resist the first
// bit of bending of a flat one.
Model from_triangles(const geometry::TriangleMesh& mesh, double density, double bending_factor = 0,
                     const BuildOptions& options = {});

double total_mass(const Model& model);  // kg

}  // namespace selkie::mass_spring
