// See hub.h.
#include "selkie/view/hub.h"

#include <algorithm>
#include <utility>

namespace selkie::view {
namespace {

constexpr std::uint16_t kGoingAway = 1001, kPolicy = 1008;  // RFC 6455 §7.4.1

}  // namespace

Hub::Client* Hub::find(ClientId id) {
  const auto found = clients_.find(id);
  return found == clients_.end() ? nullptr : &found->second;
}

Hub::ClientId Hub::connect(std::shared_ptr<Pipe> pipe) {
  const ClientId id = ++last_id_;
  Client& client = clients_[id];
  client.pipe = std::move(pipe);
  client.texts.push_back(hello_);
  client.scene_waits = !scene_text_.empty();
  client.state_waits = state_.is_table();
  newest_.reset();  // may be old: nobody looked
  outside_.request_frame(true);
  send_next(client);
  return id;
}

void Hub::disconnect(ClientId id) { clients_.erase(id); }

void Hub::written(ClientId id) {
  if (Client* client = find(id)) {
    client->writing = false;
    send_next(*client);
  }
}

void Hub::say(ClientId id, std::string text) {
  Client* client = find(id);
  if (!client || client->gone || client->farewell) return;
  client->text_bytes += text.size();
  client->texts.push_back(std::move(text));
  if (client->texts.size() > kMostTexts || client->text_bytes > kMostTextBytes) {
    client->gone = true;
    client->pipe->drop();  // it does not read
    return;
  }
  send_next(*client);
}

void Hub::dismiss(ClientId id, std::uint16_t code, std::string why) {
  Client* client = find(id);
  if (!client || client->gone || client->farewell) return;
  client->farewell = Farewell{code, std::move(why)};
  send_next(*client);
}

void Hub::received(ClientId id, std::string_view message, bool is_text) {
  Client* client = find(id);
  if (!client || client->gone || client->farewell) return;
  Request request;
  if (is_text) {
    request = parse_request(message);
  } else {
    request.malformed = true;
    request.refusal = Reply::refusal("binary messages are not accepted", "send JSON text");
  }
  if (request.refusal) {
    client->malformed += request.malformed ? 1 : 0;
    say(id, reply_text(request.id, *request.refusal));
    if (client->malformed >= kMostMalformed) dismiss(id, kPolicy, "too many malformed messages");
    return;
  }
  if (const auto* ack = std::get_if<Acknowledgement>(&request.what))
    return acknowledge(id, *client, request, ack->frame_number);
  if (client->waiting_commands >= kMostWaitingCommands)
    return say(id, reply_text(request.id, Reply::refusal("too many commands wait", "send fewer at once")));
  ++client->waiting_commands;
  outside_.command(std::get<Command>(std::move(request.what)),
                   [this, id, n = request.id](const Reply& reply) {
                     if (Client* asker = find(id)) --asker->waiting_commands;
                     say(id, reply_text(n, reply));
                   });
}

void Hub::acknowledge(ClientId id, Client& client, const Request& request, std::uint64_t number) {
  if (number == 0 || number > client.stream.last_number())
    return say(id, reply_text(request.id, Reply::refusal("no frame of that number was sent")));
  if (number == client.stream.last_number() && !client.acknowledged) {
    client.acknowledged = true;
    outside_.request_frame(false);
  }
  if (request.id) return say(id, reply_text(request.id, {}));
  send_next(client);
}

// Replies first, then what the scene is, how it stands, and the newest frame of that scene.
void Hub::send_next(Client& client) {
  if (client.writing || client.gone) return;
  auto write = [&](std::string text) {
    client.writing = true;
    client.pipe->write_text(std::move(text));
  };
  if (!client.texts.empty()) {
    std::string text = std::move(client.texts.front());
    client.texts.pop_front();
    client.text_bytes -= std::min(client.text_bytes, text.size());
    return write(std::move(text));
  }
  if (client.farewell) {
    client.gone = true;
    return client.pipe->close(client.farewell->code, client.farewell->why);
  }
  if (std::exchange(client.scene_waits, false)) return write(scene_text_);
  if (std::exchange(client.state_waits, false)) return write(state_text(client));
  const bool fresh =
      newest_ && newest_->scene_version == scene_version_ && newest_->version != client.version;
  if (!fresh || !client.acknowledged) return;
  FrameMessage frame = client.stream.next(newest_);
  client.acknowledged = false;
  client.version = newest_->version;
  client.last_frame_bytes = frame.bytes();
  client.writing = true;
  client.pipe->write_frame(std::move(frame));
}

void Hub::send_next_to_all() {
  for (auto& [id, client] : clients_) send_next(client);
}

std::string Hub::state_text(const Client& client) const {
  Value message = state_;
  message["clients"].data = static_cast<std::int64_t>(clients_.size());
  message["bytes"].data = static_cast<std::int64_t>(client.last_frame_bytes);
  return to_json(message, 0);
}

void Hub::scene(Value message, std::uint64_t scene_version) {
  scene_text_ = to_json(message, 0);
  scene_version_ = scene_version;
  newest_.reset();
  for (auto& [id, client] : clients_) client.scene_waits = true;
  if (!clients_.empty()) outside_.request_frame(true);
  send_next_to_all();
}

void Hub::state(Value message) {
  state_ = std::move(message);
  for (auto& [id, client] : clients_) client.state_waits = true;
  send_next_to_all();
}

void Hub::frame(std::shared_ptr<const Shot> shot) {
  newest_ = std::move(shot);
  // Others that have an older frame and wait get this one; whoever cannot take it yet asks again with its
  // ack.
  send_next_to_all();
}

void Hub::say_goodbye(std::string_view why) {
  for (auto& [id, client] : clients_) {
    say(id, bye_text(why));
    if (client.farewell) continue;
    client.farewell = Farewell{kGoingAway, std::string(why)};
    send_next(client);
  }
}

}  // namespace selkie::view
