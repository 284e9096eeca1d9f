#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "common/net/address.h"
#include "common/status.h"

// The addresses of the daemons that a client may use: each session goes to one of them.
namespace acceld {

// Parses one or more addresses (address.h), separated by commas:
//   tls://a.example.org:7070,tls://b.example.org:7070,unix:/run/acceld.sock
// The host of an address may be a name that stands for several daemons. For TLS one of these may be
// selected by its IP address:
//   tls://NAME@IP:PORT  the daemon at this IP address, whose certificate is for NAME
// INVALID_ARGUMENT says what was expected.
absl::StatusOr<std::vector<Address>> ParseAddresses(absl::string_view text);

// The result of resolving an address. Each entry has an IP address in place of the name or, for
// TLS, the name and an `ip`. The lists are sorted and have no duplicates.
struct ResolvedAddresses {
  std::vector<Address> preferred;  // of the family, IPv4 or IPv6, that the system prefers
  std::vector<Address> others;     // of the other family: often another route to the same daemons
};
// Resolves the host name of an address; an address without a name resolves to itself. NOT_FOUND
// with the address and the system's message. Blocks for as long as the system's resolver does.
absl::StatusOr<ResolvedAddresses> Resolve(const Address& address);

}  // namespace acceld
