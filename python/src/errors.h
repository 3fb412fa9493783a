// Selkie's errors as Python exceptions. InputError and OutputError of core become exceptions of the same name
// and text; numerical trouble, which the library reports and never throws, is thrown by the bindings.
#pragma once

#include <stdexcept>
#include <string>

namespace selkie::python {

class NumericalError : public std::runtime_error {
 public:
  NumericalError(const std::string& text, double when, int halvings)
      : std::runtime_error(text), time(when), retries(halvings) {}
  double time;  // s, of the last good state
  int retries;  // halvings of the step that were tried
};

}  // namespace selkie::python
