#include "common/net/addresses.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace acceld {
namespace {

constexpr absl::string_view kTls = "tls://";

bool IsIp(const std::string& host) {
  in6_addr parsed;  // Large enough for IPv4, too.
  return inet_pton(AF_INET, host.c_str(), &parsed) == 1 ||
         inet_pton(AF_INET6, host.c_str(), &parsed) == 1;
}

absl::StatusOr<Address> ParseOne(absl::string_view text) {
  const size_t at = text.find('@');
  if (at == absl::string_view::npos || !absl::StartsWith(text, kTls)) return ParseAddress(text);
  ACCELD_ASSIGN_OR_RETURN(Address address, ParseAddress(absl::StrCat(kTls, text.substr(at + 1))));
  if (!IsIp(address.host)) {
    return absl::InvalidArgumentError(absl::StrCat("address '", text, "': '", address.host,
                                                   "' is not an IP address, which follows NAME@"));
  }
  const absl::string_view name = text.substr(kTls.size(), at - kTls.size());
  ACCELD_ASSIGN_OR_RETURN(Address named, ParseAddress(absl::StrCat(kTls, name, ":0")));
  address.ip = std::exchange(address.host, std::move(named.host));
  return address;
}

// Returns the address with this IP address. Only TLS keeps the host name, for the certificate.
Address At(Address address, const std::string& ip) {
  (address.tls ? address.ip : address.host) = ip;
  return address;
}

}  // namespace

absl::StatusOr<std::vector<Address>> ParseAddresses(absl::string_view text) {
  std::vector<Address> addresses;
  for (const absl::string_view one : absl::StrSplit(text, ',')) {
    ACCELD_ASSIGN_OR_RETURN(Address address, ParseOne(one));
    addresses.push_back(std::move(address));
  }
  return addresses;
}

absl::StatusOr<ResolvedAddresses> Resolve(const Address& address) {
  if (address.is_unix() || !address.ip.empty() || IsIp(address.host)) {
    return ResolvedAddresses{.preferred = {address}};
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(address.host.c_str(), nullptr, &hints, &found);
  if (error != 0) {
    return absl::NotFoundError(absl::StrCat(address.ToString(), ": ", gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, &freeaddrinfo);
  std::set<std::string> preferred, others;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    char ip[NI_MAXHOST];
    if (getnameinfo(one->ai_addr, one->ai_addrlen, ip, sizeof(ip), nullptr, 0, NI_NUMERICHOST) !=
        0) {
      continue;
    }
    (one->ai_family == found->ai_family ? preferred : others).insert(ip);
  }
  ResolvedAddresses resolved;
  for (const std::string& ip : preferred) resolved.preferred.push_back(At(address, ip));
  for (const std::string& ip : others) resolved.others.push_back(At(address, ip));
  return resolved;
}

}  // namespace acceld
