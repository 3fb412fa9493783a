// Formulas in scene files: "0.2*sin(2*pi*t)". Compiled once, evaluated often. Backed by muParser, whose
// headers stay in expression.cpp. Names: the variables given at construction, pi, e, and muParser's
// functions.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace selkie {

class Expression {
 public:
  // Throws InputError (without a place) naming the offending part when `formula` does not compile.
  Expression(std::string formula, std::vector<std::string> variables);
  ~Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;
  Expression(const Expression&);
  Expression& operator=(const Expression&);

  // Values in the order of the variables. Not to be called on one object by two threads at once.
  double operator()(std::span<const double> values) const;
  double operator()(double value) const { return (*this)(std::span<const double>(&value, 1)); }
  const std::string& formula() const;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace selkie
