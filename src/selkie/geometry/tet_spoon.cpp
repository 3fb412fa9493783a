// See tet_spoon.h.
#include "selkie/geometry/tet_spoon.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/text.h"
#include "selkie/geometry/generators.h"

namespace selkie::geometry {

std::vector<Problem> validate(const TetSpoonShape& shape) {
  std::vector<Problem> problems;
  if (!(shape.bowl_length < shape.length))
    problems.push_back(
        {"bowl_length",
         "is " + number_text(shape.bowl_length) + ", not less than the length " + number_text(shape.length),
         "leave room for a handle"});
  const double cells = double(shape.divisions[0]) * shape.divisions[1] * shape.divisions[2];
  if (cells > 2e7)
    problems.push_back({"divisions", "make " + number_text(cells) + " cells", "use at most 20 million"});
  return problems;
}

TetMesh tet_spoon(const TetSpoonShape& shape) {
  // A bar over s in [0, 1] along, t through and w in [-1, 1] across.
  TetMesh mesh = tet_box({Vec3(0, 0, -1), Vec3(1, 1, 1), shape.divisions});
  const double centre = shape.length - 0.5 * shape.bowl_length, half = 0.5 * shape.bowl_length;
  for (Vec3& p : mesh.positions) {
    const double x = p.x() * shape.length, w = p.z(), u = (x - centre) / half;
    // The bowl's outline is an ellipse cut off where it is as narrow as the handle, and rounded at its tip.
    const double oval = std::sqrt(std::max(0.0, 1 - u * u));
    const double width =
        std::max(shape.bowl_width * oval, u < 0 ? shape.handle_width : 0.3 * shape.bowl_width);
    const double z = 0.5 * width * w;
    const double r2 = std::min(1.0, u * u + std::pow(2 * z / shape.bowl_width, 2));
    const double hollow = -shape.bowl_depth * (1 - r2) * (1 - r2);
    // The handle rises towards its end.
    const double rise = x < centre ? 0.5 * shape.bowl_depth * std::pow((centre - x) / centre, 2) : 0;
    p = Vec3(x - 0.5 * shape.length, hollow + rise + (p.y() - 0.5) * shape.thickness, z);
  }
  return mesh;
}

}  // namespace selkie::geometry
