// The ".pvd" collection that makes a ParaView time series of single files. Rewritten whole and atomically, so
// that it can be opened while the run goes on; a resumed run continues it without duplicates.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

namespace selkie::io {

class VtkSeries {
 public:
  // Starts empty; an existing file at `path` is replaced by the first save().
  explicit VtkSeries(std::filesystem::path path) : path_(std::move(path)) {}
  // Continues the file at `path`, keeping entries up to and including `last_time`; a missing file is empty.
  // InputError when the file is not a collection.
  static VtkSeries resume(std::filesystem::path path, double last_time);

  // `file` is relative to the collection's folder. The same (time, part) again replaces its file.
  void add(double time, const std::string& part, const std::string& file);
  void save() const;

  using Key = std::pair<double, std::string>;  // time in s, part
  const std::map<Key, std::string>& entries() const { return entries_; }

 private:
  std::filesystem::path path_;
  std::map<Key, std::string> entries_;
};

}  // namespace selkie::io
