// Who may talk to the server: rules on the text of a request, without sockets. Together they keep other pages
// out: a page elsewhere has another Origin, a name that was pointed at this machine is another Host, and
// nobody knows the token who was not given the address.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace selkie::view {

// 128 random bits of the system, as 32 hexadecimal digits.
std::string make_token();

// Takes the same time wherever the first difference is.
bool equal_in_constant_time(std::string_view a, std::string_view b);

// A Host header names this server: `given` (of --host), the address the connection came in at, or a loopback
// name; with the server's port.
bool is_own_host(std::string_view host, std::string_view given, std::string_view local_address,
                 std::uint16_t port);

// An Origin that is this server's, given the Host that was already accepted. Programs that are no browsers
// send none.
bool is_own_origin(std::string_view origin, std::string_view host);

// The path of a request target, and the value of `token` in its query ("" when absent).
std::string_view path_of(std::string_view target);
std::string_view token_of(std::string_view target);

// Sent with every answer: the page may load its own files and connect to its own server, nothing else.
std::vector<std::pair<std::string, std::string>> security_headers(std::string_view host);

}  // namespace selkie::view
