// NumPy arrays: views of state arrays that copy nothing, and copies of small inputs and results.
#pragma once

#include <pybind11/numpy.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "selkie/core/state_arrays.h"
#include "selkie/grid/shape.h"
#include "selkie/math/types.h"

namespace selkie::python {

namespace py = pybind11;

// How the samples of a grid field lie in memory: (nx, ny, nz) or (nx, ny) of them, without the padding around
// them; one more along an axis whose both ends have one (faces). x is the fastest in memory.
struct FieldLayout {
  std::vector<py::ssize_t> shape, strides;  // strides in elements
  py::ssize_t first = 0;                    // element of sample (0, 0, 0)
};
FieldLayout layout_of(const grid::Shape& shape, grid::Place place);

// A writable array of shape (count,), (count, components) or (components,), or of a field's layout, over the
// memory itself. The array keeps array.owner alive, or `keeper` where the array has no owner of its own (a
// lone vector inside a State).
py::array view_of(const ArrayRef& array, const std::shared_ptr<const void>& keeper,
                  const FieldLayout* layout = nullptr);

// The same, but a Python number for a lone number.
py::object read_array(const ArrayRef& array, const std::shared_ptr<const void>& keeper,
                      const FieldLayout* layout = nullptr);

// Copies `value` into the memory of the array, broadcast as NumPy would. InputError named `name` for a shape
// that does not fit, or numbers that an integer array cannot hold.
void write_array(const ArrayRef& array, py::handle value, const std::string& name,
                 const FieldLayout* layout = nullptr);

// Inputs: InputError named `name` for a wrong shape.
std::vector<Vec3> points_from(py::handle object, const std::string& name);
std::vector<double> numbers_from(py::handle object, const std::string& name);
Vec3 vector_from(py::handle object, const std::string& name);
template <std::size_t N>
std::vector<std::array<std::uint32_t, N>> indices_from(py::handle object, const std::string& name);

// Results, as copies.
py::array to_numpy(std::span<const Vec3> points);
py::array to_numpy(const Vec3& vector);
py::array to_numpy(std::span<const double> numbers, int components = 1);
py::array to_numpy(std::span<const float> numbers, int components = 1);
py::array to_numpy(std::span<const std::uint32_t> numbers, int components = 1);
template <std::size_t N>
py::array to_numpy(const std::vector<std::array<std::uint32_t, N>>& elements) {
  return to_numpy(
      std::span<const std::uint32_t>(elements.empty() ? nullptr : elements[0].data(), elements.size() * N),
      static_cast<int>(N));
}

}  // namespace selkie::python
