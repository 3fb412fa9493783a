// Matrix-free linear operators and preconditioners: all an iterative solver knows of a system. The *_dot
// forms let an implementation form a product and its dot product in one pass over memory; sums are taken over
// fixed blocks, so that bits do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "selkie/core/parallel.h"

namespace selkie::linalg {

// A symmetric linear map. x and y hold size() values and do not overlap.
class Operator {
 public:
  virtual ~Operator() = default;
  virtual std::size_t size() const = 0;
  virtual void apply(std::span<const double> x, std::span<double> y) const = 0;  // y = A x

  // y = A x; returns xᵀy.
  virtual double apply_dot(std::span<const double> x, std::span<double> y) const {
    apply(x, y);
    return dot(x, y);
  }
};

// z ≈ A⁻¹ r, symmetric positive definite. r and z do not overlap.
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  virtual void apply(std::span<const double> r, std::span<double> z) const = 0;

  // z = M⁻¹ r; returns rᵀz.
  virtual double apply_dot(std::span<const double> r, std::span<double> z) const {
    apply(r, z);
    return dot(r, z);
  }
};

// Wraps a callable (x, y) as an operator of `size` unknowns: auto a = make_operator(n, [&](auto x, auto y)
// {...});
template <class Function>
class FunctionOperator final : public Operator {
 public:
  FunctionOperator(std::size_t size, Function function) : size_(size), function_(std::move(function)) {}
  std::size_t size() const override { return size_; }
  void apply(std::span<const double> x, std::span<double> y) const override { function_(x, y); }

 private:
  std::size_t size_;
  Function function_;
};
template <class Function>
FunctionOperator<Function> make_operator(std::size_t size, Function function) {
  return {size, std::move(function)};
}

// The same for a preconditioner (r, z).
template <class Function>
class FunctionPreconditioner final : public Preconditioner {
 public:
  explicit FunctionPreconditioner(Function function) : function_(std::move(function)) {}
  void apply(std::span<const double> r, std::span<double> z) const override { function_(r, z); }

 private:
  Function function_;
};
template <class Function>
FunctionPreconditioner<Function> make_preconditioner(Function function) {
  return FunctionPreconditioner<Function>(std::move(function));
}

}  // namespace selkie::linalg
