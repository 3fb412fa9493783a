// See pockets.h.
#include "selkie/fluids/liquid/pockets.h"

#include "selkie/grid/loops.h"

namespace selkie::liquid {
namespace {

constexpr auto kFluid = grid::code_of(grid::CellKind::fluid), kAir = grid::code_of(grid::CellKind::air);
enum Mark : std::uint8_t { kOther, kSlit, kSeen };

// visit(cell) for each neighbour across an open face.
template <class Real, class Visit>
void each_beside(const grid::Shape& shape, const PlacedSolids<Real>& solids, const grid::Index& cell,
                 Visit&& visit) {
  for (std::size_t a = 0; a < static_cast<std::size_t>(shape.dims()); ++a)
    for (const int side : {-1, 1}) {
      grid::Index other = cell, face = cell;
      other[a] += side;
      if (side > 0) ++face[a];
      if (solids.open[a][static_cast<std::size_t>(shape.at(face[0], face[1], face[2]))] > 0) visit(other);
    }
}

constexpr double kNear = 1;  // cells: between two solids this far apart there is no room for a bubble

// Marks air cells whose middle is inside a solid or near one.
template <class Real>
bool mark_slits(const grid::Shape& shape, const PlacedSolids<Real>& solids, const grid::CellKinds& kinds,
                Buffer<std::uint8_t>& marks) {
  if (marks.size() != shape.size()) marks.resize(shape.size());
  std::fill(marks.begin(), marks.end(), std::uint8_t{kOther});
  const auto kind = grid::view(shape, kinds);
  const auto mark = grid::view(shape, marks);
  const Real half = Real(0.5), depth = shape.dims() == 3 ? half : Real(0);
  const Real near = static_cast<Real>(kNear * shape.cell_size());
  const double found = grid::sum_rows(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    double count = 0;
    for (int i = 0; i < shape.cells()[0]; ++i) {
      if (kind(i, j, k) != kAir) continue;
      const std::array<Real, 3> middle{static_cast<Real>(i) + half, static_cast<Real>(j) + half,
                                       static_cast<Real>(k) + depth};
      if (plain_distance_at(shape, solids.nodes, middle) < near) mark(i, j, k) = kSlit, ++count;
    }
    return count;
  });
  return found > 0;
}

}  // namespace

template <class Real>
void fill_pockets(const Model& model, const PlacedSolids<Real>& solids, grid::CellKinds& kinds,
                  PocketWork& work) {
  if (!solids.any()) return;
  const grid::Shape& shape = model.shape;
  if (!mark_slits(shape, solids, kinds, work.marks)) return;
  const auto kind = grid::view(shape, kinds);
  const auto mark = grid::view(shape, work.marks);
  const auto [nx, ny, nz] = shape.cells();
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        if (mark(i, j, k) != kSlit) continue;
        bool meets_liquid = false, meets_air = false;
        work.cells.assign(1, {i, j, k});
        mark(i, j, k) = kSeen;
        for (std::size_t n = 0; n < work.cells.size(); ++n)
          each_beside(shape, solids, grid::Index(work.cells[n]), [&](const grid::Index& c) {
            if (mark(c[0], c[1], c[2]) == kSlit) {
              mark(c[0], c[1], c[2]) = kSeen;
              work.cells.push_back(c);
            } else if (mark(c[0], c[1], c[2]) == kOther) {
              meets_liquid = meets_liquid || kind(c[0], c[1], c[2]) == kFluid;
              meets_air = meets_air || kind(c[0], c[1], c[2]) == kAir;
            }
          });
        if (meets_liquid && !meets_air)
          for (const grid::Index& c : work.cells) kind(c[0], c[1], c[2]) = kFluid;
      }
}

#define SELKIE_INSTANTIATE(Real) \
  template void fill_pockets<Real>(const Model&, const PlacedSolids<Real>&, grid::CellKinds&, PocketWork&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::liquid
