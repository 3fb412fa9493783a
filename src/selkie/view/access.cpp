// See access.h.
#include "selkie/view/access.h"

#include <sys/random.h>

#include <algorithm>
#include <array>

#include "selkie/core/check.h"

namespace selkie::view {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_text(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

// IPv6 addresses stand in brackets.
std::string in_url(std::string_view name) {
  return name.find(':') == std::string_view::npos ? std::string(name) : "[" + std::string(name) + "]";
}

}  // namespace

std::string make_token() {
  std::array<unsigned char, 16> bytes{};
  SELKIE_CHECK(::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
               "the system gives random bytes");
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return difference == 0;
}

bool is_own_host(std::string_view host, std::string_view given, std::string_view local_address,
                 std::uint16_t port) {
  const std::array<std::string_view, 5> names{given, local_address, "localhost", "127.0.0.1", "::1"};
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    const std::string base = in_url(name);
    return !name.empty() &&
           (same_text(host, base + ":" + std::to_string(port)) || (port == 80 && same_text(host, base)));
  });
}

bool is_own_origin(std::string_view origin, std::string_view host) {
  return origin.empty() || same_text(origin, "http://" + std::string(host));
}

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

std::string_view token_of(std::string_view target) {
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return {};
  std::string_view query = target.substr(mark + 1);
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view pair = query.substr(0, end);
    if (pair.starts_with("token=")) return pair.substr(6);
    query = end == std::string_view::npos ? std::string_view{} : query.substr(end + 1);
  }
  return {};
}

// Inline styles and images made by the page (screenshots, textures) are what three.js and its controls use;
// some browsers do not count ws: as 'self', so that it is named.
std::vector<std::pair<std::string, std::string>> security_headers(std::string_view host) {
  return {
      {"Content-Security-Policy",
       "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
       "connect-src 'self' ws://" +
           std::string(host) +
           "; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'; "
           "frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Cache-Control", "no-store"}};
}

}  // namespace selkie::view
