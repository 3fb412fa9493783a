// Extrapolation into unknown samples: which are reached, in which layer, and with which value.
#include "selkie/grid/extrapolate.h"

#include <gtest/gtest.h>

#include "selkie/grid/loops.h"

namespace selkie::grid {
namespace {

// Marks every sample of the place as known where `known` says so.
template <class Known>
Buffer<std::uint8_t> marked(const Shape& shape, Place place, Known&& known) {
  Buffer<std::uint8_t> marks(shape.size(), kUnknown);
  const Box box = sample_box(shape, place);
  for (int k = 0; k < box.hi[2]; ++k)
    for (int j = 0; j < box.hi[1]; ++j)
      for (int i = 0; i < box.hi[0]; ++i)
        marks[static_cast<std::size_t>(shape.at(i, j, k))] = known(i, j, k) ? kKnown : kUnknown;
  return marks;
}

TEST(Extrapolate, CarriesValuesAcrossAPlaneLayerByLayer) {
  for (const int dims : {2, 3}) {
    const Shape shape(dims, {9, 5, 4}, 0.1);
    auto marks = marked(shape, Place::cell, [](int i, int, int) { return i < 4; });
    FillPlan plan;
    plan_fill(shape, Place::cell, 3, marks, plan);
    ASSERT_EQ(plan.ends.size(), 3u);
    const std::size_t rows = static_cast<std::size_t>(5 * (dims == 3 ? 4 : 1));
    EXPECT_EQ(plan.ends[0], rows);
    EXPECT_EQ(plan.ends[2], 3 * rows);
    Buffer<double> field(shape.size(), -1.0);
    const auto f = view(shape, field);
    for (int k = 0; k < (dims == 3 ? 4 : 1); ++k)
      for (int j = 0; j < 5; ++j)
        for (int i = 0; i < 4; ++i) f(i, j, k) = j;
    fill_layers(shape, plan, 2, field);
    EXPECT_EQ(f(4, 2, 0), 2);
    EXPECT_EQ(f(5, 0, 0), 0);
    EXPECT_EQ(f(6, 2, 0), -1) << "the third layer was not asked for";
  }
}

TEST(Extrapolate, TakesTheMeanOfKnownNeighboursOnly) {
  const Shape shape(2, {3, 3, 1}, 1);
  auto marks = marked(shape, Place::cell, [](int i, int j, int) { return i != 1 || j == 0; });
  FillPlan plan;
  plan_fill(shape, Place::cell, 1, marks, plan);
  Buffer<float> field(shape.size(), 100.0f);
  const auto f = view(shape, field);
  f(0, 1, 0) = 1, f(2, 1, 0) = 2, f(1, 0, 0) = 6;
  fill_layers(shape, plan, 1, field);
  EXPECT_EQ(f(1, 1, 0), 3);  // not from (1, 2), which was unknown as well
}

// The last faces of an axis lie at the end of the buffer; what lies around the samples is never read.
TEST(Extrapolate, ReadsNothingOutsideTheSamples) {
  for (const int dims : {2, 3})
    for (const Place place : {Place::cell, Place::face_x, Place::face_y, Place::face_z, Place::node}) {
      if (dims == 2 && place == Place::face_z) continue;
      const Shape shape(dims, {6, 3, 2}, 1);
      const Index n = shape.samples(place);
      auto marks = marked(shape, place, [](int i, int j, int k) { return i == 0 && j == 0 && k == 0; });
      FillPlan plan;
      plan_fill(shape, place, 30, marks, plan);
      EXPECT_EQ(plan.entries.size(), static_cast<std::size_t>(n[0] * n[1] * n[2] - 1));
      Buffer<double> field(shape.size(), 1e300);
      field[static_cast<std::size_t>(shape.at(0, 0, 0))] = 5;
      fill_layers(shape, plan, 30, field);
      for (int k = 0; k < n[2]; ++k)
        for (int j = 0; j < n[1]; ++j)
          for (int i = 0; i < n[0]; ++i)
            EXPECT_EQ(field[static_cast<std::size_t>(shape.at(i, j, k))], 5) << i << " " << j << " " << k;
    }
}

}  // namespace
}  // namespace selkie::grid
