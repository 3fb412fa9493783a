// Collects findings while a mesh is checked: counts every trouble, words only the first of each.
#pragma once

#include <array>
#include <string>

#include "selkie/geometry/mesh_check.h"

namespace selkie::geometry::detail {

class Findings {
 public:
  template <class FirstText>
  void add(Trouble trouble, FirstText&& first_text) {
    Entry& entry = entries_[static_cast<std::size_t>(trouble)];
    if (entry.count++ == 0) entry.first = first_text();
  }
  std::size_t count(Trouble trouble) const { return entries_[static_cast<std::size_t>(trouble)].count; }

  MeshReport report() const {
    MeshReport report;
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].count > 0)
        report.findings.push_back({static_cast<Trouble>(i), entries_[i].count, entries_[i].first});
    return report;
  }

 private:
  struct Entry {
    std::size_t count = 0;
    std::string first;
  };
  std::array<Entry, static_cast<std::size_t>(Trouble::self_intersection) + 1> entries_;
};

}  // namespace selkie::geometry::detail
