// The smallest program on an installed Selkie: compiles a formula, integrates it in parallel with a result
// that does not depend on the number of threads, and shows how a mistake of the user's is reported.
#include <cmath>
#include <cstdio>

#include "selkie/core/error.h"
#include "selkie/core/expression.h"
#include "selkie/core/parallel.h"
#include "selkie/math/types.h"

int main() {
  try {
    const selkie::Expression height("0.2*sin(2*pi*t)", {"t"});
    std::printf("height(0.25) = %g m\n", height(0.25));

    // Length of a helix by summing chords; exact: sqrt(1 + (2 pi)^2) = 6.3623.
    constexpr std::size_t kChords = 100000;
    auto point = [](std::size_t i) {
      const double t = static_cast<double>(i) / kChords, angle = 6.283185307179586 * t;
      return selkie::Vec3(std::cos(angle), std::sin(angle), t);
    };
    const double length =
        selkie::deterministic_sum(kChords, [&](std::size_t i) { return (point(i + 1) - point(i)).norm(); });
    std::printf("helix length = %.4f on %d thread(s)\n", length, selkie::thread_count());

    const selkie::Expression wrong("sin(t", {"t"});
  } catch (const selkie::InputError& error) {
    std::printf("as expected: %s\n", error.what());
    return 0;
  }
  return 1;
}
