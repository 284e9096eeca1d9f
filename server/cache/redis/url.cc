#include "server/cache/redis/url.h"

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace acceld::cache::redis {
namespace {

constexpr uint16_t kRedisPort = 6379, kSentinelPort = 26379;

absl::Status Bad(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("Redis URL: ", what,
                   "; it is redis[s]://[USER][:PASSWORD@]HOST[:PORT][/DATABASE], "
                   "redis[s]-sentinel://...HOST[:PORT][,HOST[:PORT]...]/MASTER[/DATABASE] or "
                   "redis[s]-cluster://...HOST[:PORT][,HOST[:PORT]...]"));
}

absl::StatusOr<std::string> PercentDecoded(absl::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size() || !absl::ascii_isxdigit(static_cast<unsigned char>(text[i + 1])) ||
        !absl::ascii_isxdigit(static_cast<unsigned char>(text[i + 2]))) {
      return Bad("a % without two hexadecimal digits in user or password");
    }
    out += absl::HexStringToBytes(text.substr(i + 1, 2));
    i += 2;
  }
  return out;
}

// Parses the scheme and removes it from `text`.
absl::Status ParseScheme(absl::string_view& text, Url& url) {
  const size_t end = text.find("://");
  if (end == absl::string_view::npos) return Bad("no scheme");
  absl::string_view scheme = text.substr(0, end);
  text.remove_prefix(end + 3);
  const absl::string_view whole = scheme;
  if (!absl::ConsumePrefix(&scheme, "redis")) {
    return Bad(absl::StrCat("the scheme '", whole, "'"));
  }
  url.tls = absl::ConsumePrefix(&scheme, "s");
  if (scheme == "-sentinel") {
    url.topology = Url::Topology::kSentinel;
  } else if (scheme == "-cluster") {
    url.topology = Url::Topology::kCluster;
  } else if (!scheme.empty()) {
    return Bad(absl::StrCat("the scheme '", whole, "'"));
  }
  return absl::OkStatus();
}

// Parses user and password and removes them from `text`.
absl::Status ParseUser(absl::string_view& text, Url& url) {
  const size_t end = text.rfind('@');
  if (end == absl::string_view::npos) return absl::OkStatus();
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text.substr(0, end), absl::MaxSplits(':', 1));
  text.remove_prefix(end + 1);
  ACCELD_ASSIGN_OR_RETURN(url.user, PercentDecoded(parts.first));
  ACCELD_ASSIGN_OR_RETURN(url.password, PercentDecoded(parts.second));
  if (!url.user.empty() && url.password.empty()) return Bad("a user without a password");
  return absl::OkStatus();
}

}  // namespace

std::string ToString(const Endpoint& endpoint) {
  const bool is_ipv6 = absl::StrContains(endpoint.host, ':');
  return absl::StrCat(is_ipv6 ? "[" : "", endpoint.host, is_ipv6 ? "]" : "", ":", endpoint.port);
}

absl::StatusOr<Endpoint> ParseEndpoint(absl::string_view text, uint16_t default_port) {
  Endpoint endpoint{.port = default_port};
  absl::string_view port;
  if (absl::ConsumePrefix(&text, "[")) {
    const size_t end = text.find(']');
    if (end == absl::string_view::npos) return Bad("a [ without its ]");
    endpoint.host = std::string(text.substr(0, end));
    port = text.substr(end + 1);
    if (!port.empty() && !absl::ConsumePrefix(&port, ":")) return Bad("text after a ]");
  } else {
    const size_t colon = text.rfind(':');
    endpoint.host = std::string(text.substr(0, colon));
    if (colon != absl::string_view::npos) port = text.substr(colon + 1);
    if (absl::StrContains(endpoint.host, ':')) return Bad("an IPv6 address without brackets");
  }
  if (endpoint.host.empty()) return Bad("an empty host");
  if (port.empty()) return endpoint;
  uint32_t number = 0;
  if (!absl::SimpleAtoi(port, &number) || number == 0 || number > 65535) {
    return Bad(absl::StrCat("the port '", port, "'"));
  }
  endpoint.port = static_cast<uint16_t>(number);
  return endpoint;
}

absl::StatusOr<Url> ParseUrl(absl::string_view text) {
  Url url;
  ACCELD_RETURN_IF_ERROR(ParseScheme(text, url));
  ACCELD_RETURN_IF_ERROR(ParseUser(text, url));
  std::vector<absl::string_view> parts = absl::StrSplit(text, '/');
  if (parts.size() > 1 && parts.back().empty()) parts.pop_back();
  const bool has_sentinels = url.topology == Url::Topology::kSentinel;
  for (const absl::string_view host : absl::StrSplit(parts[0], ',')) {
    ACCELD_ASSIGN_OR_RETURN(url.endpoints.emplace_back(),
                            ParseEndpoint(host, has_sentinels ? kSentinelPort : kRedisPort));
  }
  if (url.topology == Url::Topology::kSingle && url.endpoints.size() > 1) {
    return Bad("several hosts, which only sentinels and clusters have");
  }
  size_t next = 1;
  if (has_sentinels) {
    if (parts.size() < 2) return Bad("no name of a master behind the sentinels");
    url.master = std::string(parts[next++]);
  }
  if (next < parts.size()) {
    if (url.topology == Url::Topology::kCluster) return Bad("a database, which clusters have not");
    if (!absl::SimpleAtoi(parts[next], &url.database) || url.database < 0) {
      return Bad(absl::StrCat("the database '", parts[next], "'"));
    }
    ++next;
  }
  if (next < parts.size()) return Bad(absl::StrCat("the text '", parts[next], "' at its end"));
  return url;
}

std::string ToString(const Url& url) {
  const auto name = [](Url::Topology topology) {
    switch (topology) {
      case Url::Topology::kSingle:
        return "";
      case Url::Topology::kSentinel:
        return "-sentinel";
      case Url::Topology::kCluster:
        return "-cluster";
    }
    return "";
  };
  std::string text = absl::StrCat(
      url.tls ? "rediss" : "redis", name(url.topology), "://",
      absl::StrJoin(url.endpoints, ",", [](std::string* out, const Endpoint& endpoint) {
        *out += ToString(endpoint);
      }));
  if (!url.master.empty()) absl::StrAppend(&text, "/", url.master);
  if (url.database != 0) absl::StrAppend(&text, "/", url.database);
  return text;
}

}  // namespace acceld::cache::redis
