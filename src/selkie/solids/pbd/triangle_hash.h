// Triangles by the cells of an infinite lattice, hashed into buckets. [Teschner03; RT-17] Only finds
// candidates faster: what is found never depends on the hash.
#pragma once

#include <span>

#include "selkie/solids/pbd/model.h"
#include "selkie/solids/pbd/work.h"

namespace selkie::pbd {

// Puts every triangle into the cells that the bounds of its way from x to p, widened, overlap.
void build_hash(const Model& model, double widened, std::span<const Vec3> x, std::span<const Vec4> p,
                TriangleHash& hash);

// The triangles, ascending, whose bounds meet those of the way of a vertex that is not one of their corners.
void triangles_near(const Model& model, const TriangleHash& hash, std::uint32_t vertex, const Vec3& start,
                    const Vec3& end, std::vector<std::uint32_t>& near);

}  // namespace selkie::pbd
