// The words of a MeshReport.
#include "selkie/geometry/mesh_check.h"

namespace selkie::geometry {
namespace {

struct Words {
  const char* one;
  const char* many;
  const char* remedy;
};

Words words(Trouble trouble) {
  switch (trouble) {
    case Trouble::index_out_of_range:
      return {"element with an index out of range", "elements with an index out of range",
              "export the mesh again; the file is damaged or cut short"};
    case Trouble::non_finite_vertex:
      return {"vertex that is not finite", "vertices that are not finite",
              "replace NaN and infinite coordinates"};
    case Trouble::zero_length_segment:
      return {"segment of no length", "segments of no length", "merge or remove coinciding points"};
    case Trouble::zero_area_triangle:
      return {"triangle of no area", "triangles of no area",
              "dissolve degenerate faces in the modelling program"};
    case Trouble::degenerate_tet:
      return {"tetrahedron of no volume", "tetrahedra of no volume",
              "mesh the volume again with a quality bound"};
    case Trouble::inverted_tet:
      return {"inverted tetrahedron", "inverted tetrahedra", "swap two corners of each inverted tetrahedron"};
    case Trouble::duplicate_segment:
      return {"duplicate segment", "duplicate segments", "remove double edges in the modelling program"};
    case Trouble::duplicate_triangle:
      return {"duplicate triangle", "duplicate triangles", "remove double faces in the modelling program"};
    case Trouble::duplicate_tet:
      return {
          "duplicate tetrahedron", "duplicate tetrahedra",
          "keep each tetrahedron once; Gmsh repeats those of a volume that is in several physical groups"};
    case Trouble::overlapping_tets:
      return {"face with overlapping tetrahedra", "faces with overlapping tetrahedra",
              "mesh the volumes together (Gmsh: Coherence), so that they share faces and fill space once"};
    case Trouble::non_manifold_edge:
      return {"non-manifold edge", "non-manifold edges",
              "separate the parts that share the edge, or remove inner faces"};
    case Trouble::hole:
      return {"hole", "holes", "fill the holes in the modelling program; a closed surface is needed here"};
    case Trouble::flipped_face:
      return {"flipped face", "flipped faces", "recalculate the normals so that neighbours agree"};
    case Trouble::inside_out:
      return {"surface turned inside out", "surfaces turned inside out",
              "flip all faces so that normals point outwards"};
    case Trouble::unreferenced_vertex:
      return {"unreferenced vertex", "unreferenced vertices", "remove loose vertices"};
    case Trouble::duplicate_vertex:
      return {"vertex at the place of another", "vertices at the place of another",
              "merge vertices by distance in the modelling program; they would leave a crack"};
    case Trouble::self_intersection:
      return {"pair of triangles that cut or touch each other",
              "pairs of triangles that cut or touch each other",
              "separate or unite the parts in the modelling program; inside and outside must be clear"};
  }
  return {"unknown trouble", "unknown troubles", ""};
}

}  // namespace

std::size_t MeshReport::count(Trouble trouble) const {
  for (const Finding& finding : findings)
    if (finding.trouble == trouble) return finding.count;
  return 0;
}

std::string MeshReport::first(Trouble trouble) const {
  for (const Finding& finding : findings)
    if (finding.trouble == trouble) return finding.first;
  return {};
}

std::string MeshReport::text() const {
  if (clean()) return "no trouble found";
  std::string text;
  for (const Finding& finding : findings) {
    const Words name = words(finding.trouble);
    text += (text.empty() ? "" : ", ") + std::to_string(finding.count) + " " +
            (finding.count == 1 ? name.one : name.many) + " (first: " + finding.first + ")";
  }
  return text;
}

std::string MeshReport::remedy() const { return clean() ? "" : words(findings.front().trouble).remedy; }

}  // namespace selkie::geometry
