// libFuzzer target: whatever the bytes, parse_character returns a figure whose skin, joints and clips fit
// together and can be posed, or throws InputError.
#include <algorithm>
#include <cmath>

#include "fuzz_reader.h"
#include "selkie/io/read_character.h"

namespace selkie::fuzz {
namespace {

void expect(bool sound) {
  if (!sound) std::abort();
}

void expect_keys(const std::vector<double>& times, std::size_t values) {
  expect(times.size() == values && std::is_sorted(times.begin(), times.end()));
}

void expect_skeleton(const geometry::Skeleton& skeleton) {
  const std::size_t count = skeleton.joints.size();
  expect(skeleton.bind.size() == count);
  for (std::size_t j = 0; j < count; ++j) expect(skeleton.joints[j].parent < static_cast<std::int32_t>(j));
  for (const geometry::Clip& clip : skeleton.clips) {
    expect(std::isfinite(clip.duration) && clip.duration >= 0);
    for (const geometry::Channel& channel : clip.channels) {
      expect(channel.joint < count);
      expect_keys(channel.translation_times, channel.translations.size());
      expect_keys(channel.rotation_times, channel.rotations.size());
      expect_keys(channel.scale_times, channel.scales.size());
      // Divided by its own length: a few roundings.
      for (const Quat& rotation : channel.rotations) expect(std::abs(rotation.norm() - 1) < 1e-14);
    }
  }
}

void expect_figure(const geometry::Figure& figure) {
  expect_sound(figure.mesh);
  expect_skeleton(figure.skeleton);
  expect(figure.skin.size() == figure.mesh.positions.size());
  for (const geometry::SkinWeight& skin : figure.skin) {
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      expect(skin.joints[k] < figure.skeleton.joints.size() && skin.weights[k] >= 0);
      sum += skin.weights[k];
    }
    expect(std::abs(sum - 1) < 1e-14);  // four rounded quotients
  }
  // Posing must cope; places may overflow where the file's numbers are huge.
  geometry::SkeletonWork work;
  std::vector<Vec3> moved(figure.mesh.positions.size());
  const std::vector<double> weights(figure.skeleton.clips.size(), 0.5);
  for (const double time : {0.0, 0.3, 1e6}) {
    geometry::blend(figure.skeleton, weights, time, work);
    geometry::skin_positions(figure.skin, figure.mesh.positions, work, moved);
  }
}

}  // namespace
}  // namespace selkie::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    selkie::fuzz::expect_figure(selkie::io::parse_character(
        std::string_view(reinterpret_cast<const char*>(data), size), std::string("input")));
  } catch (const selkie::InputError&) {
  }
  return 0;
}
