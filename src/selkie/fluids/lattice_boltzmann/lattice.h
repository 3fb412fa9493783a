// The lattices D2Q9 and D3Q19: velocities, weights, opposites, and the equilibrium of the incompressible
// form, in which momentum is Σ e f without a division by density. [Müller08 §10.3; RT-52, erratum E29]
#pragma once

#include <array>

namespace selkie::lattice_boltzmann {

struct D2Q9 {
  static constexpr int kDims = 2, kCount = 9;
  static constexpr std::array<std::array<int, 3>, kCount> kVelocity{{{0, 0, 0},
                                                                     {1, 0, 0},
                                                                     {-1, 0, 0},
                                                                     {0, 1, 0},
                                                                     {0, -1, 0},
                                                                     {1, 1, 0},
                                                                     {1, -1, 0},
                                                                     {-1, 1, 0},
                                                                     {-1, -1, 0}}};
  static constexpr std::array<double, kCount> kWeight{4.0 / 9,  1.0 / 9,  1.0 / 9,  1.0 / 9, 1.0 / 9,
                                                      1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};
  static constexpr std::array<int, kCount> kOpposite{0, 2, 1, 4, 3, 8, 7, 6, 5};
};

struct D3Q19 {
  static constexpr int kDims = 3, kCount = 19;
  static constexpr std::array<std::array<int, 3>, kCount> kVelocity{{{0, 0, 0},
                                                                     {1, 0, 0},
                                                                     {-1, 0, 0},
                                                                     {0, 1, 0},
                                                                     {0, -1, 0},
                                                                     {0, 0, 1},
                                                                     {0, 0, -1},
                                                                     {1, 1, 0},
                                                                     {-1, -1, 0},
                                                                     {1, -1, 0},
                                                                     {-1, 1, 0},
                                                                     {1, 0, 1},
                                                                     {-1, 0, -1},
                                                                     {1, 0, -1},
                                                                     {-1, 0, 1},
                                                                     {0, 1, 1},
                                                                     {0, -1, -1},
                                                                     {0, 1, -1},
                                                                     {0, -1, 1}}};
  static constexpr std::array<double, kCount> kWeight{
      1.0 / 3,  1.0 / 18, 1.0 / 18, 1.0 / 18, 1.0 / 18, 1.0 / 18, 1.0 / 18, 1.0 / 36, 1.0 / 36, 1.0 / 36,
      1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};
  static constexpr std::array<int, kCount> kOpposite{0, 2,  1,  4,  3,  6,  5,  8,  7, 10,
                                                     9, 12, 11, 14, 13, 16, 15, 18, 17};
};

// f_eq = w [ρ + 3 e·u − 1.5 u² + 4.5 (e·u)²]
template <class Lattice, class Real>
constexpr Real equilibrium(int q, Real density, Real ux, Real uy, Real uz) {
  const auto& e = Lattice::kVelocity[static_cast<std::size_t>(q)];
  const Real eu = Real(e[0]) * ux + Real(e[1]) * uy + Real(e[2]) * uz;
  const Real uu = ux * ux + uy * uy + uz * uz;
  return Real(Lattice::kWeight[static_cast<std::size_t>(q)]) *
         (density + Real(3) * eu - Real(1.5) * uu + Real(4.5) * eu * eu);
}

}  // namespace selkie::lattice_boltzmann
