// All connected pages: who has which frame, what waits to be sent, what may be asked. Knows no sockets: each
// client sends through a Pipe. Used on the network thread only.
//
// Flow control: a client gets a frame only after it has acknowledged the one before, and then the newest;
// text that has not been sent is bounded, and newer `scene` and `state` messages replace older ones. A client
// that does not read fills its bound and is dropped; nobody else waits for it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "selkie/view/encode.h"
#include "selkie/view/messages.h"

namespace selkie::view {

// One WebSocket. Each write is answered by Hub::written() when it is done; there is never more than one. No
// call reaches back into the Hub before it returns.
class Pipe {
 public:
  virtual ~Pipe() = default;
  virtual void write_text(std::string text) = 0;
  virtual void write_frame(FrameMessage frame) = 0;
  virtual void close(std::uint16_t code, std::string_view why) = 0;  // with a goodbye
  virtual void drop() = 0;                                           // at once
};

class Hub {
 public:
  using ClientId = std::uint64_t;

  struct Outside {
    // Carries out a command; calls back (on the network thread) with the reply.
    std::function<void(Command, std::function<void(const Reply&)>)> command;
    std::function<void(bool afresh)> request_frame;
  };

  Hub(Outside outside, std::string hello) : outside_(std::move(outside)), hello_(std::move(hello)) {}

  ClientId connect(std::shared_ptr<Pipe> pipe);
  void disconnect(ClientId id);
  void received(ClientId id, std::string_view message, bool is_text);
  void written(ClientId id);
  void dismiss(ClientId id, std::uint16_t code, std::string why);  // after what is queued
  std::size_t client_count() const { return clients_.size(); }

  void scene(Value message, std::uint64_t scene_version);
  void state(Value message);
  void frame(std::shared_ptr<const Shot> shot);
  void say_goodbye(std::string_view why);  // `bye`, then close (1001)

  static constexpr int kMostMalformed = 100;
  static constexpr std::size_t kMostWaitingCommands = 256;
  static constexpr std::size_t kMostTexts = 1024, kMostTextBytes = std::size_t{4} << 20;

 private:
  struct Farewell {
    std::uint16_t code = 0;
    std::string why;
  };
  struct Client {
    std::shared_ptr<Pipe> pipe;
    FrameStream stream;
    std::deque<std::string> texts;
    std::size_t text_bytes = 0;
    bool scene_waits = false, state_waits = false;
    bool writing = false, gone = false;
    std::optional<Farewell> farewell;  // set: what is queued is sent, then the connection closed
    bool acknowledged = true;          // the last frame sent; true before the first
    std::uint64_t version = 0;         // of the last frame sent
    std::size_t last_frame_bytes = 0;
    int malformed = 0;
    std::size_t waiting_commands = 0;
  };

  Client* find(ClientId id);
  void say(ClientId id, std::string text);
  void acknowledge(ClientId id, Client& client, const Request& request, std::uint64_t number);
  void send_next(Client& client);
  void send_next_to_all();
  std::string state_text(const Client& client) const;

  Outside outside_;
  std::string hello_;
  std::map<ClientId, Client> clients_;
  ClientId last_id_ = 0;
  std::string scene_text_;
  std::uint64_t scene_version_ = 0;
  Value state_;
  std::shared_ptr<const Shot> newest_;
};

}  // namespace selkie::view
