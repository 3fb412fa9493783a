// Pairs kept from step to step are those that a fresh search finds.
#include "selkie/contact/body_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "selkie/core/random.h"
#include "selkie/math/random_vector.h"

namespace selkie::contact {
namespace {

using Pair = BodyPairs::Pair;

// Boxes that drift; those at the end faster than those at the beginning, half of which stand still.
struct Crowd {
  std::vector<Bounds> boxes;
  std::vector<Vec3> ways;
  std::vector<double> margins;
  RandomStream random{7, 1};

  void add(double speed) {
    const Vec3 low = 6 * random_vector(random, 0, 1);
    const Vec3 size = random_vector(random, 0.1, 1);
    boxes.push_back({low, low + size});
    ways.push_back(speed * random_vector(random, -1, 1));
    margins.push_back(0.02);
  }
  void move() {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (random.uniform(0, 1) < 0.05) ways[i] *= -1;
      boxes[i].low += ways[i], boxes[i].high += ways[i];
    }
  }
  std::vector<Pair> meeting() const {
    std::vector<Pair> pairs;
    for (std::uint32_t a = 0; a < boxes.size(); ++a)
      for (std::uint32_t b = a + 1; b < boxes.size(); ++b)
        if (boxes[a].meets(boxes[b])) pairs.emplace_back(a, b);
    return pairs;
  }
};

std::vector<Pair> found(const Crowd& crowd, const BodyPairs& pairs) {
  std::vector<Pair> kept;
  for (const Pair& pair : pairs.near())
    if (crowd.boxes[pair.first].meets(crowd.boxes[pair.second])) kept.push_back(pair);
  return kept;
}

TEST(BodyPairs, AreThoseOfAFreshSearchWhateverHappenedBefore) {
  Crowd crowd;
  for (int n = 0; n < 200; ++n) crowd.add(n < 100 ? 0 : 1e-3 * (n - 100));
  BodyPairs pairs;
  for (int step = 0; step < 120; ++step) {
    pairs.update(crowd.boxes, crowd.ways, crowd.margins);
    ASSERT_EQ(found(crowd, pairs), crowd.meeting()) << "step " << step;
    ASSERT_TRUE(std::is_sorted(pairs.near().begin(), pairs.near().end()));
    crowd.move();
    if (step == 40)
      for (int n = 0; n < 30; ++n) crowd.add(0.01);
    if (step == 80) crowd.boxes.resize(150), crowd.ways.resize(150), crowd.margins.resize(150);
  }
}

TEST(BodyPairs, ThatWereWideForSpeedAreNarrowAgainAtRest) {
  Crowd crowd;
  crowd.boxes = {{Vec3(0, 0, 0), Vec3(1, 1, 1)}, {Vec3(3, 0, 0), Vec3(4, 1, 1)}};
  crowd.ways = {Vec3(1, 0, 0), Vec3::Zero()}, crowd.margins = {0.02, 0.02};
  BodyPairs pairs;
  pairs.update(crowd.boxes, crowd.ways, crowd.margins);
  EXPECT_EQ(pairs.near().size(), 1u) << "on its way there";
  crowd.ways[0].setZero();
  pairs.update(crowd.boxes, crowd.ways, crowd.margins);
  EXPECT_TRUE(pairs.near().empty());
}

TEST(BodyTree, FindsItemsThatAllLieInOnePlace) {
  const std::vector<Bounds> boxes(300, Bounds{Vec3::Zero(), Vec3::Ones()});
  BodyTree tree;
  tree.update(boxes);
  std::size_t count = 0;
  tree.each_meeting(boxes[0], [&](std::uint32_t) { ++count; });
  EXPECT_EQ(count, boxes.size());
}

}  // namespace
}  // namespace selkie::contact
