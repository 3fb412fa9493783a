// See server.h. All handlers run on one thread, so that nothing here needs a lock; other threads only post.
#include "selkie/view/server.h"

#include <atomic>
#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "selkie/core/error.h"
#include "selkie/core/log.h"
#include "selkie/view/access.h"
#include "selkie/view/hub.h"

namespace selkie::view {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kLongestMessage = 64 << 10, kLongestHeader = 8 << 10;
constexpr auto kRequestTimeout = std::chrono::seconds(10), kCloseTimeout = std::chrono::seconds(3);

std::string_view text_of(beast::string_view text) { return {text.data(), text.size()}; }

// One page's WebSocket.
class Socket final : public Pipe, public std::enable_shared_from_this<Socket> {
 public:
  Socket(tcp::socket socket, Hub& hub, std::atomic<std::size_t>& count, double timeout)
      : stream_(std::move(socket)), hub_(hub), count_(count) {
    using std::chrono::milliseconds;
    websocket::stream_base::timeout limits;
    limits.handshake_timeout = kCloseTimeout;
    limits.idle_timeout = milliseconds(static_cast<std::int64_t>(timeout * 1e3));
    limits.keep_alive_pings = true;
    stream_.set_option(limits);
    stream_.read_message_max(0);  // read() watches the length: Beast's own end leaves bytes unread
    stream_.auto_fragment(false);
  }

  void accept(const http::request<http::empty_body>& request) {
    stream_.async_accept(request, [self = shared_from_this()](error_code error) {
      if (error) return;
      self->id_ = self->hub_.connect(self);
      self->count_ = self->hub_.client_count();
      self->read();
    });
  }

  void write_text(std::string text) override {
    text_ = std::move(text);
    stream_.text(true);
    stream_.async_write(asio::buffer(text_),
                        [self = shared_from_this()](error_code error, std::size_t) { self->wrote(error); });
  }

  void write_frame(FrameMessage frame) override {
    frame_ = std::move(frame);
    std::vector<asio::const_buffer> buffers;
    for (const auto& piece : frame_.pieces()) buffers.emplace_back(piece.data(), piece.size());
    stream_.binary(true);
    stream_.async_write(buffers, [self = shared_from_this()](error_code error, std::size_t) {
      self->frame_ = {};  // gives the shot back
      self->wrote(error);
    });
  }

  void close(std::uint16_t code, std::string_view why) override {
    const websocket::close_reason reason(static_cast<websocket::close_code>(code),
                                         beast::string_view(why.data(), why.size()));
    stream_.async_close(reason, [self = shared_from_this()](error_code) {});
  }

  void drop() override { beast::get_lowest_layer(stream_).close(); }

 private:
  void wrote(error_code error) {
    if (!error) hub_.written(id_);
  }

  // A message that is too long is answered by the closing handshake like any other end. Closing a socket
  // with unread bytes would reset the connection, and the page would never learn the reason.
  void read() {
    const std::size_t room = kLongestMessage + 1 - buffer_.size();
    stream_.async_read_some(buffer_, room, [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return self->leave();
      const auto data = self->buffer_.cdata();
      if (data.size() > kLongestMessage) {
        self->hub_.dismiss(self->id_, websocket::close_code::too_big, "the message is too long");
        self->buffer_.clear();
      } else if (self->stream_.is_message_done()) {
        self->hub_.received(self->id_, {static_cast<const char*>(data.data()), data.size()},
                            self->stream_.got_text());
        self->buffer_.clear();
      }
      self->read();
    });
  }

  void leave() {
    hub_.disconnect(id_);
    count_ = hub_.client_count();
  }

  websocket::stream<beast::tcp_stream> stream_;
  Hub& hub_;
  std::atomic<std::size_t>& count_;
  Hub::ClientId id_ = 0;
  beast::flat_buffer buffer_;
  std::string text_;
  FrameMessage frame_;
};

using Response = http::response<http::string_body>;

struct Site {
  const ServerOptions& options;
  std::uint16_t port;
  Hub& hub;
  std::atomic<std::size_t>& client_count;
};

// One connection until it becomes a WebSocket or ends.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(tcp::socket socket, const Site& site, std::size_t& open)
      : stream_(std::move(socket)), site_(site), open_(open) {
    ++open_;
    error_code ignored;
    stream_.socket().set_option(tcp::no_delay(true), ignored);
    const auto local = stream_.socket().local_endpoint(ignored);
    if (!ignored) local_address_ = local.address().to_string();
  }
  ~HttpConnection() { --open_; }

  void read() {
    parser_.emplace();
    parser_->header_limit(kLongestHeader);
    parser_->body_limit(0);
    stream_.expires_after(kRequestTimeout);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code error, std::size_t) { self->answer(error); });
  }

 private:
  void answer(error_code error) {
    if (error) return;  // closed, too slow, or no HTTP
    const auto& request = parser_->get();
    const std::string_view target = text_of(request.target()), path = path_of(target);
    const std::string_view host = text_of(request[http::field::host]);
    if (!is_own_host(host, site_.options.host, local_address_, site_.port))
      return send(http::status::forbidden, "this server is not known by that name\n");
    if (path == "/ws") return upgrade(host, target);
    if (request.method() != http::verb::get && request.method() != http::verb::head)
      return send(http::status::method_not_allowed, "only GET\n");
    for (const EmbeddedFile& file : site_.options.files)
      if (file.path == path || (path == "/" && file.path == "/index.html"))
        return send(http::status::ok, {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()},
                    file.content_type);
    send(http::status::not_found, "there is no such file\n");
  }

  void upgrade(std::string_view host, std::string_view target) {
    const auto& request = parser_->get();
    if (!equal_in_constant_time(token_of(target), site_.options.token))
      return send(http::status::forbidden, "wrong or missing token: open the address that selkie printed\n");
    if (!is_own_origin(text_of(request[http::field::origin]), host))
      return send(http::status::forbidden, "pages of other servers may not connect\n");
    if (!websocket::is_upgrade(request))
      return send(http::status::upgrade_required, "this address speaks WebSocket\n");
    if (site_.hub.client_count() >= site_.options.most_clients)
      return send(http::status::service_unavailable, "too many pages are connected\n");
    stream_.expires_never();  // the WebSocket has timeouts of its own
    std::make_shared<Socket>(stream_.release_socket(), site_.hub, site_.client_count,
                             site_.options.client_timeout)
        ->accept(request);
  }

  void send(http::status status, std::string_view body, std::string_view type = "text/plain; charset=utf-8") {
    const auto& request = parser_->get();
    response_ = Response(status, request.version());
    const std::string_view host =
        status == http::status::forbidden ? "127.0.0.1" : text_of(request[http::field::host]);
    for (const auto& [name, value] : security_headers(host)) response_.set(name, value);
    response_.set(http::field::content_type, beast::string_view(type.data(), type.size()));
    response_.keep_alive(request.keep_alive() && status == http::status::ok);
    response_.content_length(body.size());
    if (request.method() != http::verb::head) response_.body() = std::string(body);
    stream_.expires_after(kRequestTimeout);
    http::async_write(stream_, response_, [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return;
      if (self->response_.keep_alive()) return self->read();
      error_code ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    });
  }

  beast::tcp_stream stream_;
  Site site_;
  std::size_t& open_;
  std::string local_address_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  Response response_;
};

}  // namespace

struct Server::Impl : std::enable_shared_from_this<Impl> {
  Impl(Runner& r, ServerOptions o)
      : runner(r),
        options(std::move(o)),
        hub(outside(), hello_text(options.version, r.mode(), options.scenes)) {
    if (options.token.empty()) options.token = make_token();
    listen();
  }

  void listen() {
    error_code error;
    const auto found = tcp::resolver(io).resolve(options.host, std::to_string(options.port), error);
    if (error || found.empty())
      throw InputError("the host '" + options.host + "' is unknown: " + error.message(),
                       "give --host a name or address of this machine");
    const tcp::endpoint endpoint = found.begin()->endpoint();
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error == asio::error::address_in_use)
      throw InputError("port " + std::to_string(options.port) + " of " + options.host + " is in use",
                       "choose another with --port, or any free one with --port 0");
    if (error)
      throw InputError(
          "cannot listen at " + options.host + ":" + std::to_string(options.port) + ": " + error.message(),
          "choose another --host or --port");
    port = acceptor.local_endpoint().port();
    loopback = acceptor.local_endpoint().address().is_loopback();
    any_address = acceptor.local_endpoint().address().is_unspecified();
  }

  Hub::Outside outside() {
    return {[this](Command command, std::function<void(const Reply&)> answer) {
              runner.post(std::move(command),
                          [weak = weak_from_this(), answer = std::move(answer)](const Reply& reply) {
                            if (const auto self = weak.lock())
                              asio::post(self->io, [answer, reply] { answer(reply); });
                          });
            },
            [this](bool afresh) { runner.request_frame(afresh); }};
  }

  // Calls of the Source's thread, carried over to this one. Runner guarantees that none is under way after
  // set_audience({}).
  Audience audience() {
    return {[this](Value message, std::uint64_t version) {
              asio::post(io, [this, message = std::move(message), version] { hub.scene(message, version); });
            },
            [this](Value message) {
              asio::post(io, [this, message = std::move(message)] { hub.state(message); });
            },
            [this](std::shared_ptr<const Shot> shot) {
              asio::post(io, [this, shot = std::move(shot)]() mutable { hub.frame(std::move(shot)); });
            }};
  }

  void accept() {
    acceptor.async_accept([this](error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) {  // out of descriptors: try again a little later
        retry.expires_after(std::chrono::milliseconds(100));
        retry.async_wait([this](error_code cancelled) {
          if (!cancelled) accept();
        });
        return;
      }
      constexpr std::size_t kMostOpen = 64;
      if (open_connections < kMostOpen)
        std::make_shared<HttpConnection>(std::move(socket), Site{options, port, hub, client_count},
                                         open_connections)
            ->read();
      accept();
    });
  }

  void end() {
    error_code ignored;
    acceptor.close(ignored);
    retry.cancel();
    hub.say_goodbye("the server has ended");
    wait_for_goodbyes(std::chrono::steady_clock::now() + std::chrono::seconds(1));
  }

  void wait_for_goodbyes(std::chrono::steady_clock::time_point latest) {
    if (hub.client_count() == 0 || std::chrono::steady_clock::now() > latest) return io.stop();
    retry.expires_after(std::chrono::milliseconds(10));
    retry.async_wait([this, latest](error_code) { wait_for_goodbyes(latest); });
  }

  Runner& runner;
  ServerOptions options;
  std::atomic<std::size_t> client_count{0};
  std::size_t open_connections = 0;
  std::uint16_t port = 0;
  bool loopback = true, any_address = false;
  asio::io_context io{1};
  Hub hub;
  tcp::acceptor acceptor{io};
  asio::steady_timer retry{io};
  std::thread thread;
  bool stopped = false;
};

Server::Server(Runner& runner, ServerOptions options)
    : impl_(std::make_shared<Impl>(runner, std::move(options))) {
  impl_->runner.set_audience(impl_->audience());
  impl_->accept();
  impl_->thread = std::thread([impl = impl_.get()] { impl->io.run(); });
}

Server::~Server() { stop(); }

void Server::stop() {
  if (std::exchange(impl_->stopped, true)) return;
  impl_->runner.set_audience({});
  asio::post(impl_->io, [impl = impl_.get()] { impl->end(); });
  impl_->thread.join();
}

std::uint16_t Server::port() const { return impl_->port; }
const std::string& Server::token() const { return impl_->options.token; }
bool Server::open_to_other_machines() const { return !impl_->loopback; }
std::size_t Server::client_count() const { return impl_->client_count; }

std::string Server::url() const {
  std::string name = impl_->any_address ? "127.0.0.1" : impl_->options.host;
  if (name.find(':') != std::string::npos) name = "[" + name + "]";
  return "http://" + name + ":" + std::to_string(impl_->port) + "/?token=" + impl_->options.token;
}

}  // namespace selkie::view
