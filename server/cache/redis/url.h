#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::cache::redis {

struct Endpoint {
  std::string host;
  uint16_t port = 0;
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};
// "host:port", with brackets around an IPv6 address.
std::string ToString(const Endpoint& endpoint);
// Of "host", "host:port" or "[address]:port".
absl::StatusOr<Endpoint> ParseEndpoint(absl::string_view text, uint16_t default_port);

// Where a Redis is, or the several that make one store.
struct Url {
  enum class Topology : uint8_t {
    kSingle,    // redis://HOST[:PORT][/DATABASE]
    kSentinel,  // redis-sentinel://HOST[:PORT][,HOST[:PORT]...]/MASTER[/DATABASE]
    kCluster,   // redis-cluster://HOST[:PORT][,HOST[:PORT]...]
  };
  Topology topology = Topology::kSingle;
  bool tls = false;            // rediss://, rediss-sentinel://, rediss-cluster://
  std::string user, password;  // USER:PASSWORD@ or :PASSWORD@ before the hosts, percent-encoded
  std::vector<Endpoint> endpoints;  // one, of sentinels or nodes at least one
  std::string master;               // of kSentinel
  int database = 0;
};

// INVALID_ARGUMENT, never with the password in it.
absl::StatusOr<Url> ParseUrl(absl::string_view text);
// The same without user and password, for logs.
std::string ToString(const Url& url);

}  // namespace acceld::cache::redis
