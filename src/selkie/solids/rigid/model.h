// Model of a set of rigid bodies: what never changes after building. Bodies themselves come and go at run
// time and live in State; only the room for them is fixed here.
#pragma once

#include <cstdint>

namespace selkie::rigid {

struct Model {
  std::uint32_t most_bodies = 2000;  // pairs are tested each against each, so a thousand is many
};

}  // namespace selkie::rigid
