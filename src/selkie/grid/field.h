// Fields and their views. A State keeps its fields as Buffers (so that hash, checkpoint and Python see them);
// a kernel receives Views: a pointer to element (0,0,0) with the strides of the Shape.
#pragma once

#include <array>
#include <type_traits>

#include "selkie/core/buffer.h"
#include "selkie/grid/shape.h"

namespace selkie::grid {

template <class T>
struct View {
  T* data = nullptr;  // element (0,0,0)
  std::ptrdiff_t row = 0, plane = 0;

  View() = default;
  View(T* first, const Shape& shape) : data(first), row(shape.row()), plane(shape.plane()) {}
  // NOLINTNEXTLINE: a view for writing serves as one for reading
  operator View<const T>() const requires(!std::is_const_v<T>) {
    View<const T> view;
    view.data = data, view.row = row, view.plane = plane;
    return view;
  }

  T& operator()(int i, int j, int k) const { return data[i + j * row + k * plane]; }
  T* line(int j, int k) const { return data + j * row + k * plane; }  // of i = 0
};

// As a parameter: also takes a view for writing, T being known from the other arguments.
template <class T>
using ReadView = std::type_identity_t<View<const T>>;

template <class T>
View<T> view(const Shape& shape, Buffer<T>& field) {
  SELKIE_CHECK(field.size() == shape.size(), "the field belongs to another grid");
  return {field.data() + shape.first(), shape};
}
template <class T>
View<const T> view(const Shape& shape, const Buffer<T>& field) {
  SELKIE_CHECK(field.size() == shape.size(), "the field belongs to another grid");
  return {field.data() + shape.first(), shape};
}

// A staggered (MAC) velocity: component `axis` at the low face of each cell along that axis. In 2-D the third
// buffer stays empty.
template <class T>
using FaceViews = std::array<View<T>, 3>;

template <class T>
struct FaceField {
  std::array<Buffer<T>, 3> component;

  void assign(const Shape& shape, T value = 0) {
    for (int axis = 0; axis < shape.dims(); ++axis)
      component[static_cast<std::size_t>(axis)].assign(shape.size(), value);
  }
};
template <class T>
FaceViews<T> view(const Shape& shape, FaceField<T>& field) {
  FaceViews<T> views;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(shape.dims()); ++axis)
    views[axis] = view(shape, field.component[axis]);
  return views;
}
template <class T>
FaceViews<const T> view(const Shape& shape, const FaceField<T>& field) {
  FaceViews<const T> views;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(shape.dims()); ++axis)
    views[axis] = view(shape, field.component[axis]);
  return views;
}

}  // namespace selkie::grid
