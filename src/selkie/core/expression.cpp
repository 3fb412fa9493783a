// See expression.h.
#include "selkie/core/expression.h"

#include <muParser.h>

#include <numbers>

#include "selkie/core/check.h"
#include "selkie/core/error.h"

namespace selkie {
namespace {

// muParser would take "t = 3" for an assignment to its own variable; a formula only reads.
bool has_assignment(std::string_view formula) {
  for (std::size_t i = formula.find('='); i != formula.npos; i = formula.find('=', i + 1)) {
    if (i + 1 < formula.size() && formula[i + 1] == '=')
      ++i;  // "=="
    else if (i == 0 || std::string_view("<>!").find(formula[i - 1]) == std::string_view::npos)
      return true;
  }
  return false;
}

}  // namespace

struct Expression::Parser {
  std::string formula;
  std::vector<std::string> variables;
  std::vector<double> values;
  mu::Parser parser;

  Parser(std::string f, std::vector<std::string> names)
      : formula(std::move(f)), variables(std::move(names)), values(variables.size()) {
    try {
      parser.DefineConst("pi", std::numbers::pi);
      parser.DefineConst("e", std::numbers::e);
      for (std::size_t i = 0; i < variables.size(); ++i) parser.DefineVar(variables[i], &values[i]);
      if (has_assignment(formula)) throw mu::ParserError("'=' assigns; compare with '=='");
      parser.SetExpr(formula);
      parser.Eval();
      if (parser.GetNumResults() != 1) throw mu::ParserError("several results separated by commas");
    } catch (const mu::ParserError& error) {
      std::string known;
      for (const std::string& name : variables) known += (known.empty() ? "" : ", ") + name;
      throw InputError("'" + formula + "' is not a formula: " + error.GetMsg(),
                       "use numbers, + - * / ^, functions such as sin, sqrt and min, pi, and "
                       "the variable(s) " +
                           known);
    }
  }
};

Expression::Expression(std::string formula, std::vector<std::string> variables)
    : parser_(std::make_unique<Parser>(std::move(formula), std::move(variables))) {}
Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;
Expression::Expression(const Expression& other)
    : parser_(std::make_unique<Parser>(other.parser_->formula, other.parser_->variables)) {}
Expression& Expression::operator=(const Expression& other) {
  parser_ = std::make_unique<Parser>(other.parser_->formula, other.parser_->variables);
  return *this;
}

double Expression::operator()(std::span<const double> values) const {
  SELKIE_CHECK(values.size() == parser_->values.size(), "one value per variable");
  std::copy(values.begin(), values.end(), parser_->values.begin());
  return parser_->parser.Eval();
}

const std::string& Expression::formula() const { return parser_->formula; }

}  // namespace selkie
