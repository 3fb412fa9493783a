// Letters as thick strokes, meshed as the boundary of a fitted lattice. Only letters without holes, so that
// each is one component with the Euler characteristic of a ball.
#include <algorithm>
#include <cmath>
#include <map>

#include "selkie/geometry/detail/generator_input.h"
#include "selkie/geometry/detail/stuffed_ball.h"
#include "selkie/geometry/figure.h"

namespace selkie::geometry {
namespace {

struct Letter {
  double width = 0.6;
  std::vector<std::vector<Vec2>> strokes;
};

// In units of the height; strokes are 2·kRadius wide.
constexpr double kRadius = 0.105, kGap = 0.1, kRound = 0.04;

const std::map<char, Letter>& alphabet() {
  constexpr double l = kRadius, h = 1 - kRadius, m = 0.5;
  static const std::map<char, Letter> letters{
      {'C',
       {0.66,
        {{{0.55, 0.76}, {0.42, h}, {0.27, h}, {l, 0.7}, {l, 0.3}, {0.27, l}, {0.42, l}, {0.55, 0.24}}}}},
      {'E', {0.6, {{{0.49, h}, {l, h}, {l, l}, {0.49, l}}, {{l, m}, {0.43, m}}}}},
      {'F', {0.58, {{{0.47, h}, {l, h}, {l, l}}, {{l, m}, {0.42, m}}}}},
      {'I', {0.21, {{{l, l}, {l, h}}}}},
      {'L', {0.56, {{{l, h}, {l, l}, {0.45, l}}}}},
      {'M', {0.9, {{{l, l}, {l, h}, {0.45, 0.42}, {0.795, h}, {0.795, l}}}}},
      {'N', {0.7, {{{l, l}, {l, h}, {0.595, l}, {0.595, h}}}}},
      {'S',
       {0.66,
        {{{0.55, 0.78},
          {0.42, h},
          {0.24, h},
          {l, 0.77},
          {0.14, 0.62},
          {0.5, 0.4},
          {0.555, 0.24},
          {0.43, l},
          {0.23, l},
          {l, 0.21}}}}},
      {'T', {0.66, {{{l, h}, {0.555, h}}, {{0.33, h}, {0.33, l}}}}},
      {'U', {0.66, {{{l, h}, {l, 0.3}, {0.24, l}, {0.42, l}, {0.555, 0.3}, {0.555, h}}}}},
      {'V', {0.7, {{{l, h}, {0.35, l}, {0.595, h}}}}},
      {'W', {1.0, {{{l, h}, {0.29, l}, {0.5, 0.68}, {0.71, l}, {0.895, h}}}}},
      {'Z', {0.66, {{{l, h}, {0.555, h}, {l, l}, {0.555, l}}}}},
  };
  return letters;
}

double to_stroke(const std::vector<Vec2>& stroke, const Vec2& p) {
  double least = 1e300;
  for (std::size_t k = 1; k < stroke.size(); ++k) {
    const Vec2 axis = stroke[k] - stroke[k - 1];
    const double t = std::clamp((p - stroke[k - 1]).dot(axis) / axis.squaredNorm(), 0.0, 1.0);
    least = std::min(least, (p - stroke[k - 1] - t * axis).norm());
  }
  return least;
}

}  // namespace

std::vector<Problem> validate(const LettersShape& shape) {
  std::size_t letters = 0;
  for (const char c : shape.text) {
    if (c != ' ' && !alphabet().contains(c))
      return {{"text", std::string("has the letter '") + c + "', which is not known",
               "use C, E, F, I, L, M, N, S, T, U, V, W, Z and spaces"}};
    letters += c != ' ';
  }
  if (letters == 0) return {{"text", "has no letters", "for example \"SWIM\""}};
  if (shape.text.size() > 64) return {{"text", "is longer than 64 letters", "use a shorter one"}};
  return {};
}

TriangleMesh letters(const LettersShape& shape) {
  detail::require(shape);
  TriangleMesh mesh;
  const double depth = shape.depth / shape.height;
  double start = 0;
  for (const char c : shape.text) {
    if (c == ' ') {
      start += 0.4;
      continue;
    }
    const Letter& letter = alphabet().at(c);
    // Strokes cut off at the front and the back, with rounded edges; positive inside.
    auto inside = [&](const Vec3& p) {
      double in_plane = 1e300;
      for (const auto& stroke : letter.strokes)
        in_plane = std::min(in_plane, to_stroke(stroke, Vec2(p.x(), p.y())) - kRadius);
      const double a = in_plane + kRound, b = std::abs(p.z() - 0.5 * depth) - 0.5 * depth + kRound;
      return kRound - std::hypot(std::max(a, 0.0), std::max(b, 0.0)) - std::min(std::max(a, b), 0.0);
    };
    const BoundingBox box(Vec3(-0.08, -0.08, -0.08), Vec3(letter.width + 0.08, 1.08, depth + 0.08));
    const TriangleMesh one = detail::stuffed_ball(inside, box, shape.divisions);
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    for (const Vec3& p : one.positions)
      mesh.positions.push_back(shape.corner + shape.height * (p + Vec3(start, 0, 0)));
    for (const Triangle& t : one.triangles)
      mesh.triangles.push_back({first + t[0], first + t[1], first + t[2]});
    start += letter.width + kGap;
  }
  return mesh;
}

}  // namespace selkie::geometry
