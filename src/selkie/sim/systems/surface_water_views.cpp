// Views of a water character for whoever looks into it: velocities of faces and vertices, accelerations,
// paths, bones. [Angst07 App. C; SW-45]
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
}

// From the middle of each face to where its water was a tenth of a second ago.
void SurfaceWaterSystem::draw_traces(std::vector<ports::Drawable>& drawn) {
  constexpr double kBack = 0.1;  // s
  const sw::Complex& complex = model_.complex;
  const sw::Metric& m = present_metric();
  std::vector<sw::FaceRates> rates(complex.face_count);
  for (std::size_t f = 0; f < complex.face_count; ++f)
    rates[f].face[0] = state_.rate_1[f], rates[f].face[1] = state_.rate_2[f];
  trace_points_.clear(), trace_lines_.clear();
  constexpr double kMiddle[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3};
  auto place = [&](std::size_t f, const double(&beta)[3]) {
    Vec3 p = Vec3::Zero();
    for (std::size_t c = 0; c < 3; ++c) p += beta[c] * state_.positions[complex.vertex[c][f]];
    return p;
  };
  for (std::uint32_t f = 0; f < complex.face_count; ++f) {
    const sw::TraceEnd end = sw::trace(complex, m, rates, f, kMiddle, kBack);
    const auto first = static_cast<std::uint32_t>(trace_points_.size());
    trace_points_.push_back(place(f, kMiddle));
    trace_points_.push_back(place(end.face, end.beta));
    trace_lines_.push_back({first, first + 1});
  }
  drawn.push_back({name() + "-traces", ports::Look::wire, Vec3(0.1, 0.5, 0.2), false,
                   ports::Curves{trace_points_, trace_lines_, 0, {}}});
}

void SurfaceWaterSystem::draw_skeleton(std::vector<ports::Drawable>& drawn) {
  SurfaceMotion& motion = scene_.motion;
  if (motion.skeleton.joints.empty()) return;
  if (motion.work.world.empty()) geometry::blend(motion.skeleton, {}, 0, motion.work);
  bone_points_.clear(), bone_lines_.clear();
  for (const auto& joint : motion.work.world) bone_points_.push_back(joint.translation() + state_.offset);
  for (std::uint32_t j = 0; j < motion.skeleton.joints.size(); ++j)
    if (motion.skeleton.joints[j].parent >= 0)
      bone_lines_.push_back({static_cast<std::uint32_t>(motion.skeleton.joints[j].parent), j});
  drawn.push_back({name() + "-skeleton", ports::Look::wire, Vec3(0.9, 0.85, 0.6), false,
                   ports::Curves{bone_points_, bone_lines_, 0.01, {}}});
}

}  // namespace selkie::sim
