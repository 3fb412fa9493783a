// Finding the tetrahedra that have lost volume (inversion_guard.h). Asking all of them costs half as much as
// all spring forces, and few ever answer; so a list of those that could be squeezed soon is kept, and only it
// is asked until some vertex has moved, relative to the body, by a small share of an edge. What is found does
// not depend on the list.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "selkie/core/buffer.h"
#include "selkie/solids/mass_spring/detail/lanes.h"
#include "selkie/solids/mass_spring/model.h"
#include "selkie/solids/mass_spring/work.h"

namespace selkie::mass_spring {

// Has every vertex stayed near where the list saw it, apart from what the first one moved? Ranges of vertices
// may be looked at by several threads, as part of a pass that has them in cache anyway.
class StrayWatch {
 public:
  StrayWatch(const Model& model, const Buffer<Vec3>& x, double threshold, const WatchedTets& watched);
  void look(std::size_t begin, std::size_t end);
  bool stayed() const { return !strayed_.load(std::memory_order_relaxed); }

 private:
  const double *now_ = nullptr, *then_ = nullptr;
  detail::Lanes shift_, limit_;  // m
  std::atomic<bool> strayed_;
};

// The tetrahedra with J < threshold, ascending; kept in `work` until the next call. For positions that change
// little from call to call. `stayed`: what a StrayWatch of the same x and threshold says of all vertices.
std::span<const std::uint32_t> find_squeezed(const Model& model, const Buffer<Vec3>& x, double threshold,
                                             Work& work, bool stayed);
std::span<const std::uint32_t> find_squeezed(const Model& model, const Buffer<Vec3>& x, double threshold,
                                             Work& work);

// The same without a list: for a threshold or positions that are asked for once.
std::span<const std::uint32_t> find_squeezed_at_once(const Model& model, const Buffer<Vec3>& x,
                                                     double threshold, Work& work);

}  // namespace selkie::mass_spring
