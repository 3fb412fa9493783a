// Counts the vertices of a file with coordinates that are not finite. Readers go on after the first, so that
// the message can say how many there are beside where the first stands.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

namespace selkie::io::detail {

class NonFinite {
 public:
  static constexpr const char* kRemedy = "replace NaN and infinite coordinates, or export the mesh again";

  // A coordinate of vertex `index`, and where in the file it was read. Vertices come one after the other.
  void see(std::uint64_t index, double coordinate, std::size_t place = 0) {
    if (std::isfinite(coordinate) || (count_ > 0 && index == last_)) return;
    if (count_++ == 0) first_ = index, place_ = place;
    last_ = index;
  }

  bool any() const { return count_ > 0; }

  // For vertices: "3 vertices are not finite, the first is vertex 7".
  std::string problem(const std::string& one = "vertex", const std::string& many = "vertices") const {
    const std::string first = one + " " + std::to_string(first_);
    if (count_ == 1) return first + " is not finite";
    return std::to_string(count_) + " " + many + " are not finite, the first is " + first;
  }

  // Fails at the first, if there is one. `In` is a Scanner or PlySource that still reads the same kind of
  // data.
  template <class In>
  void require_none(In& in, const std::string& one = "vertex", const std::string& many = "vertices") const {
    if (!any()) return;
    in.seek(place_);
    in.fail_here(problem(one, many), kRemedy);
  }

 private:
  std::uint64_t count_ = 0, first_ = 0, last_ = 0;
  std::size_t place_ = 0;
};

}  // namespace selkie::io::detail
