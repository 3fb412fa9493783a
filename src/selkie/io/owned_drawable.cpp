// See owned_drawable.h. One allocation holds all arrays of a drawable, padded to cache lines.
#include "selkie/io/owned_drawable.h"

#include <cstring>
#include <variant>

namespace selkie::io {
namespace {

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;  // clang 14 does not deduce aggregates

// Calls visit(span&) for every array of the drawable; the one list of them, shared by counting and copying.
template <class Visit>
void each_span(ports::Drawable& drawable, const Visit& visit) {
  const auto attributes = [&](auto& shape) {
    for (ports::Attribute& attribute : shape.attributes) visit(attribute.values);
  };
  std::visit(
      Overloaded{[&](ports::TriangleSurface& shape) {
                   visit(shape.positions), visit(shape.triangles), attributes(shape);
                 },
                 [&](ports::Points& shape) { visit(shape.positions), attributes(shape); },
                 [&](ports::Curves& shape) { visit(shape.positions), visit(shape.lines), attributes(shape); },
                 [&](ports::Volume& shape) {
                   for (ports::Volume::Field& field : shape.fields) visit(field.values);
                 },
                 [&](ports::Vectors& shape) { visit(shape.origins), visit(shape.values); },
                 [&](ports::HeightSurface& shape) { visit(shape.heights), attributes(shape); }},
      drawable.shape);
  visit(drawable.interior.positions), visit(drawable.interior.tets), attributes(drawable.interior);
}

std::size_t padded(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

std::size_t padded_bytes(ports::Drawable& drawable) {
  std::size_t total = 0;
  each_span(drawable, [&](auto& span) { total += padded(span.size_bytes()); });
  return total;
}

}  // namespace

std::size_t data_bytes(const ports::Drawable& drawable) {
  ports::Drawable copy = drawable;
  return padded_bytes(copy);
}

OwnedDrawable::OwnedDrawable(const ports::Drawable& source) : drawable_(source) {
  bytes_ = padded_bytes(drawable_);
  storage_ = std::make_unique_for_overwrite<std::byte[]>(bytes_);
  std::size_t offset = 0;
  each_span(drawable_, [&]<class T>(std::span<const T>& span) {
    std::byte* place = storage_.get() + offset;
    if (!span.empty()) std::memcpy(place, static_cast<const void*>(span.data()), span.size_bytes());
    offset += padded(span.size_bytes());
    span = {reinterpret_cast<const T*>(place), span.size()};
  });
}

}  // namespace selkie::io
