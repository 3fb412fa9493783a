// See body_pairs.h.
#include "selkie/contact/body_pairs.h"

#include <algorithm>

#include "selkie/core/parallel.h"

namespace selkie::contact {
namespace {

constexpr std::size_t kBlock = 64;
// Wide boxes reach ahead by the way of this many steps, and are made anew when they are this much too wide.
constexpr double kStepsAhead = 4, kTooWide = 3;

bool holds(const Bounds& outer, const Bounds& inner) {
  return (outer.low.array() <= inner.low.array()).all() && (inner.high.array() <= outer.high.array()).all();
}

}  // namespace

void BodyPairs::widen(std::span<const Bounds> boxes, std::span<const Vec3> ways, std::span<const double> margins) {
  const std::size_t known = std::min(wide_.size(), boxes.size());
  // Places of items that are gone may be named in pairs: begin again.
  if (wide_.size() > boxes.size()) pairs_.clear();
  const bool anew = wide_.size() > boxes.size();
  wide_.resize(boxes.size()), moved_.resize(boxes.size());
  parallel_for(
      boxes.size(),
      [&](std::size_t i) {
        const Bounds& box = boxes[i];
        Bounds& wide = wide_[i];
        const Vec3 margin = Vec3::Constant(margins[i]), ahead = kStepsAhead * ways[i];
        const Bounds next{box.low - margin + ahead.cwiseMin(0), box.high + margin + ahead.cwiseMax(0)};
        const double slack = (wide.high - wide.low - (next.high - next.low)).maxCoeff();
        moved_[i] = anew || i >= known || !holds(wide, box) || !(slack <= kTooWide * margins[i]);
        if (moved_[i]) wide = next;
      },
      256);
  moved_items_.clear();
  for (std::uint32_t i = 0; i < boxes.size(); ++i)
    if (moved_[i]) moved_items_.push_back(i);
}

// Everyone asks for partners above; blocks follow one another, so the pairs come sorted.
void BodyPairs::find_all() {
  const std::size_t blocks = (wide_.size() + kBlock - 1) / kBlock;
  found_.resize(std::max(found_.size(), blocks));
  parallel_blocks(wide_.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    auto& found = found_[begin / kBlock];
    found.clear();
    for (auto a = static_cast<std::uint32_t>(begin); a < end; ++a) {
      const std::size_t first = found.size();
      tree_.each_meeting(wide_[a], [&](std::uint32_t b) {
        if (b > a) found.emplace_back(a, b);
      });
      std::sort(found.begin() + static_cast<std::ptrdiff_t>(first), found.end());
    }
  });
  pairs_.clear();
  for (std::size_t b = 0; b < blocks; ++b) pairs_.insert(pairs_.end(), found_[b].begin(), found_[b].end());
}

// Those who moved forget their partners and ask anew; of two that moved the lower one reports.
void BodyPairs::replace_moved() {
  std::erase_if(pairs_, [&](const Pair& pair) { return moved_[pair.first] || moved_[pair.second]; });
  const std::size_t blocks = (moved_items_.size() + kBlock - 1) / kBlock;
  found_.resize(std::max(found_.size(), blocks));
  parallel_blocks(moved_items_.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    auto& found = found_[begin / kBlock];
    found.clear();
    for (std::size_t k = begin; k < end; ++k) {
      const std::uint32_t a = moved_items_[k];
      tree_.each_meeting(wide_[a], [&](std::uint32_t b) {
        if (a != b && !(moved_[b] && b < a)) found.emplace_back(std::min(a, b), std::max(a, b));
      });
    }
  });
  fresh_.clear();
  for (std::size_t b = 0; b < blocks; ++b) fresh_.insert(fresh_.end(), found_[b].begin(), found_[b].end());
  std::sort(fresh_.begin(), fresh_.end());
  merged_.resize(pairs_.size() + fresh_.size());
  std::merge(pairs_.begin(), pairs_.end(), fresh_.begin(), fresh_.end(), merged_.begin());
  pairs_.swap(merged_);
}

void BodyPairs::update(std::span<const Bounds> boxes, std::span<const Vec3> ways, std::span<const double> margins) {
  widen(boxes, ways, margins);
  if (moved_items_.empty()) return;
  tree_.update(wide_);
  if (4 * moved_items_.size() > wide_.size())
    find_all();
  else
    replace_moved();
}

}  // namespace selkie::contact
