// Errors that reach a person. Bad input throws InputError with a place, what is wrong and what to do; a file
// that cannot be written throws OutputError. Numerical trouble is never thrown: steps and solves return a
// [[nodiscard]] report instead (docs/architecture.md, "Errors").
#pragma once

#include <stdexcept>
#include <string>

namespace selkie {

// Where a value came from. `line` and `column` count from 1; 0 means unknown.
struct SourceLocation {
  std::string file = {};
  int line = 0;
  int column = 0;

  // "scene.toml:4:9", "scene.toml", or "" when nothing is known.
  std::string text() const;
};

// Something a user gave us is wrong. what() is the whole message: place, problem and remedy.
class InputError : public std::runtime_error {
 public:
  InputError(SourceLocation where, std::string problem, std::string remedy = {});
  explicit InputError(std::string problem, std::string remedy = {})
      : InputError(SourceLocation{}, std::move(problem), std::move(remedy)) {}

  const SourceLocation& where() const { return where_; }
  const std::string& problem() const { return problem_; }
  const std::string& remedy() const { return remedy_; }

 private:
  SourceLocation where_;
  std::string problem_;
  std::string remedy_;
};

// A result could not be written: full disk, missing permission. what() names the file and the remedy.
class OutputError : public std::runtime_error {
 public:
  OutputError(std::string path, std::string problem, std::string remedy = {});
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace selkie
