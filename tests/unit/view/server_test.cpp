// The server with plain clients on real sockets: who gets in, who is thrown out, and that nobody harms
// others.
#include "selkie/view/server.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <future>
#include <random>
#include <sstream>
#include <thread>

#include "decode.h"
#include "selkie/core/error.h"
#include "selkie/sim/input_log.h"
#include "small_stage.h"
#include "support/websocket_client.h"

namespace selkie::view {
namespace {

using test::Incoming;
using test::Opcode;
using test::PlainSocket;
using test::Upgrade;
using test::WebSocketClient;

class Theatre {
 public:
  explicit Theatre(bool paused = true, ServerOptions options = {})
      : session(small_session(paused)), runner(session), server(runner, with_any_port(std::move(options))) {
    runner.start();
  }
  ~Theatre() {
    server.stop();
    runner.stop();
  }

  WebSocketClient client() const { return {server.port(), Upgrade{server.token()}}; }

  // The hash of the world, asked on its own thread.
  std::string hash() {
    std::promise<std::string> answer;
    runner.post(command(CommandKind::hash),
                [&](const Reply& reply) { answer.set_value(text_at(reply.content, "hash")); });
    return answer.get_future().get();
  }

  Session session;
  Runner runner;
  Server server;

 private:
  static ServerOptions with_any_port(ServerOptions options) {
    options.port = 0;
    options.files = page_files();
    options.scenes = {{"small", "a cloth"}};
    return options;
  }
};

// The next text message of this type; frames on the way are acknowledged.
Value wait_for(WebSocketClient& client, const std::string& type, double seconds = 10) {
  for (int n = 0; n < 10000; ++n) {
    const std::optional<Incoming> message = client.receive(seconds);
    if (!message) break;
    if (message->opcode == Opcode::text) {
      Value value = parse_json(message->data);
      if (text_at(value, "type") == type) return value;
    } else if (message->opcode == Opcode::binary) {
      const auto number = static_cast<int>(decode(message->data).header.find("frame_number")->number());
      client.send(R"({"type": "ack", "frame_number": )" + std::to_string(number) + "}");
    }
  }
  ADD_FAILURE() << "no '" << type << "' came";
  return Value{ValueTable{}};
}

std::optional<DecodedFrame> wait_for_frame(WebSocketClient& client, double seconds = 10) {
  while (const std::optional<Incoming> message = client.receive(seconds))
    if (message->opcode == Opcode::binary) return decode(message->data);
  return std::nullopt;
}

int wait_for_close(WebSocketClient& client) {
  while (const std::optional<Incoming> message = client.receive())
    if (message->opcode == Opcode::close) return message->close_code();
  return 0;
}

std::string status_of(const Theatre& theatre, const std::string& request) {
  PlainSocket socket(theatre.server.port());
  return socket.exchange(request).substr(9, 3);
}

TEST(Server, GivesThePageWithSecurityHeadersAndNothingElse) {
  Theatre theatre;
  const std::string host = "Host: 127.0.0.1:" + std::to_string(theatre.server.port()) + "\r\n\r\n";
  PlainSocket socket(theatre.server.port());
  const std::string answer = socket.exchange("GET / HTTP/1.1\r\n" + host);
  EXPECT_EQ(answer.substr(0, 15), "HTTP/1.1 200 OK");
  for (const char* header : {"Content-Security-Policy: default-src 'self'", "X-Content-Type-Options: nosniff",
                             "Referrer-Policy: no-referrer"})
    EXPECT_NE(answer.find(header), std::string::npos) << header;
  EXPECT_EQ(answer.find("Access-Control"), std::string::npos);
  EXPECT_EQ(status_of(theatre, "GET /etc/passwd HTTP/1.1\r\n" + host), "404");
  EXPECT_EQ(status_of(theatre, "GET /../../etc/passwd HTTP/1.1\r\n" + host), "404");
  EXPECT_EQ(status_of(theatre, "DELETE / HTTP/1.1\r\n" + host), "405");
}

TEST(Server, RefusesWrongTokensOriginsAndHosts) {
  Theatre theatre;
  const std::uint16_t port = theatre.server.port();
  const std::string token = theatre.server.token(), own = "127.0.0.1:" + std::to_string(port);
  auto status = [&](const Upgrade& upgrade) {
    return status_of(theatre, test::upgrade_request(port, upgrade));
  };
  EXPECT_EQ(status({""}), "403");
  EXPECT_EQ(status({std::string(32, '0')}), "403");
  EXPECT_EQ(status({token + "0"}), "403");
  EXPECT_EQ(status({token, "", "http://evil.example"}), "403");
  EXPECT_EQ(status({token, "", "null"}), "403");
  EXPECT_EQ(status({token, "evil.example:" + std::to_string(port)}), "403");
  EXPECT_EQ(status_of(theatre, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), "403");
  EXPECT_EQ(status_of(theatre, "GET / HTTP/1.1\r\n\r\n"), "403");
  EXPECT_EQ(status({token, "", "http://" + own}), "101");
  EXPECT_EQ(status({token, "localhost:" + std::to_string(port), "http://localhost:" + std::to_string(port)}),
            "101");
}

TEST(Server, GreetsWithHelloSceneStateAndAFrame) {
  Theatre theatre;
  WebSocketClient client = theatre.client();
  const Value hello = wait_for(client, "hello");
  EXPECT_EQ(hello.find("protocol")->number(), 1);
  EXPECT_EQ(text_at(hello, "mode"), "live");
  EXPECT_EQ(hello.find("scenes")->array().size(), 1u);
  EXPECT_EQ(text_at(wait_for(client, "scene"), "name"), "small");
  EXPECT_EQ(wait_for(client, "state").find("clients")->number(), 1);
  const std::optional<DecodedFrame> frame = wait_for_frame(client);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->header.find("frame_number")->number(), 1);
  EXPECT_EQ(frame->header.find("frame")->number(), 0);
  EXPECT_TRUE(frame->part(0).find("triangles"));
}

TEST(Server, AStandingWorldSendsNoSecondFrameUntilSomethingChanges) {
  Theatre theatre;
  WebSocketClient client = theatre.client();
  ASSERT_TRUE(wait_for_frame(client));
  client.send(R"({"type": "ack", "frame_number": 1})");
  EXPECT_FALSE(client.receive(0.2));
  client.send(R"({"type": "step", "id": 5})");
  EXPECT_EQ(wait_for(client, "ok").find("id")->number(), 5);
  const std::optional<DecodedFrame> frame = wait_for_frame(client);
  ASSERT_TRUE(frame);
  EXPECT_GT(frame->header.find("time")->number(), 0);
  EXPECT_FALSE(frame->part(0).find("triangles"));  // it has them
}

TEST(Server, SendsTheNextFrameOnlyAfterTheAcknowledgement) {
  Theatre theatre(false);
  WebSocketClient client = theatre.client();
  ASSERT_TRUE(wait_for_frame(client));
  EXPECT_FALSE(wait_for_frame(client, 0.05));  // states come ten times a second, a frame does not
  client.send(R"({"type": "ack", "frame_number": 99})");
  wait_for(client, "error");
  client.send(R"({"type": "ack", "frame_number": 1})");
  ASSERT_TRUE(wait_for_frame(client));
}

TEST(Server, TwoPagesSeeTheSameWorldAndBothMayTouchIt) {
  Theatre theatre;
  WebSocketClient a = theatre.client(), b = theatre.client();
  ASSERT_TRUE(wait_for_frame(a));
  ASSERT_TRUE(wait_for_frame(b));
  a.send(R"({"type": "step", "id": 1})");
  wait_for(a, "ok");
  b.send(R"({"type": "set", "id": 2, "system": "cloth", "path": "stiffness", "value": 55})");
  wait_for(b, "ok");
  const Value scene = wait_for(a, "scene");
  a.send(R"({"type": "hash", "id": 3})");
  b.send(R"({"type": "hash", "id": 4})");
  const std::string hash = text_at(wait_for(a, "hash"), "hash");
  EXPECT_EQ(hash.size(), 32u);
  EXPECT_EQ(text_at(wait_for(b, "hash"), "hash"), hash);
  a.send(R"({"type": "inputs", "id": 5})");
  EXPECT_NE(text_at(wait_for(a, "inputs"), "toml").find("stiffness"), std::string::npos);
}

TEST(Server, MalformedMessagesAreAnsweredAndDoNoHarm) {
  Theatre theatre;
  const std::string before = theatre.hash();
  WebSocketClient client = theatre.client();
  for (const char* text : {"{", "[]", R"({"type": "no"})", R"({"type": "event", "system": 3})"}) {
    client.send(text);
    EXPECT_FALSE(text_at(wait_for(client, "error"), "message").empty());
  }
  client.send(R"({"type": "event", "id": 9, "system": "cloth", "action": "grab", "arguments": {}})");
  EXPECT_EQ(wait_for(client, "error").find("id")->number(), 9);
  EXPECT_EQ(theatre.hash(), before);
}

TEST(Server, ClosesAfterAHundredMalformedMessagesAndForOneThatIsTooLong) {
  Theatre theatre;
  WebSocketClient rude = theatre.client();
  for (int i = 0; i < 100; ++i) rude.send("nonsense");
  EXPECT_EQ(wait_for_close(rude), 1008);
  for (const std::size_t length : {65537, 1 << 20}) {  // the longer one is still under way when it is refused
    WebSocketClient loud = theatre.client();
    loud.send(std::string(length, ' '));
    EXPECT_EQ(wait_for_close(loud), 1009);
  }
  WebSocketClient polite = theatre.client();
  wait_for(polite, "hello");
}

TEST(Server, SurvivesAThousandMessagesOfGarbage) {
  Theatre theatre;
  const std::string before = theatre.hash();
  std::mt19937 random(7);
  auto client = std::make_unique<WebSocketClient>(theatre.server.port(), Upgrade{theatre.server.token()});
  const std::string seeds =
      R"({"type": "event", "id": 1, "system": "cloth", "arguments": {"point": [1, 2, 3]}})";
  for (int i = 0; i < 1000; ++i) {
    std::string bytes = seeds;
    if (i % 2 == 0) bytes.resize(random() % 300);
    for (std::size_t k = random() % 8; k > 0 && !bytes.empty(); --k)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    const Opcode opcode = i % 3 == 0    ? Opcode::binary
                          : i % 17 == 0 ? static_cast<Opcode>(random() % 16)
                                        : Opcode::text;
    if (!client->send(bytes, opcode) || i % 50 == 49)
      client = std::make_unique<WebSocketClient>(theatre.server.port(), Upgrade{theatre.server.token()});
  }
  // Bytes that are no HTTP either.
  for (int i = 0; i < 20; ++i) {
    std::string bytes(random() % 2000, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    PlainSocket(theatre.server.port()).send(bytes);
  }
  EXPECT_EQ(theatre.hash(), before);
  WebSocketClient polite = theatre.client();
  wait_for(polite, "hello");
}

TEST(Server, AClientThatNeverReadsStallsNobodyAndIsDropped) {
  ServerOptions options;
  options.client_timeout = 1;
  Theatre theatre(false, options);
  WebSocketClient deaf = theatre.client();
  // Replies that nobody reads fill the bound long before the timeout.
  std::thread flood([&] {
    for (int i = 0; i < 60000 && deaf.send(R"({"type": "inputs", "id": 1})"); ++i) {
    }
  });
  WebSocketClient keen = theatre.client();
  int frames = 0;
  for (int i = 0; i < 30; ++i) {
    const std::optional<DecodedFrame> frame = wait_for_frame(keen);
    ASSERT_TRUE(frame);
    ++frames;
    keen.send(R"({"type": "ack", "frame_number": )" + std::to_string(i + 1) + "}");
  }
  EXPECT_EQ(frames, 30);
  flood.join();
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (theatre.server.client_count() > 1 && std::chrono::steady_clock::now() < limit) {
    wait_for(keen, "state");  // it stays: it reads, and so answers pings
  }
  EXPECT_EQ(theatre.server.client_count(), 1u);
}

TEST(Server, SaysGoodbyeToEveryPageWhenItStops) {
  auto theatre = std::make_unique<Theatre>(false);
  WebSocketClient a = theatre->client(), b = theatre->client();
  wait_for(a, "hello"), wait_for(b, "hello");
  std::thread end([&] { theatre->server.stop(); });
  wait_for(a, "bye"), wait_for(b, "bye");
  EXPECT_EQ(wait_for_close(a), 1001);
  end.join();
  theatre.reset();
}

TEST(Server, StopsAlsoWithPagesThatDoNotAnswer) {
  Theatre theatre(false);
  WebSocketClient silent = theatre.client();
  PlainSocket half(theatre.server.port());
  half.send("GET / HT");
  const auto begin = std::chrono::steady_clock::now();
  theatre.server.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));
}

TEST(Server, APortInUseIsAnInputErrorWithARemedy) {
  Theatre theatre;
  Session session(small_session());
  Runner runner(session);
  ServerOptions options;
  options.port = theatre.server.port();
  try {
    Server second(runner, options);
    FAIL() << "two servers on one port";
  } catch (const InputError& error) {
    EXPECT_NE(error.problem().find("is in use"), std::string::npos);
    EXPECT_NE(error.remedy().find("--port"), std::string::npos);
  }
  options.host = "no.such.host.invalid";
  EXPECT_THROW(Server(runner, options), InputError);
}

TEST(Server, ListensOnLoopbackOnlyUnlessToldOtherwise) {
  Theatre theatre;
  EXPECT_FALSE(theatre.server.open_to_other_machines());
  // /proc/net/tcp: local address as hexadecimal, port, state 0A is listening.
  char port[8];
  std::snprintf(port, sizeof port, ":%04X", theatre.server.port());
  int loopback = 0, elsewhere = 0;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream file(table);
    std::string line;
    while (std::getline(file, line)) {
      std::istringstream words(line);
      std::string number, local, remote, state;
      words >> number >> local >> remote >> state;
      if (state != "0A" || !local.ends_with(port)) continue;
      ++(local == "0100007F" + std::string(port) ? loopback : elsewhere);
    }
  }
  EXPECT_EQ(loopback, 1);
  EXPECT_EQ(elsewhere, 0);

  Session session(small_session());
  Runner runner(session);
  ServerOptions options;
  options.host = "0.0.0.0", options.port = 0;
  Server open(runner, options);
  EXPECT_TRUE(open.open_to_other_machines());
  EXPECT_TRUE(open.url().starts_with("http://127.0.0.1:"));
}

TEST(Server, WhatPagesDidReplaysOfflineToTheSameHash) {
  Theatre theatre(false);
  WebSocketClient client = theatre.client();
  client.send(
      R"({"type": "event", "id": 1, "system": "cloth", "action": "grab", "arguments": {"point": [0.5, 0.5, 0.5], "target": [1, 1, 1]}})");
  wait_for(client, "ok");
  client.send(R"({"type": "set", "id": 2, "system": "cloth", "path": "stiffness", "value": 321.5})");
  wait_for(client, "ok");
  for (int i = 0; i < 3; ++i) wait_for(client, "state");
  client.send(R"({"type": "pause"})");
  client.send(R"({"type": "inputs"})");
  client.send(R"({"type": "hash"})");
  const std::string toml = text_at(wait_for(client, "inputs"), "toml");
  const Value hash = wait_for(client, "hash");
  const Tick end = std::stoll(text_at(hash, "tick"));
  for (int time = 0; time < 2; ++time) {
    Stage stage = small_stage("small", {});
    for (ports::InputEvent& event : sim::events_from_toml(toml, "inputs.toml"))
      stage.world.queue(std::move(event));
    while (stage.world.now() < end) ASSERT_TRUE(stage.world.sync_step().ok);
    EXPECT_EQ(stage.world.hash().hex(), text_at(hash, "hash"));
  }
}

}  // namespace
}  // namespace selkie::view
