// Inflows and drains: where liquid comes from and where it goes, by volume per second. Both work on whole
// particles: by time t an inflow has sent ⌊rate (t − start) / volume of a particle⌋ of them, so that what
// flowed in depends on the clock and not on the steps.
#pragma once

#include <cstdint>
#include <span>

#include "selkie/core/function_ref.h"
#include "selkie/fluids/liquid/inflow.h"
#include "selkie/fluids/liquid/solids.h"
#include "selkie/geometry/mesh_distance.h"
#include "selkie/ports/time.h"

namespace selkie::liquid {

// Where the form of inflow (or drain) n has moved to at a time; empty: they stay.
using Pose = FunctionRef<Eigen::Isometry3d(std::size_t n, double time)>;
// Closed meshes, one for each inflow (or drain); null: its shape is its form. Empty: so it is for all.
using Meshes = std::span<const geometry::MeshDistance* const>;

struct Sources {
  std::span<const Inflow> inflows = {};
  Pose inflow_pose = {};
  Meshes inflow_meshes = {};
  std::span<const Drain> drains = {};
  Pose drain_pose = {};
  Meshes drain_meshes = {};
};

// The form of an inflow or a drain at a time.
class Form {
 public:
  static Form of_inflow(const Sources& sources, std::size_t n, double time);
  static Form of_drain(const Sources& sources, std::size_t n, double time);

  // Distance of a point of the world from it, m, negative inside.
  double distance(const Vec3& point) const { return distance_at_rest(rest_from_world_ * point); }
  double distance_at_rest(const Vec3& rest) const;
  const Eigen::Isometry3d& pose() const { return pose_; }
  // A box around the form in its rest position, cut to the domain where it has no end.
  struct Extent {
    Vec3 low, high;
  };
  Extent extent(const grid::Shape& domain) const;

 private:
  Form(const std::optional<geometry::AnalyticShape>& shape, Meshes meshes, const Pose& pose, std::size_t n,
       double time);

  const geometry::AnalyticShape* shape_ = nullptr;
  const geometry::MeshDistance* mesh_ = nullptr;
  Eigen::Isometry3d pose_, rest_from_world_;
};

// Whether something that begins and ends is there during the interval.
bool is_active(double start, const std::optional<double>& end, const Interval& interval);

// Adds the particles of the interval at the end of the list. Those whose places are all inside solids or
// outside the domain are refused.
struct InflowReport {
  std::uint64_t added = 0, refused = 0;
};
template <class Real>
InflowReport add_inflow(const Model& model, const Sources& sources, Colliders colliders, Interval interval,
                        State<Real>& state);

// Marks particles in drains with kDropped. Returns how many.
template <class Real>
std::uint64_t take_drained(const Model& model, const Sources& sources, Interval interval,
                           const State<Real>& state, Buffer<std::uint32_t>& key);

// Adds to `rate` (1/s, cell field) how fast liquid grows in inflows whose cells are full, and shrinks in
// drains of a given rate.
template <class Real>
void add_growth(const Model& model, const Sources& sources, Interval interval, const CellRanges& ranges,
                Buffer<Real>& rate);

// Whether add_growth() would add anything.
bool grows(const Sources& sources, Interval interval);

}  // namespace selkie::liquid
