#pragma once

#include <chrono>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "common/net/address.h"
#include "common/status.h"

namespace acceld::client {

// One attempt to connect to one daemon. A session uses only this address from then on, so that all
// its connections reach the same daemon even if a host name stands for several.
struct Attempt {
  Address address;  // An address that Resolve (common/net/addresses.h) returned.
  std::chrono::milliseconds timeout{5000};
  // Retry until the timeout while no daemon listens.
  bool wait_for_daemon = false;
  // There are no other addresses to try, so the error is shown to the user and should say what to
  // do.
  bool is_only = true;
};

// How TryEach tries several daemons.
struct TryOptions {
  std::chrono::milliseconds timeout{5000};  // Of all attempts together.
  bool wait_for_daemon = false;             // Try all again until the timeout.
  // If true, each call begins with the next address in round-robin order, from a random start, so
  // that sessions are spread over the daemons. If false, each call begins with a random address.
  bool round_robin = false;
};

// Calls `open` for each address that `addresses` stand for, one after the other, until it succeeds.
// The addresses after the first are tried in random order, so that the sessions refused by one
// daemon are spread over the others. Each attempt gets its share of the timeout.
//
// If all fail, the error quotes each attempt's error and has the code of the first one that was not
// UNAVAILABLE. Host names that cannot be resolved count as UNAVAILABLE. Thread-safe. Blocks.
absl::Status TryEach(absl::Span<const Address> addresses, const TryOptions& options,
                     absl::FunctionRef<absl::Status(const Attempt&)> open);

}  // namespace acceld::client
