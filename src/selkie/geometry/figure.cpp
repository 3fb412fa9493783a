// A figure of tapered limbs blended into one smooth body, meshed as the boundary of its fitted lattice
// (tetrahedra/stuffing.h). It stands with its arms away from the body and looks along +x.
#include "selkie/geometry/figure.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "selkie/geometry/detail/generator_input.h"
#include "selkie/geometry/detail/stuffed_ball.h"
#include "selkie/math/rotation.h"

namespace selkie::geometry {
namespace {

// Lengths as shares of the height; pairs are given on the side of +z.
enum JointIndex : std::uint32_t {
  kPelvis,
  kSpine,
  kNeck,
  kHead,
  kArmL,
  kForearmL,
  kArmR,
  kForearmR,
  kThighL,
  kCalfL,
  kFootL,
  kThighR,
  kCalfR,
  kFootR,
  kJointCount
};

struct Limb {
  std::uint32_t joint;
  Vec3 a, b;
  double radius_a, radius_b;
};

Vec3 mirrored(const Vec3& p) { return Vec3(p.x(), p.y(), -p.z()); }

struct JointPlace {
  const char* name;
  std::int32_t parent;
  Vec3 at;
};
std::vector<JointPlace> joint_places() {
  const Vec3 shoulder(0, 0.785, 0.105), elbow(0, 0.665, 0.225), hip(0, 0.51, 0.072),
      knee(0.012, 0.285, 0.092), ankle(-0.01, 0.055, 0.108);
  return {{"pelvis", -1, {0, 0.53, 0}},
          {"spine", kPelvis, {0, 0.64, 0}},
          {"neck", kSpine, {0, 0.82, 0}},
          {"head", kNeck, {0, 0.87, 0}},
          {"arm-left", kSpine, shoulder},
          {"forearm-left", kArmL, elbow},
          {"arm-right", kSpine, mirrored(shoulder)},
          {"forearm-right", kArmR, mirrored(elbow)},
          {"thigh-left", kPelvis, hip},
          {"calf-left", kThighL, knee},
          {"foot-left", kCalfL, ankle},
          {"thigh-right", kPelvis, mirrored(hip)},
          {"calf-right", kThighR, mirrored(knee)},
          {"foot-right", kCalfR, mirrored(ankle)}};
}

std::vector<Limb> limbs() {
  std::vector<Limb> all{{kNeck, {0, 0.79, 0}, {0, 0.87, 0}, 0.042, 0.036},
                        {kHead, {0.006, 0.9, 0}, {0.006, 0.935, 0}, 0.056, 0.065}};
  const std::vector<Limb> pairs{{kPelvis, {0, 0.52, 0.045}, {0, 0.61, 0.035}, 0.076, 0.066},
                                {kSpine, {0, 0.62, 0.032}, {0, 0.755, 0.058}, 0.066, 0.07},
                                {kArmL, {0, 0.785, 0.105}, {0, 0.665, 0.225}, 0.042, 0.034},
                                {kForearmL, {0, 0.665, 0.225}, {0.03, 0.545, 0.325}, 0.034, 0.03},
                                {kThighL, {0, 0.51, 0.072}, {0.012, 0.285, 0.092}, 0.07, 0.049},
                                {kCalfL, {0.012, 0.285, 0.092}, {-0.01, 0.06, 0.108}, 0.049, 0.036},
                                {kFootL, {-0.015, 0.04, 0.108}, {0.1, 0.034, 0.125}, 0.038, 0.034}};
  constexpr std::uint32_t kRight[] = {kPelvis, kSpine, kArmR, kForearmR, kThighR, kCalfR, kFootR};
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    all.push_back(pairs[k]);
    all.push_back(
        {kRight[k], mirrored(pairs[k].a), mirrored(pairs[k].b), pairs[k].radius_a, pairs[k].radius_b});
  }
  return all;
}

// Negative inside a capsule whose radius changes along its axis.
double outside(const Limb& limb, const Vec3& p) {
  const Vec3 axis = limb.b - limb.a;
  const double t = std::clamp((p - limb.a).dot(axis) / axis.squaredNorm(), 0.0, 1.0);
  return (p - limb.a - t * axis).norm() - ((1 - t) * limb.radius_a + t * limb.radius_b);
}

// The lesser of two distances, rounded where they are within `blend` of each other.
double smooth_min(double a, double b, double blend) {
  const double h = std::max(blend - std::abs(a - b), 0.0) / blend;
  return std::min(a, b) - 0.25 * blend * h * h;
}

// Weights fall with the distance to a limb's skin; the four nearest joints count.
SkinWeight weights_at(const std::vector<Limb>& all, const Vec3& p) {
  std::array<double, kJointCount> near{};
  for (const Limb& limb : all) {
    const double d = std::max(0.0, outside(limb, p)) + 0.012;
    near[limb.joint] = std::max(near[limb.joint], 1 / (d * d * d * d));
  }
  SkinWeight skin;
  double sum = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const auto best = std::max_element(near.begin(), near.end());
    skin.joints[k] = static_cast<std::uint32_t>(best - near.begin());
    skin.weights[k] = *best;
    sum += *best;
    *best = 0;
  }
  for (double& w : skin.weights) w /= sum;
  return skin;
}

// A clip from angles as functions of the phase: rotation vectors per joint, and the pelvis's rise.
template <class Turn, class Rise>
Clip make_clip(const char* name, double duration, const Skeleton& skeleton, Turn&& turn, Rise&& rise) {
  constexpr int kKeys = 32;
  Clip clip{name, duration, {}};
  for (std::uint32_t j = 0; j < skeleton.joints.size(); ++j) {
    Channel channel;
    channel.joint = j;
    for (int k = 0; k <= kKeys; ++k) {
      const double phase = 2 * std::numbers::pi * k / kKeys, time = duration * k / kKeys;
      channel.rotation_times.push_back(time);
      channel.rotations.push_back(quaternion_from_vector(turn(j, phase)));
      if (j != kPelvis) continue;
      channel.translation_times.push_back(time);
      channel.translations.push_back(skeleton.joints[j].rest.translation + Vec3(0, rise(phase), 0));
    }
    clip.channels.push_back(std::move(channel));
  }
  return clip;
}

// Rotation vectors of a walk; about +z a leg swings forwards.
Vec3 walking(std::uint32_t joint, double phase) {
  const bool right =
      joint == kArmR || joint == kForearmR || joint == kThighR || joint == kCalfR || joint == kFootR;
  const double p = right ? phase + std::numbers::pi : phase;
  const double lift = std::max(0.0, std::sin(p + 2.0));
  switch (joint) {
    case kSpine:
      return {0, 0.12 * std::sin(phase), -0.05};
    case kHead:
      return {0, -0.1 * std::sin(phase), 0.05};
    case kArmL:
      return {0.4, 0, -0.55 * std::sin(p)};
    case kArmR:
      return {-0.4, 0, -0.55 * std::sin(p)};
    case kForearmL:
    case kForearmR:
      return {0, 0, 0.35 - 0.2 * std::sin(p)};
    case kThighL:
    case kThighR:
      return {0, 0, 0.06 + 0.48 * std::sin(p)};
    case kCalfL:
    case kCalfR:
      return {0, 0, -0.12 - 0.85 * lift * lift};
    case kFootL:
    case kFootR:
      return {0, 0, 0.08 - 0.2 * std::sin(p)};
    default:
      return Vec3::Zero();
  }
}

Vec3 waving(std::uint32_t joint, double phase) {
  const double swing = 0.5 - 0.5 * std::cos(phase);
  switch (joint) {
    case kSpine:
      return {0.12 * std::sin(phase), 0, 0};
    case kArmL:
      return {-1.3 * swing, 0, 0};
    case kArmR:
      return {1.3 * swing, 0, 0};
    case kForearmL:
      return {-0.3 * std::sin(2 * phase), 0, 0};
    case kForearmR:
      return {0.3 * std::sin(2 * phase), 0, 0};
    default:
      return Vec3::Zero();
  }
}

Skeleton make_skeleton(const Eigen::Affine3d& place, double height) {
  Skeleton skeleton;
  const std::vector<JointPlace> places = joint_places();
  for (const JointPlace& p : places) {
    Joint joint{p.name, p.parent, {}};
    if (p.parent < 0) {
      joint.rest.translation = place * p.at;
      joint.rest.rotation = Quat(place.rotation());
    } else {
      joint.rest.translation = height * (p.at - places[static_cast<std::size_t>(p.parent)].at);
    }
    skeleton.joints.push_back(joint);
  }
  bind_at_rest(skeleton);
  // The pelvis keeps the heading of the figure.
  const Quat heading = skeleton.joints[kPelvis].rest.rotation;
  skeleton.clips.push_back(make_clip("walk", 1, skeleton, walking, [&](double phase) {
    return 0.012 * height * (std::cos(2 * phase) - 1);
  }));
  skeleton.clips.push_back(make_clip("wave", 1.6, skeleton, waving, [](double) { return 0.0; }));
  for (Clip& clip : skeleton.clips)
    for (Quat& q : clip.channels[kPelvis].rotations) q = heading * q;
  return skeleton;
}

}  // namespace

Figure figure(const FigureShape& shape) {
  detail::require(shape);
  const std::vector<Limb> all = limbs();
  // The lattice starts where 29 divisions give 1350 vertices, the size of the source's figure (1346).
  const BoundingBox box(Vec3(-0.2, -0.048, -0.42), Vec3(0.22, 1.04, 0.42));
  auto inside = [&](const Vec3& p) {
    double least = 10;
    for (const Limb& limb : all) least = smooth_min(least, outside(limb, p), 0.025);
    return -least;
  };
  Figure made;
  made.mesh = detail::stuffed_ball(inside, box, shape.divisions);
  for (const Vec3& p : made.mesh.positions) made.skin.push_back(weights_at(all, p));
  const Eigen::Affine3d place = Eigen::Translation3d(shape.foot) *
                                Eigen::AngleAxisd(shape.heading * std::numbers::pi / 180, Vec3::UnitY()) *
                                Eigen::Scaling(shape.height);
  for (Vec3& p : made.mesh.positions) p = place * p;
  made.skeleton = make_skeleton(place, shape.height);
  return made;
}

}  // namespace selkie::geometry
