// Formulas: values, variables, copies, and refusals that say what is wrong.
#include "selkie/core/expression.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "selkie/core/error.h"

namespace selkie {
namespace {

std::string refusal(const std::string& formula) {
  try {
    const Expression expression(formula, {"t", "x"});
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Expression, ComputesWithConstantsFunctionsAndPowers) {
  EXPECT_DOUBLE_EQ(Expression("0.2*sin(2*pi*t)", {"t"})(0.25), 0.2);
  EXPECT_DOUBLE_EQ(Expression("e^t", {"t"})(1), std::numbers::e);
  EXPECT_DOUBLE_EQ(Expression("-t^2 + min(3, 1, 2) * 1e2", {"t"})(2), 96) << "-t^2 is -(t^2)";
  EXPECT_DOUBLE_EQ(Expression("t < 1 ? 5 : 6", {"t"})(2), 6);
  EXPECT_DOUBLE_EQ(Expression("42", {})(std::span<const double>{}), 42);
}

TEST(Expression, TakesVariablesInTheirOrder) {
  const Expression expression("x - 10*y + 100*z", {"x", "y", "z"});
  EXPECT_DOUBLE_EQ(expression(std::array{1.0, 2.0, 3.0}), 281);
}

TEST(Expression, CopiesAndMovesKeepTheirOwnVariables) {
  Expression a("t + 1", {"t"});
  Expression b = a;
  const Expression c = std::move(a);
  EXPECT_DOUBLE_EQ(b(1), 2);
  EXPECT_DOUBLE_EQ(c(5), 6);
  b = c;
  EXPECT_DOUBLE_EQ(b(7), 8);
  EXPECT_EQ(b.formula(), "t + 1");
}

TEST(Expression, RefusalsNameTheFormulaAndTheVariables) {
  const std::string text = refusal("sin(t");
  EXPECT_EQ(text.find("'sin(t' is not a formula: "), 0u) << text;
  EXPECT_NE(text.find("the variable(s) t, x"), text.npos) << text;
  EXPECT_NE(refusal("2*y").find("y"), std::string::npos) << "the unknown variable is named";
}

TEST(Expression, WhatIsNoFormulaIsRefused) {
  for (const char* formula :
       {"", " ", "1,2", "t t", "1 +", "sin()", "foo(1)", "(", "t = 3", "x = t == 1", "\"a\""})
    EXPECT_NE(refusal(formula), "accepted") << formula;
}

TEST(Expression, ComparisonsAreNotMistakenForAssignments) {
  for (const char* formula : {"t == 3", "t <= 3", "t >= 3", "t != 3", "(t==3)*(x!=2)"})
    EXPECT_EQ(refusal(formula), "accepted") << formula;
}

TEST(Expression, DivisionByZeroIsInfiniteNotAnError) { EXPECT_TRUE(std::isinf(Expression("1/t", {"t"})(0))); }

}  // namespace
}  // namespace selkie
