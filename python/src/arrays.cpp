// See arrays.h.
#include "arrays.h"

#include <cstring>
#include <limits>

#include "selkie/core/error.h"

namespace selkie::python {
namespace {

using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Integers = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

py::dtype dtype_of(Scalar scalar) {
  switch (scalar) {
    case Scalar::f32:
      return py::dtype::of<float>();
    case Scalar::f64:
      return py::dtype::of<double>();
    case Scalar::i32:
      return py::dtype::of<std::int32_t>();
    case Scalar::u32:
      return py::dtype::of<std::uint32_t>();
    case Scalar::i64:
      return py::dtype::of<std::int64_t>();
    case Scalar::u64:
      return py::dtype::of<std::uint64_t>();
    case Scalar::u8:
      break;
  }
  return py::dtype::of<std::uint8_t>();
}

std::vector<py::ssize_t> shape_of(const ArrayRef& array) {
  std::vector<py::ssize_t> shape;
  if (!array.is_single) shape.push_back(static_cast<py::ssize_t>(array.count));
  if (array.components > 1) shape.push_back(array.components);
  return shape;
}

py::capsule keep_alive(std::shared_ptr<const void> owner) {
  return {new std::shared_ptr<const void>(std::move(owner)),
          [](void* held) { delete static_cast<std::shared_ptr<const void>*>(held); }};
}

std::string shape_text(const py::array& array) { return std::string(py::str(array.attr("shape"))); }

// Anything array-like as numbers; whatever NumPy refuses is an InputError.
py::array numbers_of(py::handle object, const std::string& name) {
  const py::array array = py::array::ensure(object);
  if (!array || std::string("biuf").find(array.dtype().kind()) == std::string::npos) {
    PyErr_Clear();
    throw InputError("'" + name + "' must hold numbers, but is " +
                     std::string(py::str(py::type::handle_of(object).attr("__name__"))));
  }
  return array;
}

[[noreturn]] void wrong_shape(const std::string& name, const std::string& expected, const py::array& array) {
  throw InputError("'" + name + "' must have the shape " + expected + ", but has " + shape_text(array));
}

template <class T>
py::array copy_of(std::span<const T> numbers, int components) {
  std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(numbers.size()) / components};
  if (components > 1) shape.push_back(components);
  py::array_t<T> array(shape);
  if (!numbers.empty()) std::memcpy(array.mutable_data(), numbers.data(), numbers.size_bytes());
  return array;
}

}  // namespace

FieldLayout layout_of(const grid::Shape& shape, grid::Place place) {
  FieldLayout layout;
  const grid::Index samples = shape.samples(place);
  for (int axis = 0; axis < shape.dims(); ++axis) {
    layout.shape.push_back(samples[static_cast<std::size_t>(axis)]);
    layout.strides.push_back(shape.stride(axis));
  }
  layout.first = shape.first();
  return layout;
}

py::array view_of(const ArrayRef& array, const std::shared_ptr<const void>& keeper,
                  const FieldLayout* layout) {
  const py::capsule owner = keep_alive(array.owner ? array.owner : keeper);
  if (layout == nullptr) return py::array(dtype_of(array.scalar), shape_of(array), array.data, owner);
  const auto size = static_cast<py::ssize_t>(scalar_size(array.scalar));
  std::vector<py::ssize_t> strides;
  for (const py::ssize_t stride : layout->strides) strides.push_back(stride * size);
  return py::array(dtype_of(array.scalar), layout->shape, strides,
                   static_cast<std::byte*>(array.data) + layout->first * size, owner);
}

py::object read_array(const ArrayRef& array, const std::shared_ptr<const void>& keeper,
                      const FieldLayout* layout) {
  py::array view = view_of(array, keeper, layout);
  if (array.is_single && array.components == 1) return view.attr("item")();
  return view;
}

void write_array(const ArrayRef& array, py::handle value, const std::string& name,
                 const FieldLayout* layout) {
  py::array target = view_of(array, nullptr, layout);
  const py::array source = numbers_of(value, name);
  const py::module_ numpy = py::module_::import("numpy");
  py::object fitted;
  try {
    fitted = numpy.attr("broadcast_to")(source, target.attr("shape"));
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_ValueError)) throw;
    wrong_shape(name, shape_text(target), source);
  }
  // Overlapping memory (positions = positions[::-1]) is NumPy's to handle; it copies where it must.
  const py::object converted = fitted.attr("astype")(target.dtype());
  if (array.scalar != Scalar::f32 && array.scalar != Scalar::f64 &&
      !numpy.attr("array_equal")(converted, fitted).cast<bool>())
    throw InputError("'" + name + "' holds whole numbers of type " + std::string(scalar_name(array.scalar)) +
                     "; the given ones do not fit");
  numpy.attr("copyto")(target, converted);
}

std::vector<Vec3> points_from(py::handle object, const std::string& name) {
  const Doubles array(numbers_of(object, name));
  if (array.ndim() != 2 || array.shape(1) != 3) wrong_shape(name, "(n, 3)", array);
  std::vector<Vec3> points(static_cast<std::size_t>(array.shape(0)));
  const double* x = array.data();
  for (Vec3& point : points) {
    point = Vec3(x[0], x[1], x[2]);
    x += 3;
  }
  return points;
}

std::vector<double> numbers_from(py::handle object, const std::string& name) {
  const Doubles array(numbers_of(object, name));
  if (array.ndim() != 1) wrong_shape(name, "(n,)", array);
  return {array.data(), array.data() + array.size()};
}

Vec3 vector_from(py::handle object, const std::string& name) {
  const Doubles array(numbers_of(object, name));
  if (array.ndim() != 1 || array.shape(0) != 3) wrong_shape(name, "(3,)", array);
  return {array.data()[0], array.data()[1], array.data()[2]};
}

template <std::size_t N>
std::vector<std::array<std::uint32_t, N>> indices_from(py::handle object, const std::string& name) {
  const py::array given = numbers_of(object, name);
  if (given.dtype().kind() == 'f' && given.size() > 0)
    throw InputError("'" + name + "' must hold whole numbers, but holds floating-point ones");
  const Integers array(given);
  std::vector<std::array<std::uint32_t, N>> elements;
  if (array.size() == 0) return elements;
  if (array.ndim() != 2 || array.shape(1) != static_cast<py::ssize_t>(N))
    wrong_shape(name, "(n, " + std::to_string(N) + ")", array);
  elements.resize(static_cast<std::size_t>(array.shape(0)));
  const std::int64_t* index = array.data();
  for (auto& element : elements)
    for (std::uint32_t& vertex : element) {
      if (*index < 0 || *index > std::numeric_limits<std::uint32_t>::max())
        throw InputError("'" + name + "' holds the vertex number " + std::to_string(*index),
                         "vertices are counted from 0");
      vertex = static_cast<std::uint32_t>(*index++);
    }
  return elements;
}
template std::vector<std::array<std::uint32_t, 2>> indices_from<2>(py::handle, const std::string&);
template std::vector<std::array<std::uint32_t, 3>> indices_from<3>(py::handle, const std::string&);
template std::vector<std::array<std::uint32_t, 4>> indices_from<4>(py::handle, const std::string&);

py::array to_numpy(std::span<const Vec3> points) {
  return copy_of(std::span<const double>(points.empty() ? nullptr : points[0].data(), 3 * points.size()), 3);
}
py::array to_numpy(const Vec3& vector) { return copy_of(std::span<const double>(vector.data(), 3), 1); }
py::array to_numpy(std::span<const double> numbers, int components) { return copy_of(numbers, components); }
py::array to_numpy(std::span<const float> numbers, int components) { return copy_of(numbers, components); }
py::array to_numpy(std::span<const std::uint32_t> numbers, int components) {
  return copy_of(numbers, components);
}

}  // namespace selkie::python
