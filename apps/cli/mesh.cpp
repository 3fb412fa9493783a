// `selkie mesh`: fills a closed surface from a file with tetrahedra and writes them as .msh.
#include <fmt/format.h>

#include <filesystem>

#include "commands.h"
#include "selkie/core/error.h"
#include "selkie/core/value.h"
#include "selkie/geometry/tetrahedra/mesher.h"
#include "selkie/io/read_mesh.h"
#include "selkie/io/write_msh.h"

namespace selkie::cli {

int mesh(const CommonOptions& common, const MeshOptions& options) {
  const geometry::TriangleMesh surface = io::read_triangle_mesh(options.input);
  geometry::require_valid(surface, options.input, geometry::kSolidSurface);
  const geometry::Mesher mesher =
      options.mesher == "delaunay" ? geometry::Mesher::delaunay : geometry::Mesher::bcc;
  const geometry::TetMesh tets = geometry::fill_surface(surface, mesher, options.divisions);
  const std::string output =
      options.output.empty() ? std::filesystem::path(options.input).stem().string() + ".msh" : options.output;
  std::error_code error;
  if (!options.overwrite && std::filesystem::exists(output, error))
    throw InputError(SourceLocation{output}, "the file exists already",
                     "name another with -o, or pass --overwrite");
  io::write_msh(output, tets);
  const geometry::MeshingReport report = geometry::report_of(tets, surface);
  if (common.json) {
    Value out;
    out["output"].data = output;
    out["vertices"].data = static_cast<std::int64_t>(report.vertices);
    out["tetrahedra"].data = static_cast<std::int64_t>(report.tets);
    out["min_dihedral"].data = report.dihedral.min;
    out["max_dihedral"].data = report.dihedral.max;
    out["volume"].data = report.volume;
    out["surface_volume"].data = report.surface_volume;
    fmt::print("{}\n", to_json(out));
  } else if (!common.quiet) {
    fmt::print("{}: {}\n", output, report.text());
  }
  return kDone;
}

}  // namespace selkie::cli
