// See vertex_in_tet.h.
#include "selkie/geometry/vertex_in_tet.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"

namespace selkie::geometry {
namespace {

constexpr std::uint32_t kTetsPerJob = 1024;

// Mean side of the bounding boxes of the tetrahedra, from at most a thousand of each body.
double mean_tet_size(std::span<const TouchingBody> bodies) {
  double sum = 0, count = 0;
  for (const TouchingBody& body : bodies) {
    const std::size_t stride = body.tets.size() / 1000 + 1;
    for (std::size_t t = 0; t < body.tets.size(); t += stride) {
      BoundingBox box;
      for (const std::uint32_t v : body.tets[t]) box.extend(body.positions[v]);
      sum += box.sizes().mean() * static_cast<double>(stride);
      count += static_cast<double>(stride);
    }
  }
  return sum > 0 && std::isfinite(sum) ? sum / count : 1;
}

BoundingBox widened(const BoundingBox& box) {
  if (box.isEmpty()) return box;
  const Vec3 margin = Vec3::Constant(4 * kOnFace * box.sizes().maxCoeff());
  return BoundingBox(box.min() - margin, box.max() + margin);
}

}  // namespace

bool tet_weights(const Vec3& x0, const Vec3& x1, const Vec3& x2, const Vec3& x3, const Vec3& point,
                 Vec4& weights) {
  const Vec3 a = x1 - x0, b = x2 - x0, c = x3 - x0, p = point - x0;
  const Vec3 bc = b.cross(c);
  const double det = a.dot(bc);
  if (!(det != 0)) return false;
  const Vec3 pa = p.cross(a);
  weights[1] = p.dot(bc) / det;
  weights[2] = -c.dot(pa) / det;
  weights[3] = b.dot(pa) / det;
  weights[0] = 1 - weights[1] - weights[2] - weights[3];
  return weights.minCoeff() >= -kOnFace;
}

void TetDetector::pair_up(std::span<const TouchingBody> bodies,
                          FunctionRef<bool(std::size_t, std::size_t)> may_touch) {
  const std::size_t count = bodies.size();
  boxes_.resize(count);
  point_boxes_.resize(count);
  parallel_for(
      count,
      [&](std::size_t i) {
        boxes_[i] = widened(bounding_box(bodies[i].positions));
        point_boxes_[i] = bodies[i].points.empty() ? boxes_[i] : widened(bounding_box(bodies[i].points));
      },
      1);
  paired_.assign(count * count, 0);
  shared_.assign(count, {});
  entering_.assign(count, {});
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < count; ++b) {
      if (bodies[b].tets.empty() || bodies[a].vertices.empty()) continue;
      const BoundingBox common = point_boxes_[a].intersection(boxes_[b]);
      if (common.isEmpty() || !may_touch(a, b)) continue;
      paired_[a * count + b] = 1;
      shared_[b].extend(common);
      entering_[a].extend(common);
    }
}

void TetDetector::enter_vertices(std::span<const TouchingBody> bodies) {
  entered_.clear();
  for (std::uint32_t a = 0; a < bodies.size(); ++a) {
    if (entering_[a].isEmpty()) continue;
    for (const std::uint32_t v : bodies[a].vertices)
      if (entering_[a].contains(bodies[a].point(v))) entered_.push_back({a, v});
  }
  if (entered_.empty()) return;
  hash_.begin(mean_tet_size(bodies), entered_.size());
  for (std::uint32_t e = 0; e < entered_.size(); ++e)
    hash_.insert(bodies[entered_[e].body].point(entered_[e].vertex), e);
}

void TetDetector::search(std::span<const TouchingBody> bodies, const Job& job,
                         std::vector<VertexInTet>& found) const {
  const TouchingBody& body = bodies[job.body];
  for (std::uint32_t t = job.begin; t < job.end; ++t) {
    const Tet& tet = body.tets[t];
    const Vec3 &x0 = body.positions[tet[0]], &x1 = body.positions[tet[1]], &x2 = body.positions[tet[2]],
               &x3 = body.positions[tet[3]];
    const Vec3 low = x0.cwiseMin(x1).cwiseMin(x2).cwiseMin(x3),
               high = x0.cwiseMax(x1).cwiseMax(x2).cwiseMax(x3);
    const Vec3 margin = Vec3::Constant(4 * kOnFace * (high - low).maxCoeff());
    if (!shared_[job.body].intersects(BoundingBox(low - margin, high + margin))) continue;
    auto test = [&](std::uint32_t e) {
      const auto [a, v] = entered_[e];
      if (!pairs(a, job.body)) return;
      const Vec3& point = bodies[a].point(v);
      if (((point - low).array() < -margin.array()).any() || ((point - high).array() > margin.array()).any())
        return;
      if (a == job.body && std::find(tet.begin(), tet.end(), v) != tet.end()) return;
      VertexInTet hit{a, v, job.body, t, {}};
      if (tet_weights(x0, x1, x2, x3, point, hit.weights)) found.push_back(hit);
    };
    const HashCell c0 = hash_.cell_of(low - margin), c1 = hash_.cell_of(high + margin);
    const double cells = static_cast<double>(c1.x - c0.x + 1) * static_cast<double>(c1.y - c0.y + 1) *
                         static_cast<double>(c1.z - c0.z + 1);
    if (cells > 64 + static_cast<double>(entered_.size())) {  // blown up: asking every vertex is shorter
      for (std::uint32_t e = 0; e < entered_.size(); ++e) test(e);
      continue;
    }
    for (std::int64_t z = c0.z; z <= c1.z; ++z)
      for (std::int64_t y = c0.y; y <= c1.y; ++y)
        for (std::int64_t x = c0.x; x <= c1.x; ++x) hash_.each_in({x, y, z}, test);
  }
}

std::span<const VertexInTet> TetDetector::find(std::span<const TouchingBody> bodies,
                                               FunctionRef<bool(std::size_t, std::size_t)> may_touch) {
  const ProfileZone zone("contact.detect");
  found_.clear();
  pair_up(bodies, may_touch);
  enter_vertices(bodies);
  if (entered_.empty()) return {};
  jobs_.clear();
  for (std::uint32_t b = 0; b < bodies.size(); ++b) {
    if (shared_[b].isEmpty()) continue;
    const auto tets = static_cast<std::uint32_t>(bodies[b].tets.size());
    for (std::uint32_t begin = 0; begin < tets; begin += kTetsPerJob)
      jobs_.push_back({b, begin, std::min(tets, begin + kTetsPerJob)});
  }
  if (found_by_job_.size() < jobs_.size()) found_by_job_.resize(jobs_.size());
  parallel_for(
      jobs_.size(),
      [&](std::size_t j) {
        found_by_job_[j].clear();
        search(bodies, jobs_[j], found_by_job_[j]);
      },
      1);
  for (std::size_t j = 0; j < jobs_.size(); ++j)
    found_.insert(found_.end(), found_by_job_[j].begin(), found_by_job_[j].end());
  std::sort(found_.begin(), found_.end(), [](const VertexInTet& p, const VertexInTet& q) {
    return std::tie(p.vertex_body, p.vertex, p.tet_body, p.tet) <
           std::tie(q.vertex_body, q.vertex, q.tet_body, q.tet);
  });
  return found_;
}

}  // namespace selkie::geometry
