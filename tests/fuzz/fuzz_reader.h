// What all reader targets share: InputError is the only exception allowed, and what is returned must be
// sound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "selkie/core/error.h"
#include "selkie/geometry/mesh_check.h"
#include "selkie/io/read_mesh.h"

namespace selkie::fuzz {

inline void expect_sound(const geometry::TriangleMesh& mesh) {
  if (mesh.triangles.empty() || !geometry::check_mesh(mesh, geometry::kReadable).clean()) std::abort();
  geometry::check_mesh(mesh, {.closed = true});  // must cope with any readable mesh
}

inline void expect_sound(const io::MshContent& content) {
  if (!geometry::check_mesh(geometry::TriangleMesh{content.positions, content.triangles}, geometry::kReadable)
           .clean() ||
      !geometry::check_mesh(geometry::TetMesh{content.positions, content.tets}, geometry::kReadable)
           .clean() ||
      !geometry::check_mesh(geometry::SegmentMesh{content.positions, content.segments}, geometry::kReadable)
           .clean())
    std::abort();
}

template <class Parse>
int run(const std::uint8_t* data, std::size_t size, Parse&& parse) {
  try {
    expect_sound(parse(std::string_view(reinterpret_cast<const char*>(data), size), std::string("input")));
  } catch (const InputError&) {
  }
  return 0;
}

}  // namespace selkie::fuzz
