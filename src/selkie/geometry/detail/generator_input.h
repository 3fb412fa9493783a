// Generators are also called from C++ and Python, past the scene file's checks; this repeats them.
#pragma once

#include "selkie/core/error.h"
#include "selkie/core/schema.h"
#include "selkie/geometry/generators.h"

namespace selkie::geometry::detail {

// Throws InputError unless the shape keeps its members' ranges and validate()'s rules.
template <class Shape>
void require(const Shape& shape) {
  Shape checked;
  const Type& type = type_of<Shape>();
  read(type, write(type, &shape), &checked, "shape");
}

}  // namespace selkie::geometry::detail
