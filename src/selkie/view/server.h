// The viewer's server: one HTTP and WebSocket server with one network thread (Boost.Beast, server.cpp).
// Serves the embedded page and joins pages with a Runner. Limits: plain HTTP, meant for this machine or a
// trusted network.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "selkie/view/messages.h"
#include "selkie/view/page_files.h"
#include "selkie/view/runner.h"

namespace selkie::view {

struct ServerOptions {
  std::string host = "127.0.0.1";  // name or address to listen at
  std::uint16_t port = 8765;       // 0: any free one
  std::string token = {};          // empty: a fresh one
  std::string version = {};
  std::vector<SceneChoice> scenes = {};
  std::span<const EmbeddedFile> files = {};
  double client_timeout = 30;  // s without a sign of life
  std::size_t most_clients = 16;
};

class Server {
 public:
  // Listens when this returns. InputError when the host is unknown or the port is taken.
  Server(Runner& runner, ServerOptions options);
  ~Server();  // stop()
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;
  const std::string& token() const;
  std::string url() const;              // with the token
  bool open_to_other_machines() const;  // listens on more than loopback
  std::size_t client_count() const;

  // Says `bye` to every page, closes, and ends the network thread.
  void stop();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace selkie::view
