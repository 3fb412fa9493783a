// Views of a water character for whoever looks into it: velocities of faces and vertices, accelerations,
// paths, bones. [Angst07 App. C; SW-45]
#include <utility>

#include "selkie/fluids/surface_water/operators.h"
#include "selkie/sim/systems/surface_water_system.h"

namespace selkie::sim {

namespace sw = surface_water;

void SurfaceWaterSystem::draw_vectors(std::vector<ports::Drawable>& drawn) {
  const sw::Complex& complex = model_.complex;
  const sw::Metric& m = present_metric();
  auto add = [&](const char* part, const char* unit, Arrows& arrows) {
    drawn.push_back({name() + "-" + part, ports::Look::wire, Vec3(0.8, 0.2, 0.1), false,
                     ports::Vectors{part, unit, arrows.origins, arrows.values}});
  };
  auto middle = [&](std::size_t f) {
    return Vec3((state_.positions[complex.vertex[0][f]] + state_.positions[complex.vertex[1][f]] +
                 state_.positions[complex.vertex[2][f]]) /
                3);
  };
  for (Arrows& arrows : arrows_) arrows.origins.clear(), arrows.values.clear();
  if (shows(SurfaceView::velocity)) {
    for (std::size_t f = 0; f < complex.face_count; ++f) {
      const Vec2 v = sw::vector_of(m, f, Vec2(state_.rate_1[f], state_.rate_2[f]));
      arrows_[0].origins.push_back(middle(f));
      arrows_[0].values.push_back(sw::frame_of(complex, m, state_.positions, f).to_space(v));
    }
    add("velocity", "m/s", arrows_[0]);
  }
  if (shows(SurfaceView::vertex_velocity)) {
    // One arrow per face around a vertex: a cone where the surface is curved.
    std::vector<sw::FaceRates> rates(complex.face_count);
    sw::interpolate_to_corners(complex, m, state_.rate_1, state_.rate_2, rates);
    for (std::size_t f = 0; f < complex.face_count; ++f) {
      const sw::Frame frame = sw::frame_of(complex, m, state_.positions, f);
      for (std::size_t c = 0; c < 3; ++c) {
        arrows_[1].origins.push_back(state_.positions[complex.vertex[c][f]]);
        arrows_[1].values.push_back(
            frame.to_space(sw::vector_of(m, f, Vec2(rates[f].corner[c][0], rates[f].corner[c][1]))));
      }
    }
    add("vertex-velocity", "m/s", arrows_[1]);
  }
  if (shows(SurfaceView::acceleration) && !state_.acceleration.empty()) {
    for (std::size_t v = 0; v < complex.vertex_count; ++v) {
      arrows_[2].origins.push_back(state_.positions[v]);
      arrows_[2].values.push_back(-params_.inertia * state_.acceleration[v]);
    }
    add("acceleration", "m/s²", arrows_[2]);
  }
  // What the last step pushed along the surface with: pressure, half of η∇a, and what acts from outside.
  if (shows(SurfaceView::face_acceleration) && work_.pull.size() == complex.face_count) {
    for (std::size_t f = 0; f < complex.face_count; ++f) {
      double depth = 0;
      for (std::size_t c = 0; c < 3; ++c) depth += state_.depth[complex.vertex[c][f]] / 3;
      const Vec2 along = work_.pull[f] * sw::gradient(complex, m, state_.depth, f) +
                         depth * Vec2(work_.slope_x[f], work_.slope_y[f]) +
                         Vec2(work_.force_x[f], work_.force_y[f]);
      arrows_[3].origins.push_back(middle(f));
      arrows_[3].values.push_back(sw::frame_of(complex, m, state_.positions, f).to_space(along));
    }
    add("face-acceleration", "m/s²", arrows_[3]);
  }
}

// The bottom of the water, H below the mesh.
void SurfaceWaterSystem::draw_bottom(std::vector<ports::Drawable>& drawn) {
  const sw::Metric& m = present_metric();
  bottom_points_.clear();
  for (std::size_t v = 0; v < state_.positions.size(); ++v)
    bottom_points_.push_back(state_.positions[v] - model_.bottom[v] * m.vertex_normal[v]);
  drawn.push_back({name() + "-bottom", ports::Look::matte, scene_.mesh_colour, false,
                   ports::TriangleSurface{bottom_points_, model_.complex.triangles, {}}});
}

// To where the water was a tenth of a second ago: from the middle of each face through the velocities of the
// faces on its way, or straight on with its own [SW-18], or from each vertex.
void SurfaceWaterSystem::draw_traces(std::vector<ports::Drawable>& drawn) {
  constexpr double kBack = 0.1;  // s
  constexpr double kMiddle[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3};
  const sw::Complex& complex = model_.complex;
  const sw::Metric& m = present_metric();
  std::vector<sw::FaceRates> rates(complex.face_count);
  sw::interpolate_to_corners(complex, m, state_.rate_1, state_.rate_2, rates);
  auto place = [&](std::size_t f, const double(&beta)[3]) {
    Vec3 p = Vec3::Zero();
    for (std::size_t c = 0; c < 3; ++c) p += beta[c] * state_.positions[complex.vertex[c][f]];
    return p;
  };
  auto draw = [&](SurfaceView view, const char* part, Lines& lines, std::size_t count, auto&& path) {
    if (!shows(view)) return;
    lines.points.clear(), lines.segments.clear();
    for (std::uint32_t k = 0; k < count; ++k) {
      const auto [start, end] = path(k);
      lines.points.push_back(start);
      lines.points.push_back(place(end.face, end.beta));
      lines.segments.push_back({2 * k, 2 * k + 1});
    }
    drawn.push_back({name() + "-" + part, ports::Look::wire, Vec3(0.1, 0.5, 0.2), false,
                     ports::Curves{lines.points, lines.segments, 0, {}}});
  };
  draw(SurfaceView::traces, "traces", traces_[0], complex.face_count, [&](std::uint32_t f) {
    return std::pair(place(f, kMiddle), sw::trace(complex, m, rates, f, kMiddle, kBack));
  });
  draw(SurfaceView::straight_traces, "straight-traces", traces_[1], complex.face_count, [&](std::uint32_t f) {
    const Vec2 velocity = sw::vector_of(m, f, Vec2(state_.rate_1[f], state_.rate_2[f]));
    return std::pair(place(f, kMiddle), sw::trace_straight(complex, m, f, kMiddle, velocity, kBack));
  });
  draw(SurfaceView::vertex_traces, "vertex-traces", traces_[2], complex.vertex_count, [&](std::uint32_t v) {
    return std::pair(state_.positions[v], sw::trace_vertex(complex, m, rates, v, kBack));
  });
}

void SurfaceWaterSystem::draw_skeleton(std::vector<ports::Drawable>& drawn) {
  SurfaceMotion& motion = scene_.motion;
  if (motion.skeleton.joints.empty()) return;
  motion.joints(bone_points_);
  bone_lines_.clear();
  for (std::uint32_t j = 0; j < motion.skeleton.joints.size(); ++j)
    if (motion.skeleton.joints[j].parent >= 0)
      bone_lines_.push_back({static_cast<std::uint32_t>(motion.skeleton.joints[j].parent), j});
  drawn.push_back({name() + "-skeleton", ports::Look::wire, Vec3(0.9, 0.85, 0.6), false,
                   ports::Curves{bone_points_, bone_lines_, 0.01, {}}});
}

}  // namespace selkie::sim
