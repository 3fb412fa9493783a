// Exact sums and products of doubles. An Expansion is an unevaluated sum of doubles, smallest first, that do
// not overlap and are not adjacent; its sign is that of its last term. Rounding to nearest even is assumed.
// Plain and quadratic in the number of terms: it runs only where the filters of predicates.cpp fail.
// [Shewchuk97 Theorems 10, 12, 19]
#pragma once

#include <cmath>
#include <vector>

namespace selkie::geometry::detail {

class Expansion {
 public:
  Expansion() = default;

  // a - b and a · b without error: the rounded result and its tail.
  static Expansion difference(double a, double b) {
    const double result = a - b;
    const double b_virtual = a - result;
    const double a_virtual = result + b_virtual;
    return Expansion((a - a_virtual) + (b_virtual - b), result);
  }
  static Expansion product(double a, double b) {
    const double result = a * b;
    return Expansion(std::fma(a, b, -result), result);
  }

  int sign() const { return terms_.empty() ? 0 : terms_.back() > 0 ? 1 : -1; }

  Expansion operator+(const Expansion& other) const {
    Expansion sum = *this;
    for (const double term : other.terms_) sum.grow(term);
    return sum;
  }
  Expansion operator-() const {
    Expansion negated = *this;
    for (double& term : negated.terms_) term = -term;
    return negated;
  }
  Expansion operator-(const Expansion& other) const { return *this + (-other); }
  Expansion operator*(const Expansion& other) const {
    Expansion sum;
    for (const double term : other.terms_) sum = sum + scaled(term);
    return sum;
  }

 private:
  Expansion(double tail, double head) {
    push(tail);
    push(head);
  }
  void push(double term) {
    if (term != 0) terms_.push_back(term);
  }

  // Adds one double, keeping the order; zero terms are dropped on the way.
  void grow(double value) {
    std::size_t kept = 0;
    for (const double term : terms_) {
      const double sum = value + term;
      const double term_virtual = sum - value;
      const double tail = (value - (sum - term_virtual)) + (term - term_virtual);
      if (tail != 0) terms_[kept++] = tail;
      value = sum;
    }
    terms_.resize(kept);
    push(value);
  }

  Expansion scaled(double factor) const {
    Expansion result;
    double carry = 0;
    bool first = true;
    for (const double term : terms_) {
      const double head = term * factor, tail = std::fma(term, factor, -head);
      if (first) {
        result.push(tail);
        carry = head;
        first = false;
        continue;
      }
      const double sum = carry + tail;
      const double tail_virtual = sum - carry;
      result.push((carry - (sum - tail_virtual)) + (tail - tail_virtual));
      carry = head + sum;
      result.push(sum - (carry - head));
    }
    result.push(carry);
    return result;
  }

  std::vector<double> terms_;
};

}  // namespace selkie::geometry::detail
