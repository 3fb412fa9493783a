// See shot.h. Loops are written so that the compiler turns them into vector instructions: reductions keep 16
// lanes of their own, because it may not reorder floating-point sums and comparisons.
#include "selkie/view/shot.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <variant>

namespace selkie::view {
namespace {

constexpr std::size_t kLanes = 16;

template <class T>
struct Range {
  T lo = std::numeric_limits<T>::infinity(), hi = -std::numeric_limits<T>::infinity();
};

// Least and greatest of value(i); what is not finite does not count.
template <class T, class GetValue>
Range<T> range_of(std::size_t count, const GetValue& value) {
  T lo[kLanes], hi[kLanes];
  std::fill_n(lo, kLanes, Range<T>{}.lo);
  std::fill_n(hi, kLanes, Range<T>{}.hi);
  auto take = [&](std::size_t lane, T x) {
    const bool finite = x - x == 0;
    lo[lane] = finite && x < lo[lane] ? x : lo[lane];
    hi[lane] = finite && x > hi[lane] ? x : hi[lane];
  };
  const std::size_t whole = count / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) take(lane, value(i + lane));
  for (std::size_t i = whole; i < count; ++i) take(i - whole, value(i));
  Range<T> all{*std::min_element(lo, lo + kLanes), *std::max_element(hi, hi + kLanes)};
  return all.lo <= all.hi ? all : Range<T>{0, 0};
}

ArrayPlace add_floats(Payload& payload, std::span<const double> values) {
  const ArrayPlace place{payload.size(), values.size()};
  auto* out = reinterpret_cast<float*>(payload.append(values.size() * sizeof(float)));
  const double* in = values.data();
  for (std::size_t i = 0; i < values.size(); ++i) out[i] = static_cast<float>(in[i]);
  return place;
}

ArrayPlace add_points(Payload& payload, std::span<const Vec3> points) {
  static_assert(sizeof(Vec3) == 3 * sizeof(double));
  return add_floats(payload, {reinterpret_cast<const double*>(points.data()), 3 * points.size()});
}

std::vector<ShotAttribute> add_attributes(Payload& payload, std::span<const ports::Attribute> attributes) {
  std::vector<ShotAttribute> all;
  for (const ports::Attribute& a : attributes) {
    ShotAttribute out{a.name, a.unit, a.components, 0, 0, add_floats(payload, a.values)};
    const double* x = a.values.data();
    if (a.components == 3) {
      const auto squares = range_of<double>(a.values.size() / 3, [x](std::size_t i) {
        return x[3 * i] * x[3 * i] + x[3 * i + 1] * x[3 * i + 1] + x[3 * i + 2] * x[3 * i + 2];
      });
      out.min = std::sqrt(squares.lo), out.max = std::sqrt(squares.hi);
    } else {
      const auto range = range_of<double>(a.values.size(), [x](std::size_t i) { return x[i]; });
      out.min = range.lo, out.max = range.hi;
    }
    all.push_back(std::move(out));
  }
  return all;
}

// u = round(255 (v − min) / (max − min)); NaN becomes 0.
template <class GetValue>
ShotAttribute add_field(Payload& payload, const ports::Volume::Field& field, std::size_t cells,
                        const GetValue& value) {
  const Range<float> range = range_of<float>(cells, value);
  ShotAttribute out{field.name, field.unit, 1, range.lo, range.hi, {payload.size(), cells}};
  auto* bytes = reinterpret_cast<std::uint8_t*>(payload.append(cells));
  const float width = range.hi - range.lo;
  const float scale = width > 0 ? 255 / width : 0, lo = range.lo;
  for (std::size_t i = 0; i < cells; ++i) {
    float t = (value(i) - lo) * scale + 0.5f;
    t = t > 0 ? t : 0;
    t = t < 255 ? t : 255;
    bytes[i] = static_cast<std::uint8_t>(static_cast<int>(t));
  }
  return out;
}

std::vector<ShotAttribute> add_fields(Payload& payload, const ports::Volume& volume) {
  std::vector<ShotAttribute> all;
  for (const ports::Volume::Field& field : volume.fields) {
    const float* x = field.values.data();
    const std::size_t cells = field.values.size() / static_cast<std::size_t>(std::max(1, field.components));
    if (field.components == 3)
      all.push_back(add_field(payload, field, cells, [x](std::size_t i) {
        return std::sqrt(x[3 * i] * x[3 * i] + x[3 * i + 1] * x[3 * i + 1] + x[3 * i + 2] * x[3 * i + 2]);
      }));
    else
      all.push_back(add_field(payload, field, cells, [x](std::size_t i) { return x[i]; }));
  }
  return all;
}

}  // namespace

std::byte* Payload::append(std::size_t bytes) {
  const std::size_t padded = (bytes + 7) / 8 * 8;
  if (size_ + padded > capacity_) {
    capacity_ = std::max(size_ + padded, 2 * capacity_);
    auto larger = std::make_unique_for_overwrite<std::byte[]>(capacity_);
    if (size_ > 0) std::memcpy(larger.get(), data_.get(), size_);
    data_ = std::move(larger);
  }
  std::byte* place = data_.get() + size_;
  if (padded > bytes) std::memset(place + bytes, 0, padded - bytes);
  size_ += padded;
  return place;
}

// Shots that nobody uses at the moment.
struct ShotMaker::Pool {
  std::mutex mutex;
  std::vector<std::unique_ptr<Shot>> idle;
};

ShotMaker::ShotMaker() : pool_(std::make_shared<Pool>()) {}
ShotMaker::~ShotMaker() = default;

std::shared_ptr<Shot> ShotMaker::begin() {
  std::unique_ptr<Shot> shot;
  {
    const std::lock_guard lock(pool_->mutex);
    if (!pool_->idle.empty()) {
      shot = std::move(pool_->idle.back());
      pool_->idle.pop_back();
    }
  }
  if (!shot) shot = std::make_unique<Shot>();
  shot->parts.clear();
  shot->payload.clear();
  return {shot.release(), [pool = pool_](Shot* done) {
            std::unique_ptr<Shot> owned(done);
            const std::lock_guard lock(pool->mutex);
            constexpr std::size_t kKept = 4;  // one being made, one newest, two on their way
            if (pool->idle.size() < kKept) pool->idle.push_back(std::move(owned));
          }};
}

std::shared_ptr<const Topology> ShotMaker::topology(std::string_view part,
                                                    std::span<const std::uint32_t> indices) {
  static std::atomic<std::uint64_t> last_id{0};
  auto found = topologies_.find(part);
  if (found != topologies_.end()) {
    const Topology& known = *found->second;
    if (known.count == indices.size() && std::equal(indices.begin(), indices.end(), known.indices.begin()))
      return found->second;
  }
  auto fresh = std::make_shared<Topology>();
  fresh->id = ++last_id;
  fresh->count = indices.size();
  fresh->indices.assign(indices.begin(), indices.end());
  if (fresh->indices.size() % 2 == 1) fresh->indices.push_back(0);
  topologies_.insert_or_assign(std::string(part), fresh);
  return fresh;
}

void ShotMaker::add(Shot& shot, std::string_view system, const ports::Drawable& drawable) {
  Payload& payload = shot.payload;
  ShotPart part;
  part.name = drawable.name, part.system = system;
  part.look = drawable.look, part.colour = drawable.colour, part.backdrop = drawable.backdrop;
  if (const auto* surface = std::get_if<ports::TriangleSurface>(&drawable.shape)) {
    part.kind = PartKind::triangles;
    part.positions = add_points(payload, surface->positions);
    part.topology = topology(
        drawable.name,
        {reinterpret_cast<const std::uint32_t*>(surface->triangles.data()), 3 * surface->triangles.size()});
    part.attributes = add_attributes(payload, surface->attributes);
  } else if (const auto* points = std::get_if<ports::Points>(&drawable.shape)) {
    part.kind = PartKind::points;
    part.positions = add_points(payload, points->positions);
    part.radius = points->radius;
    part.attributes = add_attributes(payload, points->attributes);
  } else if (const auto* curves = std::get_if<ports::Curves>(&drawable.shape)) {
    part.kind = PartKind::curves;
    part.positions = add_points(payload, curves->positions);
    part.topology = topology(drawable.name, {reinterpret_cast<const std::uint32_t*>(curves->lines.data()),
                                             2 * curves->lines.size()});
    part.radius = curves->radius;
    part.attributes = add_attributes(payload, curves->attributes);
  } else if (const auto* volume = std::get_if<ports::Volume>(&drawable.shape)) {
    part.kind = PartKind::volume;
    part.origin = volume->origin, part.spacing = volume->cell_size, part.cells = volume->cells;
    part.attributes = add_fields(payload, *volume);
  } else if (const auto* vectors = std::get_if<ports::Vectors>(&drawable.shape)) {
    part.kind = PartKind::vectors;
    part.positions = add_points(payload, vectors->origins);
    part.values = add_points(payload, vectors->values);
    part.label = vectors->name, part.unit = vectors->unit;
  } else if (const auto* height = std::get_if<ports::HeightSurface>(&drawable.shape)) {
    part.kind = PartKind::height;
    part.origin = height->origin, part.spacing = height->spacing;
    part.cells = {height->samples[0], height->samples[1], 1};
    part.positions = add_floats(payload, height->heights);
    part.attributes = add_attributes(payload, height->attributes);
  }
  shot.parts.push_back(std::move(part));
}

}  // namespace selkie::view
