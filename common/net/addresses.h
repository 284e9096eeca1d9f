#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "common/net/address.h"
#include "common/status.h"

// Where a client looks for daemons: a session goes to one of several.
namespace acceld {

// One or more addresses, as address.h has them, with commas between them:
//   tls://a.example.org:7070,tls://b.example.org:7070,unix:/run/acceld.sock
// The host of each may be a name that stands for several daemons, and for TLS one of those may be
// singled out:
//   tls://NAME@IP:PORT  the daemon at this address, whose certificate is for NAME
// INVALID_ARGUMENT says what was expected.
absl::StatusOr<std::vector<Address>> ParseAddresses(absl::string_view text);

// What an address with a name stands for, each as an address without one, or with its `ip`; sorted,
// each once.
struct Resolved {
  std::vector<Address> preferred;  // of the family, IPv4 or IPv6, that the system would use first
  std::vector<Address> others;     // of the other one: often other ways to the same daemons
};
// An address without a name to look up stands for itself. NOT_FOUND with the address and the
// system's message. Blocks for as long as the system's resolver does.
absl::StatusOr<Resolved> Resolve(const Address& address);

}  // namespace acceld
