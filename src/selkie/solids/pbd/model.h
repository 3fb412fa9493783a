// Model of a position-based body: masses and constraints, what never changes after building. Surfaces become
// cloth (edges that keep their length, hinges that resist bending), closed ones may also hold a volume;
// tetrahedra keep edges and volumes; segments become ropes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "selkie/core/buffer.h"
#include "selkie/geometry/mesh.h"
#include "selkie/math/types.h"
#include "selkie/solids/pbd/batch.h"

namespace selkie::pbd {

// How surfaces resist bending.
enum class Bending {
  none,
  links,            // distance between the corners opposite to an edge, or across a rope's vertex
  dihedral,         // angle between two triangles, with the sign of the fold
  dihedral_cosine,  // the same from its cosine, without sign, as in the notes
  isometric,        // mean curvature of sheets that do not stretch
};
constexpr auto describe(Bending*) {
  return std::array<std::string_view, 5>{"none", "links", "dihedral", "dihedral-cosine", "isometric"};
}

// Pairs of vertices with a rest length.
struct Links {
  Batch batch;
  Buffer<double> rest;  // m, [group][lane]
};

// Edges (corners 0, 1) between two triangles with the opposite corners 2 and 3.
struct Hinges {
  Batch batch;
  Bending kind = Bending::none;
  Buffer<double> rest;     // rad; of isometric ones the curvature measure C; [group][lane]
  Buffer<double> factors;  // of isometric ones, [group][corner][lane]
};

struct Volumes {
  Batch batch;
  Buffer<double> rest;  // m³, [group][lane]
};

// Triangles around each vertex of a closed surface: the other two corners of fans[begins[i]] … in order.
struct ClosedSurface {
  double rest_volume = 0;  // m³; 0: the surface holds none
  std::vector<std::uint32_t> begins;
  std::vector<std::array<std::uint32_t, 2>> others;
  bool holds_volume() const { return rest_volume > 0; }
};

struct Model {
  std::uint32_t vertex_count = 0;
  std::vector<double> masses;                 // kg, > 0
  std::vector<double> inverse_masses;         // 1/kg
  std::vector<Vec3> rest_positions;           // m
  std::vector<geometry::Triangle> triangles;  // surface, for self-collision and enclosed volume
  Links stretch, bend_links;
  Hinges hinges;
  Volumes volumes;
  ClosedSurface closed;
  double mean_edge = 0;      // m
  double shortest_edge = 0;  // m

  std::size_t point_count() const;  // vertices and the points of idle lanes
};

struct SurfaceOptions {
  Bending bending = Bending::dihedral;
  bool holds_volume = false;  // the surface is closed and keeps what it encloses
};

// Throw InputError for a density that is not positive and for vertices without mass.
Model from_segments(const geometry::SegmentMesh& mesh, double density, Bending bending = Bending::none);
Model from_triangles(const geometry::TriangleMesh& mesh, double density, const SurfaceOptions& options = {});
Model from_tets(const geometry::TetMesh& mesh, double density);

// Masses (kg) at points and links between them; links of no length are refused where `rest` is left out.
Model from_links(std::vector<Vec3> positions, std::vector<double> masses,
                 const std::vector<geometry::Segment>& links, std::vector<double> rest = {});
// Adds hinges to a model with triangles, and tetrahedra that keep their volumes.
void add_bending(Model& model, Bending bending);
void add_volumes(Model& model, const std::vector<geometry::Tet>& tets);
void add_closed_volume(Model& model);

double total_mass(const Model& model);                                        // kg
double enclosed_volume(const Model& model, std::span<const Vec3> positions);  // m³

}  // namespace selkie::pbd
