// Rotations and decompositions on NumPy arrays of shape (..., 3, 3), (..., 2, 2) or (..., 3). One matrix or a
// batch of any shape; the loop over a batch runs here.
#include <pybind11/numpy.h>

#include <vector>

#include "bindings.h"
#include "selkie/core/error.h"
#include "selkie/math/rotation.h"
#include "selkie/math/svd.h"

namespace selkie::python {
namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Shape = std::vector<py::ssize_t>;

// The leading axes, after checking that the trailing ones are `tail`.
Shape batch_shape(const Array& array, const Shape& tail, const char* name) {
  const auto dimensions = static_cast<std::size_t>(array.ndim());
  bool fits = dimensions >= tail.size();
  for (std::size_t i = 0; fits && i < tail.size(); ++i)
    fits = array.shape(static_cast<py::ssize_t>(dimensions - tail.size() + i)) == tail[i];
  if (!fits) {
    std::string expected = "(...";
    for (const py::ssize_t extent : tail) expected += ", " + std::to_string(extent);
    throw InputError("'" + std::string(name) + "' must have the shape " + expected + "), but has " +
                     std::string(py::str(array.attr("shape"))));
  }
  return {array.shape(), array.shape() + (dimensions - tail.size())};
}

Array make(Shape shape, const Shape& tail) {
  shape.insert(shape.end(), tail.begin(), tail.end());
  return Array(shape);
}

// Row-major memory of NumPy as an Eigen matrix.
template <class Matrix>
Matrix matrix_at(const double* data) {
  return Eigen::Map<const Eigen::Matrix<double, Matrix::RowsAtCompileTime, Matrix::ColsAtCompileTime,
                                        Matrix::ColsAtCompileTime == 1 ? Eigen::ColMajor : Eigen::RowMajor>>(
      data);
}
template <class Matrix>
void put(double* data, const Matrix& matrix) {
  for (Eigen::Index r = 0; r < matrix.rows(); ++r)
    for (Eigen::Index c = 0; c < matrix.cols(); ++c) *data++ = matrix(r, c);
}

bool is_planar(const Array& f) { return f.ndim() >= 2 && f.shape(f.ndim() - 1) == 2; }

template <class Matrix, class Function>
py::tuple svd_batch(const Array& f, Function svd) {
  constexpr py::ssize_t n = Matrix::RowsAtCompileTime;
  const Shape batch = batch_shape(f, {n, n}, "f");
  Array u = make(batch, {n, n}), sigma = make(batch, {n}), v = make(batch, {n, n});
  for (py::ssize_t i = 0; i < f.size() / (n * n); ++i) {
    const auto parts = svd(matrix_at<Matrix>(f.data() + i * n * n));
    put(u.mutable_data() + i * n * n, parts.u);
    put(sigma.mutable_data() + i * n, parts.sigma);
    put(v.mutable_data() + i * n * n, parts.v);
  }
  return py::make_tuple(u, sigma, v);
}

template <class Matrix, class Function>
py::tuple polar_batch(const Array& f, const py::object& previous, Function polar) {
  constexpr py::ssize_t n = Matrix::RowsAtCompileTime;
  const Shape batch = batch_shape(f, {n, n}, "f");
  Array before;
  if (!previous.is_none()) {
    before = Array(previous);
    if (batch_shape(before, {n, n}, "previous") != batch)
      throw InputError("'previous' must have the shape of 'f'");
  }
  Array rotation = make(batch, {n, n}), stretch = make(batch, {n, n});
  for (py::ssize_t i = 0; i < f.size() / (n * n); ++i) {
    const Matrix kept =
        previous.is_none() ? Matrix(Matrix::Identity()) : matrix_at<Matrix>(before.data() + i * n * n);
    const auto parts = polar(matrix_at<Matrix>(f.data() + i * n * n), kept);
    put(rotation.mutable_data() + i * n * n, parts.rotation);
    put(stretch.mutable_data() + i * n * n, parts.stretch);
  }
  return py::make_tuple(rotation, stretch);
}

// Maps each In of a batch to an Out.
template <class In, class Out, class Function>
Array map_batch(const Array& in, const char* name, Function function) {
  auto tail = [](Eigen::Index rows, Eigen::Index cols) {
    return cols == 1 ? Shape{rows} : Shape{rows, cols};
  };
  const Shape in_tail = tail(In::RowsAtCompileTime, In::ColsAtCompileTime);
  const Shape out_tail = tail(Out::RowsAtCompileTime, Out::ColsAtCompileTime);
  Array out = make(batch_shape(in, in_tail, name), out_tail);
  for (py::ssize_t i = 0; i < in.size() / In::SizeAtCompileTime; ++i)
    put(out.mutable_data() + i * Out::SizeAtCompileTime,
        Out(function(matrix_at<In>(in.data() + i * In::SizeAtCompileTime))));
  return out;
}

Vec3 one_vector(const Array& array, const char* name) {
  if (!batch_shape(array, {3}, name).empty())
    throw InputError("'" + std::string(name) + "' must be one vector");
  return matrix_at<Vec3>(array.data());
}

}  // namespace

void bind_math(py::module_& m) {
  m.def(
      "svd",
      [](const Array& f) { return is_planar(f) ? svd_batch<Mat2>(f, svd2) : svd_batch<Mat3>(f, svd3); },
      py::arg("f"),
      "Signed singular value decomposition: (u, sigma, v) with f = u diag(sigma) v^T, det u = det v = +1\n"
      "and the sign of det f in the last singular value. f: (..., 3, 3) or (..., 2, 2).");
  m.def(
      "polar",
      [](const Array& f, const py::object& previous) {
        return is_planar(f) ? polar_batch<Mat2>(f, previous, polar2) : polar_batch<Mat3>(f, previous, polar3);
      },
      py::arg("f"), py::arg("previous") = py::none(),
      "Polar decomposition: (rotation, stretch) with f = rotation stretch, det rotation = +1 also for an\n"
      "inverted f. Where f leaves the rotation open, it is taken from `previous` (default: identity).");
  m.def(
      "rotation_from_vector",
      [](const Array& omega) {
        return map_batch<Vec3, Mat3>(omega, "omega", [](const Vec3& w) { return rotation_from_vector(w); });
      },
      py::arg("omega"),
      "Exponential map: the rotation by |omega| radians about omega. (..., 3) to (..., 3, 3).");
  m.def(
      "rotation_vector",
      [](const Array& rotation) {
        return map_batch<Mat3, Vec3>(rotation, "rotation", [](const Mat3& r) { return rotation_vector(r); });
      },
      py::arg("rotation"), "Logarithm: axis times angle in [0, pi] of rotations. (..., 3, 3) to (..., 3).");
  m.def(
      "rotation_between",
      [](const Array& from, const Array& to) {
        Array result = make({}, {3, 3});
        put(result.mutable_data(), rotation_between(one_vector(from, "from_"), one_vector(to, "to")));
        return result;
      },
      py::arg("from_"), py::arg("to"), "The smallest rotation that carries one direction to another.");
  m.def(
      "gram_schmidt",
      [](const Array& f) {
        return map_batch<Mat3, Mat3>(f, "f", [](const Mat3& a) { return gram_schmidt(a); });
      },
      py::arg("f"), "Orthonormal frames from the columns of f in order; always rotations.");
  m.def(
      "skew",
      [](const Array& a) { return map_batch<Vec3, Mat3>(a, "a", [](const Vec3& x) { return skew(x); }); },
      py::arg("a"), "Cross-product matrices: skew(a) @ b == cross(a, b).");
}

}  // namespace selkie::python
