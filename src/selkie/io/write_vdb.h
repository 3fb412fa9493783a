// Volumes as OpenVDB files for Blender and Houdini: a float grid per scalar field, a Vec3 grid per vector
// field, transforms that put voxel (i, j, k) at its cell's centre. Sparse by 8³ leaves: a leaf in which no
// value exceeds the tolerance becomes background (0); a kept leaf keeps every value exactly.
// Metadata "selkie" says look and names; a checksum after the end (readers of the format do not look there)
// lets read_frame.h refuse damaged files before OpenVDB, which trusts its input, sees them.
// Limit: OpenVDB stamps each file with a random tag, so that equal volumes give equal grids, not equal bytes.
#pragma once

#include <filesystem>

#include "selkie/ports/drawable.h"

namespace selkie::io {

struct VdbOptions {
  double tolerance = 1e-5;  // in the field's unit; 0 prunes exact zeros only
};

// InputError when the drawable is no volume, or a field's length is not components × cells.
void write_vdb(const std::filesystem::path& path, const ports::Drawable& drawable,
               const VdbOptions& options = {});
void write_vdb(const std::filesystem::path& path, const ports::Volume& volume,
               const VdbOptions& options = {});

}  // namespace selkie::io
