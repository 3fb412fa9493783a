// The studies of `selkie verify`: tables of what was measured beside theory and published figures.
#include <algorithm>
#include <filesystem>

#include "bindings.h"
#include "computing.h"
#include "selkie/core/error.h"
#include "selkie/core/text.h"
#include "selkie/io/atomic_file.h"
#include "selkie/io/write_svg.h"
#include "selkie/studies/study.h"
#include "value_conversion.h"

namespace selkie::python {
namespace {

using studies::Row;
using studies::Study;
using studies::Table;

struct StudyOutcome {
  const Study* study;
  studies::StudyResult result;
  std::vector<std::string> plots;  // files drawn
};

// The words of the command line for a name it does not know.
const Study& study_called(const std::string& name) {
  std::vector<std::string> names;
  for (const Study& study : studies::all_studies()) {
    if (study.name == name) return study;
    names.emplace_back(study.name);
  }
  const std::string nearest = nearest_word(name, names);
  throw InputError(
      "there is no study called '" + name + "'",
      (nearest.empty() ? "" : "did you mean '" + nearest + "'? ") + "Known: " + join_choices(names));
}

StudyOutcome verify(const std::string& name, bool full, const py::object& plots) {
  StudyOutcome outcome{&study_called(name), {}, {}};
  const std::filesystem::path folder = plots.is_none() ? std::filesystem::path() : path_from(plots);
  if (!folder.empty()) io::make_output_folder(folder);  // before the work, not after it
  {
    const Computing computing;
    outcome.result = outcome.study->run({.full = full, .plots = !folder.empty()});
    for (const io::Plot& plot : outcome.result.plots)
      outcome.plots.push_back(io::write_svg(folder, name, plot).string());
  }
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  return outcome;
}

py::list texts(const std::vector<std::string>& strings) {
  py::list list;
  for (const std::string& text : strings) list.append(text);
  return list;
}

std::string text_of(const StudyOutcome& outcome) {
  std::string text = std::string(outcome.study->name) + ": " + std::string(outcome.study->about) + "\n\n";
  for (const Table& table : outcome.result.tables) text += studies::to_text(table) + "\n";
  return text + std::string(outcome.study->name) + ": " + (outcome.result.passed() ? "passed" : "FAILED");
}

void bind_table(py::module_& m) {
  py::class_<Table>(m, "StudyTable", "One table of a study; str() of it is what `selkie verify` prints.")
      .def_readonly("title", &Table::title, "What the table is about.")
      .def_property_readonly(
          "columns", [](const Table& t) { return texts(t.columns); }, "Headers, a list of texts.")
      .def_property_readonly(
          "rows",
          [](const Table& t) {
            py::list rows;
            for (const Row& row : t.rows) rows.append(texts(row.cells));
            return rows;
          },
          "A list of texts per row, as printed; measured values stand beside those expected.")
      .def_property_readonly(
          "row_passed",
          [](const Table& t) {
            py::list passed;
            for (const Row& row : t.rows) passed.append(row.pass);
            return passed;
          },
          "Whether each row is as it should be.")
      .def_readonly("note", &Table::note, "What the reader should know: source, tolerance.")
      .def_property_readonly("passed", &Table::passed, "Whether every row is as it should be.")
      .def("__str__", [](const Table& t) { return studies::to_text(t); })
      .def("__repr__", [](const Table& t) {
        return "<selkie.StudyTable '" + t.title + "': " + std::to_string(t.rows.size()) + " rows, " +
               (t.passed() ? "passed" : "FAILED") + ">";
      });
}

}  // namespace

void bind_studies(py::module_& m) {
  bind_table(m);
  py::class_<StudyOutcome>(m, "StudyResult",
                           "What selkie.verify() found; str() of it is what `selkie verify` prints.")
      .def_property_readonly(
          "name", [](const StudyOutcome& o) { return std::string(o.study->name); }, "Name of the study.")
      .def_property_readonly(
          "about", [](const StudyOutcome& o) { return std::string(o.study->about); },
          "What it measures, in one line.")
      .def_property_readonly(
          "tables",
          [](const StudyOutcome& o) {
            py::list tables;
            for (const Table& table : o.result.tables) tables.append(table);
            return tables;
          },
          "Its StudyTables.")
      .def_property_readonly(
          "plots", [](const StudyOutcome& o) { return texts(o.plots); }, "SVG files drawn.")
      .def_property_readonly(
          "passed", [](const StudyOutcome& o) { return o.result.passed(); },
          "Whether every row of every table is as it should be.")
      .def("__str__", &text_of)
      .def("__repr__", [](const StudyOutcome& o) {
        return "<selkie.StudyResult '" + std::string(o.study->name) +
               "': " + std::to_string(o.result.tables.size()) + " tables, " +
               (o.result.passed() ? "passed" : "FAILED") + ">";
      });
  m.def("verify", &verify, py::arg("study"), py::kw_only(), py::arg("full") = false,
        py::arg("plots") = py::none(),
        "Runs a study of `selkie verify` and returns a StudyResult with its tables.\n\n"
        "    result = selkie.verify(\"integrators\")\n"
        "    print(result)\n"
        "    for table in result.tables: print(table.title, table.columns, table.rows)\n\n"
        "full: the long version, at the sizes of the source. plots: a folder to draw SVG files in.\n"
        "selkie.studies() names the studies. A row that fails is no error: look at `passed`. Some studies\n"
        "take minutes, and Ctrl-C waits for the end.");
  m.def(
      "studies",
      [] {
        py::dict about;
        for (const Study& study : studies::all_studies())
          about[py::str(std::string(study.name))] = std::string(study.about);
        return about;
      },
      "What verify() can run: a dictionary of name and description, in the order of `selkie verify`.");
}

}  // namespace selkie::python
