// Reports as small read-only objects.
#include "reports.h"

#include "bindings.h"
#include "selkie/core/text.h"

namespace selkie::python {
namespace {

void bind_system_report(py::module_& m) {
  using R = sim::SystemReport;
  py::class_<R>(m, "SystemReport", "What one system did during a sync step.")
      .def_readonly("system", &R::system, "Name of the system.")
      .def_readonly("substeps", &R::substeps, "Sub-steps taken.")
      .def_property_readonly(
          "iterations", [](const R& r) { return r.step.iterations; },
          "Linear-solver iterations, all sub-steps together.")
      .def_property_readonly(
          "residual", [](const R& r) { return r.step.residual; },
          "Largest relative residual a solve stopped at.")
      .def_property_readonly(
          "cfl", [](const R& r) { return r.step.cfl; },
          "Largest step over its stability limit; 0 where the method has none.")
      .def_property_readonly(
          "contacts", [](const R& r) { return r.step.contacts; }, "Contacts handled.")
      .def_property_readonly(
          "figures",
          [](const R& r) {
            py::dict figures;
            for (const auto& [name, value] : r.figures) figures[py::str(name)] = value;
            return figures;
          },
          "As System.figures(), after the step.");
}

}  // namespace

NumericalError failure_of(const sim::SyncReport& report) {
  return {"t = " + number_text(report.time) + " s: " + report.trouble + " (after " +
              std::to_string(report.retries) + " halvings of the step)",
          report.time, report.retries};
}

void bind_reports(py::module_& m) {
  bind_system_report(m);

  py::class_<StepReport>(m, "StepReport", "What one step of a solver says of itself.")
      .def_readonly("iterations", &StepReport::iterations, "Linear-solver iterations.")
      .def_readonly("residual", &StepReport::residual, "Relative residual the solver stopped at.")
      .def_readonly("contacts", &StepReport::contacts, "Contacts handled.")
      .def("__repr__", [](const StepReport& r) {
        return "<selkie.StepReport " + std::to_string(r.iterations) + " iterations, " +
               std::to_string(r.contacts) + " contacts>";
      });

  using S = sim::SyncReport;
  py::class_<S>(m, "SyncReport", "What World.step() did.")
      .def_readonly("time", &S::time, "Time reached, s.")
      .def_readonly("dt", &S::dt, "Length of the sync step, s.")
      .def_readonly("retries", &S::retries, "How often the step was halved.")
      .def_property_readonly(
          "systems",
          [](const S& r) {
            py::dict systems;
            for (const auto& system : r.systems) systems[py::str(system.system)] = system;
            return systems;
          },
          "A SystemReport by name of the system.")
      .def_property_readonly(
          "phases",
          [](const S& r) {
            py::dict phases;
            for (const auto& [name, time] : r.phases) phases[py::str(std::string(name))] = time.seconds;
            return phases;
          },
          "Seconds of wall clock by phase.")
      .def("__repr__", [](const S& r) {
        return "<selkie.SyncReport t = " + number_text(r.time) + " s, dt = " + number_text(r.dt) + " s, " +
               std::to_string(r.retries) + " retries>";
      });

  using R = RunOutcome;
  py::class_<R>(m, "RunResult", "What selkie.run() did.")
      .def_property_readonly(
          "folder", [](const R& r) { return r.folder.string(); }, "Where the files are.")
      .def_property_readonly(
          "frame", [](const R& r) { return r.result.frame; }, "Completed frames.")
      .def_property_readonly(
          "step", [](const R& r) { return r.result.step; }, "Sync steps, since frame 0.")
      .def_property_readonly(
          "hash", [](const R& r) { return r.result.hash.hex(); },
          "Hash of the last state; equal hashes mean equal bits.")
      .def_property_readonly(
          "seconds", [](const R& r) { return r.result.seconds; }, "Wall clock, s.")
      .def_property_readonly(
          "files",
          [](const R& r) {
            py::list files;
            for (const auto& file : r.result.files) files.append(file.string());
            return files;
          },
          "Frame files written by this call.")
      .def("__repr__", [](const R& r) {
        return "<selkie.RunResult '" + r.folder.string() + "': " + std::to_string(r.result.frame) +
               " frames, hash " + r.result.hash.hex() + ">";
      });

  using P = sim::Progress;
  py::class_<P>(m, "Progress", "What a progress callback of selkie.run() receives after each sync step.")
      .def_readonly("frame", &P::frame, "Completed frames.")
      .def_readonly("frames", &P::frames, "Wanted frames.")
      .def_readonly("step", &P::step, "Sync steps so far.")
      .def_readonly("substeps", &P::substeps, "Of the busiest system in the last sync step.")
      .def_readonly("dt", &P::dt, "Last sub-step of that system, s.")
      .def_readonly("elapsed", &P::elapsed, "Wall clock so far, s.")
      .def_readonly("remaining", &P::remaining, "Estimated wall clock to go, s.");
}

}  // namespace selkie::python
