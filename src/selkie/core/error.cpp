// Composes the texts of error.h, so that the CLI, the log and Python print the same words.
#include "selkie/core/error.h"

namespace selkie {
namespace {

std::string compose(const std::string& where, const std::string& problem, const std::string& remedy) {
  std::string text = where.empty() ? problem : where + ": " + problem;
  if (!remedy.empty()) text += "\n  " + remedy;
  return text;
}

}  // namespace

std::string SourceLocation::text() const {
  if (line <= 0) return file;
  std::string text = file.empty() ? "line " + std::to_string(line) : file + ":" + std::to_string(line);
  if (column > 0) text += ":" + std::to_string(column);
  return text;
}

InputError::InputError(SourceLocation where, std::string problem, std::string remedy)
    : std::runtime_error(compose(where.text(), problem, remedy)),
      where_(std::move(where)),
      problem_(std::move(problem)),
      remedy_(std::move(remedy)) {}

OutputError::OutputError(std::string path, std::string problem, std::string remedy)
    : std::runtime_error(compose(path, problem, remedy)), path_(std::move(path)) {}

}  // namespace selkie
