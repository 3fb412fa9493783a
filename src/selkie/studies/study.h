// Studies: verification runs with tables and plots, as `selkie verify` prints them and the verification tests
// assert them. Each row puts what was measured beside theory or the published figure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "selkie/io/plot.h"

namespace selkie::studies {

struct Row {
  std::vector<std::string> cells;
  bool pass = true;
};

struct Table {
  std::string title;
  std::vector<std::string> columns;
  std::vector<Row> rows;
  std::string note = {};  // what the reader should know: source, tolerance

  bool passed() const;
};

struct StudyResult {
  std::vector<Table> tables;
  std::vector<io::Plot> plots = {};  // when asked for
  bool passed() const;
};

struct StudyOptions {
  bool full = false;   // the long version, at the sizes of the source
  bool plots = false;  // also what plots show; costs time of its own
};

struct Study {
  std::string_view name;
  std::string_view about;
  StudyResult (*run)(const StudyOptions&);
};

// Every study, in the order they are listed.
std::span<const Study> all_studies();

// Columns aligned, one line a row, "ok" or "FAIL" at the end.
std::string to_text(const Table& table);

// The tables below the study's name and above its outcome; of failures only the tables that failed, and
// nothing at all when there is none.
enum class Shown { kAll, kFailures };
std::string to_text(const Study& study, const StudyResult& result, Shown shown);

}  // namespace selkie::studies
