#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::cache::redis {

// The address of a server.
struct Endpoint {
  std::string host;
  uint16_t port = 0;
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};
// Formats an address as "host:port", with brackets around an IPv6 address.
std::string ToString(const Endpoint& endpoint);
// Parses "host", "host:port" or "[address]:port". INVALID_ARGUMENT.
absl::StatusOr<Endpoint> ParseEndpoint(absl::string_view text, uint16_t default_port);

// The address of a Redis server, or of several that form one store.
struct Url {
  enum class Topology : uint8_t {
    kSingle,    // redis://HOST[:PORT][/DATABASE]
    kSentinel,  // redis-sentinel://HOST[:PORT][,HOST[:PORT]...]/MASTER[/DATABASE]
    kCluster,   // redis-cluster://HOST[:PORT][,HOST[:PORT]...]
  };
  Topology topology = Topology::kSingle;
  bool tls = false;  // rediss://, rediss-sentinel://, rediss-cluster://
  // Written as USER:PASSWORD@ or :PASSWORD@ before the hosts, percent-encoded.
  std::string user, password;
  // kSingle: one server; kSentinel: at least one Sentinel; kCluster: at least one node.
  std::vector<Endpoint> endpoints;
  std::string master;  // kSentinel: the name of the master
  int database = 0;
};

// Parses a URL. INVALID_ARGUMENT, with a message that never contains the password.
absl::StatusOr<Url> ParseUrl(absl::string_view text);
// Formats a URL without user and password, for logs.
std::string ToString(const Url& url);

}  // namespace acceld::cache::redis
