// The same boxes for every engine: unit cubes of 1 kg. "pyramid": 14 square layers, 1015 boxes, 1 cm apart sideways;
// "pile": a thousand boxes turned at random that fall into a heap. Numbers from a linear congruential generator,
// so that all engines get the same bits.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

struct PeerBox {
  double position[3];
  double turn[4];  // x, y, z, w
};

inline std::vector<PeerBox> peer_boxes(const std::string& scene) {
  std::vector<PeerBox> boxes;
  if (scene == "pyramid") {
    for (int layer = 0; layer < 14; ++layer)
      for (int i = 0; i < 14 - layer; ++i)
        for (int j = 0; j < 14 - layer; ++j) {
          const double middle = 0.5 * (13 - layer);
          boxes.push_back({{(i - middle) * 1.01, 0.5 + layer, (j - middle) * 1.01}, {0, 0, 0, 1}});
        }
    return boxes;
  }
  std::uint32_t seed = 12345;
  auto random = [&] {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) / 16777216.0;
  };
  for (int y = 0; y < 10; ++y)
    for (int i = 0; i < 10; ++i)
      for (int j = 0; j < 10; ++j) {
        PeerBox box;
        box.position[0] = (i - 4.5) * 1.5 + 0.2 * (random() - 0.5);
        box.position[1] = 1.5 + y * 1.8;
        box.position[2] = (j - 4.5) * 1.5 + 0.2 * (random() - 0.5);
        double length = 0;
        for (double& q : box.turn) q = 2 * random() - 1, length += q * q;
        for (double& q : box.turn) q /= std::sqrt(length);
        boxes.push_back(box);
      }
  return boxes;
}
