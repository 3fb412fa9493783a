// Shots to the binary frames of docs/viewer-protocol.md. One FrameStream per connection: it numbers the
// frames and leaves out topologies that this connection has already.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "selkie/view/shot.h"

namespace selkie::view {

// A frame as the pieces that are sent one after another; only `head` is made for it, the rest is shared.
struct FrameMessage {
  std::string head;  // magic, length and JSON header
  std::shared_ptr<const Shot> shot;
  std::vector<std::shared_ptr<const Topology>> topologies;

  std::vector<std::span<const std::byte>> pieces() const;
  std::size_t bytes() const;
};

class FrameStream {
 public:
  FrameMessage next(std::shared_ptr<const Shot> shot);
  std::uint64_t last_number() const { return number_; }  // 0: none yet

 private:
  std::uint64_t number_ = 0;
  std::map<std::string, std::uint64_t> known_;  // part to topology
};

}  // namespace selkie::view
