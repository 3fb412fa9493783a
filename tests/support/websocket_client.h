// A plain WebSocket client on a blocking socket (RFC 6455), for tests and benchmarks of the viewer's server.
// Small on purpose: it can also send what a browser never would.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace selkie::test {

class PlainSocket {
 public:
  explicit PlainSocket(std::uint16_t port) : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("cannot connect");
    const int on = 1;
    ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  ~PlainSocket() { ::close(descriptor_); }
  PlainSocket(const PlainSocket&) = delete;
  PlainSocket& operator=(const PlainSocket&) = delete;

  // False when the other side has closed.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // False at the end of the stream, or after `seconds` without a byte.
  bool read(char* into, std::size_t bytes, double seconds) {
    while (bytes > 0) {
      pollfd ready{descriptor_, POLLIN, 0};
      if (::poll(&ready, 1, static_cast<int>(seconds * 1e3)) <= 0) return false;
      const ssize_t got = ::recv(descriptor_, into, bytes, 0);
      if (got <= 0) return false;
      into += got, bytes -= static_cast<std::size_t>(got);
    }
    return true;
  }
  // The answer to one request, up to the end of its header.
  std::string exchange(std::string_view request, double seconds = 5) {
    send(request);
    std::string answer;
    char c = 0;
    while (answer.find("\r\n\r\n") == std::string::npos && read(&c, 1, seconds)) answer += c;
    return answer;
  }

 private:
  int descriptor_;
};

enum class Opcode : unsigned char { text = 1, binary = 2, close = 8, ping = 9, pong = 10 };

struct Incoming {
  Opcode opcode = Opcode::text;
  std::string data;
  int close_code() const {
    return data.size() < 2 ? 0
                           : static_cast<unsigned char>(data[0]) << 8 | static_cast<unsigned char>(data[1]);
  }
};

struct Upgrade {
  std::string token, host = "", origin = "";  // host empty: the right one; origin empty: none
};

inline std::string upgrade_request(std::uint16_t port, const Upgrade& upgrade) {
  const std::string host = upgrade.host.empty() ? "127.0.0.1:" + std::to_string(port) : upgrade.host;
  return "GET /ws?token=" + upgrade.token + " HTTP/1.1\r\nHost: " + host +
         "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
         "Sec-WebSocket-Key: c2Vsa2llLXRlc3Qta2V5IQ==\r\n" +
         (upgrade.origin.empty() ? "" : "Origin: " + upgrade.origin + "\r\n") + "\r\n";
}

class WebSocketClient {
 public:
  WebSocketClient(std::uint16_t port, const Upgrade& upgrade) : socket_(port) {
    status_ = socket_.exchange(upgrade_request(port, upgrade)).substr(0, 12);
    if (status_ != "HTTP/1.1 101") throw std::runtime_error("refused: " + status_);
  }

  bool send(std::string_view data, Opcode opcode = Opcode::text) {
    std::string frame(1, static_cast<char>(0x80 | static_cast<int>(opcode)));
    const std::size_t size = data.size();
    if (size < 126) {
      frame += static_cast<char>(0x80 | size);
    } else {
      const int bytes = size < 65536 ? 2 : 8;
      frame += static_cast<char>(0x80 | (bytes == 2 ? 126 : 127));
      for (int i = bytes - 1; i >= 0; --i) frame += static_cast<char>(size >> 8 * i & 0xff);
    }
    const char mask[4] = {0x12, 0x34, 0x56, 0x78};
    frame.append(mask, 4);
    for (std::size_t i = 0; i < size; ++i) frame += static_cast<char>(data[i] ^ mask[i % 4]);
    return socket_.send(frame);
  }

  // The next message; pings are answered on the way. Nothing when the stream ends or `seconds` pass.
  std::optional<Incoming> receive(double seconds = 10) {
    for (;;) {
      unsigned char head[2];
      if (!socket_.read(reinterpret_cast<char*>(head), 2, seconds)) return std::nullopt;
      std::uint64_t size = head[1] & 0x7f;
      if (size >= 126) {
        unsigned char bytes[8];
        const std::size_t count = size == 126 ? 2 : 8;
        if (!socket_.read(reinterpret_cast<char*>(bytes), count, seconds)) return std::nullopt;
        size = 0;
        for (std::size_t i = 0; i < count; ++i) size = size << 8 | bytes[i];
      }
      Incoming message{static_cast<Opcode>(head[0] & 0x0f), std::string(size, '\0')};
      if (!socket_.read(message.data.data(), size, seconds)) return std::nullopt;
      if (message.opcode == Opcode::ping)
        send(message.data, Opcode::pong);
      else
        return message;
    }
  }

 private:
  PlainSocket socket_;
  std::string status_;
};

}  // namespace selkie::test
