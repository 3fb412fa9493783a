// Steps that several mesh readers share.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "selkie/geometry/mesh.h"

namespace selkie::io::detail {

// Cuts a polygon into a fan around its first corner.
void add_fan(std::span<const std::uint32_t> corners, std::vector<geometry::Triangle>& triangles);

// Makes vertices at exactly equal places one, numbered by first appearance. Positions must be finite.
void weld(geometry::TriangleMesh& mesh);

// The promise of every reader: at least one triangle, indices in range, finite vertices.
void require_readable(const geometry::TriangleMesh& mesh, const std::string& source);

}  // namespace selkie::io::detail
