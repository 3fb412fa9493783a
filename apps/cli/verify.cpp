// `selkie verify`: tables of what was measured beside theory and published figures; exit 1 when a row fails.
#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "selkie/core/error.h"
#include "selkie/core/text.h"
#include "selkie/core/value.h"
#include "selkie/io/atomic_file.h"
#include "selkie/io/write_svg.h"
#include "selkie/studies/study.h"

namespace selkie::cli {
namespace {

Value json_of(const studies::Table& table) {
  Value out;
  out["title"].data = table.title;
  ValueArray rows;
  for (const studies::Row& row : table.rows) {
    Value entry;
    for (std::size_t c = 0; c < row.cells.size(); ++c) entry[table.columns[c]].data = row.cells[c];
    entry["pass"].data = row.pass;
    rows.push_back(std::move(entry));
  }
  out["rows"].data = std::move(rows);
  out["passed"].data = table.passed();
  return out;
}

int list_studies(const CommonOptions& common) {
  ValueArray list;
  for (const studies::Study& study : studies::all_studies()) {
    Value entry;
    entry["study"].data = std::string(study.name);
    entry["about"].data = std::string(study.about);
    list.push_back(std::move(entry));
    if (!common.json && !common.quiet) fmt::print("{:<14} {}\n", study.name, study.about);
  }
  if (common.json) fmt::print("{}\n", to_json(Value{std::move(list)}));
  return kDone;
}

}  // namespace

int verify(const CommonOptions& common, const VerifyOptions& options) {
  if (options.list) return list_studies(common);
  std::vector<std::string> names;
  for (const studies::Study& study : studies::all_studies()) names.emplace_back(study.name);
  for (const std::string& wanted : options.studies)
    if (std::find(names.begin(), names.end(), wanted) == names.end()) {
      const std::string nearest = nearest_word(wanted, names);
      throw InputError(
          "there is no study called '" + wanted + "'",
          (nearest.empty() ? "" : "did you mean '" + nearest + "'? ") + "Known: " + join_choices(names));
    }
  if (!options.plots.empty()) io::make_output_folder(options.plots);  // before the work, not after it
  bool passed = true;
  ValueArray results;
  for (const studies::Study& study : studies::all_studies()) {
    if (!options.studies.empty() &&
        std::find(options.studies.begin(), options.studies.end(), study.name) == options.studies.end())
      continue;
    const studies::StudyResult result = study.run({.full = options.full, .plots = !options.plots.empty()});
    passed = passed && result.passed();
    std::vector<std::string> files;
    for (const io::Plot& plot : result.plots)
      files.push_back(io::write_svg(options.plots, study.name, plot).string());
    if (common.json) {
      Value entry;
      entry["study"].data = std::string(study.name);
      ValueArray tables;
      for (const studies::Table& table : result.tables) tables.push_back(json_of(table));
      entry["tables"].data = std::move(tables);
      if (!files.empty()) entry["plots"].data = ValueArray();
      for (const std::string& file : files) entry["plots"].array().push_back(Value{file});
      results.push_back(std::move(entry));
      continue;
    }
    fmt::print("{}", to_text(study, result, common.quiet ? studies::Shown::kFailures : studies::Shown::kAll));
    if (!common.quiet)
      for (const std::string& file : files) fmt::print("drawn: {}\n", file);
  }
  if (common.json) fmt::print("{}\n", to_json(Value{std::move(results)}));
  return passed ? kDone : kFailedCheck;
}

}  // namespace selkie::cli
