// The exception classes and how C++ errors turn into them.
#include "errors.h"

#include "bindings.h"
#include "selkie/core/error.h"

namespace selkie::python {
namespace {

// The classes live as long as the interpreter; module attributes may be replaced by a user, these not.
PyObject* input_error = nullptr;
PyObject* output_error = nullptr;
PyObject* numerical_error = nullptr;

PyObject* make_class(py::module_& m, const char* name, PyObject* base, const char* doc) {
  const std::string full = std::string("selkie.") + name;
  PyObject* made = PyErr_NewExceptionWithDoc(full.c_str(), doc, base, nullptr);
  if (!made) throw py::error_already_set();
  m.attr(name) = py::reinterpret_borrow<py::object>(made);
  return made;
}

// Messages name files, whose names may be no UTF-8; Python spells such bytes as surrogates.
py::object text_of(const std::string& text) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

py::object make_instance(PyObject* type, const char* text) {
  return py::reinterpret_borrow<py::object>(type)(text_of(text));
}

void raise(PyObject* type, const py::object& instance) { PyErr_SetObject(type, instance.ptr()); }

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    const py::object made = make_instance(input_error, error.what());
    made.attr("file") = text_of(error.where().file);
    made.attr("line") = error.where().line;
    made.attr("column") = error.where().column;
    made.attr("problem") = text_of(error.problem());
    made.attr("remedy") = text_of(error.remedy());
    raise(input_error, made);
  } catch (const OutputError& error) {
    const py::object made = make_instance(output_error, error.what());
    made.attr("path") = text_of(error.path());
    raise(output_error, made);
  } catch (const NumericalError& error) {
    const py::object made = make_instance(numerical_error, error.what());
    made.attr("time") = error.time;
    made.attr("retries") = error.retries;
    raise(numerical_error, made);
  }
}

}  // namespace

void bind_errors(py::module_& m) {
  input_error = make_class(
      m, "InputError", PyExc_ValueError,
      "Something given to Selkie is wrong: a scene, a mesh, a parameter, an argument.\n\n"
      "The text is that of the command line. Attributes: file, line, column (0 when unknown), problem,\n"
      "remedy.");
  output_error = make_class(m, "OutputError", PyExc_OSError, "A file could not be written. Attribute: path.");
  numerical_error = make_class(
      m, "NumericalError", PyExc_ArithmeticError,
      "A step failed even at its smallest length. The state is that before the step, so finished work can\n"
      "be kept. Attributes: time (s), retries (halvings tried).");
  py::register_exception_translator(&translate);
}

}  // namespace selkie::python
