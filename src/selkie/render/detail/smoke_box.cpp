// Smoke: building the grid and marching rays through it. Emission of fire follows a ramp in the manner of a
// black body: red, orange, yellow, white. Limits: one isotropic scattering per ray, with the further ones
// approximated by attenuated copies of the first [Wrenninge13 §3].
#include "selkie/render/detail/smoke_box.h"

#include <fmt/format.h>

#include "selkie/core/error.h"
#include "selkie/core/log.h"
#include "selkie/core/parallel.h"

namespace selkie::render::detail {
namespace {

constexpr int kBrick = 8;
constexpr float kOpaque = 0.004f;  // what comes through less than this is given up
constexpr float kGlow = 40.0f;     // radiance of a flame as deep as the box, at full heat

const ports::Volume::Field* find_field(const ports::Volume& volume, std::string_view name) {
  for (const auto& field : volume.fields)
    if (field.name == name) return &field;
  return nullptr;
}

const ports::Volume::Field* density_field(const ports::Volume& volume) {
  if (const auto* field = find_field(volume, "density")) return field;
  for (const auto& field : volume.fields)
    if (field.components == 1) return &field;
  return nullptr;
}

void check_size(const std::string& name, const ports::Volume::Field& field, std::size_t cells) {
  if (field.values.size() != cells * static_cast<std::size_t>(field.components))
    throw InputError(fmt::format("volume `{}`: field `{}` has {} values for {} cells", name, field.name,
                                 field.values.size(), cells),
                     "give one value per cell and component");
}

// Copies with a scale; what is negative counts as none, what is not finite as well, with a warning.
std::vector<float> scaled(const std::string& name, const ports::Volume::Field& field, float scale,
                          float from) {
  std::vector<float> result(field.values.size());
  std::size_t bad = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const float value = (field.values[i] - from) * scale;
    bad += !std::isfinite(value);
    result[i] = std::isfinite(value) ? std::max(0.0f, value) : 0.0f;
  }
  if (bad > 0)
    log_warning(fmt::format("picture: volume `{}`: {} values of `{}` are not finite and count as 0", name,
                            bad, field.name));
  return result;
}

// Colour of a glowing body from 0 (dark) to 1 (white-hot); each channel starts later than the one before.
Rgb glow(float heat) {
  const float x = std::clamp(heat, 0.0f, 1.3f);
  return {x, 0.38f * x * x, 0.07f * square(x * x)};
}

}  // namespace

std::optional<SmokeBox> SmokeBox::make(const std::string& name, const ports::Volume& volume,
                                       const Finish& finish, const Vec3& origin) {
  const auto* density = density_field(volume);
  const bool sized =
      volume.cells[0] > 0 && volume.cells[1] > 0 && volume.cells[2] > 0 && volume.cell_size > 0;
  if (!density || !sized || !volume.origin.allFinite()) {
    log_warning(fmt::format("picture: volume `{}` has no cells or no scalar field and is left out", name));
    return std::nullopt;
  }
  const std::size_t count = static_cast<std::size_t>(volume.cells[0]) *
                            static_cast<std::size_t>(volume.cells[1]) *
                            static_cast<std::size_t>(volume.cells[2]);
  check_size(name, *density, count);
  SmokeBox box;
  box.cells_ = volume.cells;
  box.cell_size_ = static_cast<float>(volume.cell_size);
  box.low_ = (volume.origin - origin).cast<float>();
  box.high_ = box.low_ + box.cell_size_ * Vec3f(static_cast<float>(volume.cells[0]),
                                                static_cast<float>(volume.cells[1]),
                                                static_cast<float>(volume.cells[2]));
  // Without a word from the scene: a density of 1 hides what is behind an eighth of the box's shortest side.
  const float shortest = (box.high_ - box.low_).minCoeff();
  const float scale = finish.density ? static_cast<float>(*finish.density) : 16 / shortest;
  box.extinction_ = scaled(name, *density, scale, 0);
  box.albedo_ = finish.colour;
  if (finish.look == ports::Look::fire) {
    if (const auto* heat = find_field(volume, "temperature")) {
      check_size(name, *heat, count);
      const bool kelvin = heat->unit == "K";
      box.heat_ = scaled(name, *heat, kelvin ? 1 / 1500.0f : 1.0f, kelvin ? 500.0f : 0.0f);
    }
  }
  box.find_bricks();
  return box;
}

// A brick counts what a trilinear sample inside it can touch: its own cells and one more all around.
void SmokeBox::find_bricks() {
  for (std::size_t a = 0; a < 3; ++a) bricks_[a] = (cells_[a] + kBrick - 1) / kBrick;
  brick_max_.assign(static_cast<std::size_t>(bricks_[0]) * static_cast<std::size_t>(bricks_[1]) *
                        static_cast<std::size_t>(bricks_[2]),
                    0.0f);
  parallel_for(
      brick_max_.size(),
      [&](std::size_t b) {
        const int bx = static_cast<int>(b) % bricks_[0], by = static_cast<int>(b) / bricks_[0] % bricks_[1],
                  bz = static_cast<int>(b) / bricks_[0] / bricks_[1];
        float most = 0;
        auto range = [](int brick, int cells) {
          return std::array{std::max(0, brick * kBrick - 1), std::min(cells, (brick + 1) * kBrick + 1)};
        };
        const auto rx = range(bx, cells_[0]), ry = range(by, cells_[1]), rz = range(bz, cells_[2]);
        for (int z = rz[0]; z < rz[1]; ++z)
          for (int y = ry[0]; y < ry[1]; ++y)
            for (int x = rx[0]; x < rx[1]; ++x) {
              const auto i = static_cast<std::size_t>((z * cells_[1] + y) * cells_[0] + x);
              most = std::max(most, extinction_[i]);
              if (!heat_.empty()) most = std::max(most, heat_[i]);
            }
        brick_max_[b] = most;
      },
      16);
}

SmokeBox::Span SmokeBox::span(const Vec3f& origin, const Vec3f& direction, float far) const {
  Span result{0, far};
  for (int a = 0; a < 3; ++a) {
    if (direction[a] == 0) {
      if (origin[a] < low_[a] || origin[a] > high_[a]) return {0, 0};
      continue;
    }
    const float t0 = (low_[a] - origin[a]) / direction[a], t1 = (high_[a] - origin[a]) / direction[a];
    result.entry = std::max(result.entry, std::min(t0, t1));
    result.exit = std::min(result.exit, std::max(t0, t1));
  }
  return result;
}

// Trilinear between cell centres, constant beyond the outermost; `cell` in cells from the low corner.
float SmokeBox::at(const std::vector<float>& field, const Vec3f& cell) const {
  std::array<int, 3> i;
  Vec3f f;
  for (int a = 0; a < 3; ++a) {
    const int last = cells_[static_cast<std::size_t>(a)] - 1;
    const float x = std::clamp(cell[a] - 0.5f, 0.0f, static_cast<float>(last));
    i[static_cast<std::size_t>(a)] = std::min(static_cast<int>(x), std::max(0, last - 1));
    f[a] = x - static_cast<float>(i[static_cast<std::size_t>(a)]);
  }
  const std::size_t dx = cells_[0] > 1 ? 1 : 0;
  const std::size_t dy = cells_[1] > 1 ? static_cast<std::size_t>(cells_[0]) : 0;
  const std::size_t dz =
      cells_[2] > 1 ? static_cast<std::size_t>(cells_[0]) * static_cast<std::size_t>(cells_[1]) : 0;
  const float* v = field.data() +
                   (static_cast<std::size_t>(i[2]) * static_cast<std::size_t>(cells_[1]) +
                    static_cast<std::size_t>(i[1])) *
                       static_cast<std::size_t>(cells_[0]) +
                   static_cast<std::size_t>(i[0]);
  const float low = mix(mix(v[0], v[dx], f.x()), mix(v[dy], v[dy + dx], f.x()), f.y());
  const float high = mix(mix(v[dz], v[dz + dx], f.x()), mix(v[dz + dy], v[dz + dy + dx], f.x()), f.y());
  return mix(low, high, f.z());
}

// Visits (cell, length of step) through every brick that is not empty until visit() returns false.
template <class Visit>
void SmokeBox::walk(const Vec3f& origin, const Vec3f& direction, Span span, float jitter,
                    float cells_per_step, Visit&& visit) const {
  if (span.entry >= span.exit) return;
  const Vec3f start = (origin - low_) / cell_size_, slope = direction / cell_size_;
  const float step = cells_per_step * cell_size_;
  std::array<int, 3> brick, ahead;
  Vec3f next, delta;
  for (int a = 0; a < 3; ++a) {
    const auto s = static_cast<std::size_t>(a);
    const float x = start[a] + slope[a] * span.entry;
    brick[s] = std::clamp(static_cast<int>(std::floor(x / kBrick)), 0, bricks_[s] - 1);
    ahead[s] = slope[a] > 0 ? 1 : -1;
    const float wall = static_cast<float>((brick[s] + (slope[a] > 0 ? 1 : 0)) * kBrick);
    next[a] = slope[a] != 0 ? (wall - start[a]) / slope[a] : kInfinity;
    delta[a] = slope[a] != 0 ? kBrick / std::abs(slope[a]) : kInfinity;
  }
  for (float t = span.entry; t < span.exit;) {
    int axis = 0;
    const float leave = next.minCoeff(&axis);
    const float end = std::min(leave, span.exit);
    const auto b = static_cast<std::size_t>((brick[2] * bricks_[1] + brick[1]) * bricks_[0] + brick[0]);
    if (brick_max_[b] > 0 && end > t) {
      const int steps = static_cast<int>(std::ceil((end - t) / step));
      const float length = (end - t) / static_cast<float>(steps);
      for (int i = 0; i < steps; ++i) {
        const Vec3f cell = start + slope * (t + (static_cast<float>(i) + jitter) * length);
        if (!visit(cell, length)) return;
      }
    }
    t = std::max(t, end);
    const auto s = static_cast<std::size_t>(axis);
    brick[s] += ahead[s];
    if (brick[s] < 0 || brick[s] >= bricks_[s]) return;
    next[axis] += delta[axis];
  }
}

float SmokeBox::optical_depth(const Vec3f& origin, const Vec3f& direction, Span span, float jitter,
                              float cells_per_step) const {
  float depth = 0;
  walk(origin, direction, span, jitter, cells_per_step, [&](const Vec3f& cell, float length) {
    depth += at(extinction_, cell) * length;
    return depth < 12;
  });
  return depth;
}

// Radiance a dense piece of smoke would show here: the light that arrives and is scattered towards the eye.
Rgb SmokeBox::source(const Vec3f& cell, float extinction, float& emitted) const {
  emitted = heat_.empty() ? 0 : at(heat_, cell);
  if (extinction <= 0 || light_.empty()) return Rgb::Zero();
  std::array<int, 3> i;
  Vec3f f;
  for (int a = 0; a < 3; ++a) {
    const auto s = static_cast<std::size_t>(a);
    const int last = light_cells_[s] - 1;
    const float x =
        std::clamp(cell[a] / static_cast<float>(light_stride_) - 0.5f, 0.0f, static_cast<float>(last));
    i[s] = std::min(static_cast<int>(x), std::max(0, last - 1));
    f[a] = x - static_cast<float>(i[s]);
  }
  float sun = 0, sky = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const int cx = corner & 1, cy = corner >> 1 & 1, cz = corner >> 2;
    const float w = (cx ? f.x() : 1 - f.x()) * (cy ? f.y() : 1 - f.y()) * (cz ? f.z() : 1 - f.z());
    const int x = std::min(i[0] + cx, light_cells_[0] - 1), y = std::min(i[1] + cy, light_cells_[1] - 1),
              z = std::min(i[2] + cz, light_cells_[2] - 1);
    const auto& here = light_[static_cast<std::size_t>((z * light_cells_[1] + y) * light_cells_[0] + x)];
    sun += w * here[0];
    sky += w * here[1];
  }
  return albedo_ * (sun_ * sun + sky_ * sky + below_);
}

SmokeBox::Result SmokeBox::march(const Vec3f& origin, const Vec3f& direction, Span span, float jitter,
                                 float cells_per_step) const {
  Result result;
  walk(origin, direction, span, jitter, cells_per_step, [&](const Vec3f& cell, float length) {
    const float extinction = at(extinction_, cell);
    float heat;
    const Rgb scattered = source(cell, extinction, heat);
    const float kept = std::exp(-extinction * length);
    Rgb gained = scattered * (1 - kept);
    if (heat > 0) {
      const float reach = (high_ - low_).minCoeff();
      gained += glow(heat) * (kGlow * length / reach);
    }
    result.radiance += result.through * gained;
    result.through *= kept;
    if (result.through > kOpaque) return true;
    result.through = 0;
    return false;
  });
  return result;
}

// Shadow rays from the middle of every light cell: one to the sun, five to the sky. A second and third copy
// with less extinction stand for light scattered more than once. [Wrenninge13 eq. 7, a = 0.5, b = 0.35]
void SmokeBox::light_up(const Light& light, const Rgb& ground_radiance,
                        FunctionRef<float(const Vec3f&)> sun_visible) {
  sun_ = light.sun_irradiance() / (4 * kPi);
  sky_ = light.sky_mean() * 0.65f;
  below_ = ground_radiance * 0.2f;
  light_stride_ = std::max({cells_[0], cells_[1], cells_[2]}) > 160 ? 2 : 1;
  for (std::size_t a = 0; a < 3; ++a) light_cells_[a] = (cells_[a] + light_stride_ - 1) / light_stride_;
  const std::size_t rows =
      static_cast<std::size_t>(light_cells_[1]) * static_cast<std::size_t>(light_cells_[2]);
  light_.assign(rows * static_cast<std::size_t>(light_cells_[0]), {0, 0});
  const std::array<Vec3f, 5> up = {Vec3f(0, 1, 0), Vec3f(0.8f, 0.6f, 0), Vec3f(-0.8f, 0.6f, 0),
                                   Vec3f(0, 0.6f, 0.8f), Vec3f(0, 0.6f, -0.8f)};
  auto fill = [&](std::size_t index, const Vec3f& cell) {
    const Vec3f position = low_ + cell_size_ * cell;
    const Vec3f& sun = light.sun_direction();
    const float depth = optical_depth(position, sun, span(position, sun, kInfinity), 0.5f, 1.5f);
    const float sun_share =
        (std::exp(-depth) + 0.5f * std::exp(-0.35f * depth) + 0.25f * std::exp(-0.12f * depth)) *
        (light.has_sun() ? sun_visible(position) : 0.0f);
    float sky_share = 0;
    for (const Vec3f& direction : up) {
      const float d = optical_depth(position, direction, span(position, direction, kInfinity), 0.5f, 4.0f);
      sky_share += 0.2f * (0.6f * std::exp(-d) + 0.4f * std::exp(-0.25f * d));
    }
    light_[index] = {sun_share, sky_share};
  };
  parallel_for(
      rows,
      [&](std::size_t row) {
        const auto stride = static_cast<float>(light_stride_);
        for (int x = 0; x < light_cells_[0]; ++x) {
          const Vec3f middle(static_cast<float>(x) + 0.5f,
                             static_cast<float>(row % static_cast<std::size_t>(light_cells_[1])) + 0.5f,
                             static_cast<float>(row / static_cast<std::size_t>(light_cells_[1])) + 0.5f);
          const Vec3f cell = middle * stride;
          std::size_t brick = 0;
          for (int a = 2; a >= 0; --a) {
            const auto s = static_cast<std::size_t>(a);
            brick = brick * static_cast<std::size_t>(bricks_[s]) +
                    std::min(static_cast<std::size_t>(cell[a] / kBrick),
                             static_cast<std::size_t>(bricks_[s] - 1));
          }
          if (brick_max_[brick] > 0)
            fill(row * static_cast<std::size_t>(light_cells_[0]) + static_cast<std::size_t>(x), cell);
        }
      },
      8);
}

}  // namespace selkie::render::detail
