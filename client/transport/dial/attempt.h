#pragma once

#include <chrono>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "common/net/address.h"
#include "common/status.h"

namespace acceld::client {

// One try to get to one daemon. All that a session does goes to this address: it has no name that
// something could look up again.
struct Attempt {
  Address address;  // one that Resolve (common/net/addresses.h) gives
  std::chrono::milliseconds timeout{5000};
  // Keep trying until the timeout while nobody listens.
  bool wait_for_daemon = false;
  // There is no other to be tried: the error is the user's, and says what to do.
  bool is_only = true;
};

struct TryOptions {
  std::chrono::milliseconds timeout{5000};  // of all tries together
  bool wait_for_daemon = false;             // try all again until the timeout
  // The first is another one with each call, in turn, from a random one on; otherwise any. For
  // sessions, which are spread over daemons so.
  bool in_turn = false;
};

// Calls `open` for what the addresses stand for, one after the other, until it succeeds. Those that
// follow the first do so in random order, so that the sessions of a daemon that takes none are
// spread, too. Each has its share of the timeout.
//
// When all fail, the error has what each of them said, and the code of the first that was not
// UNAVAILABLE. Names that nobody knows are UNAVAILABLE. Any thread may call; blocks.
absl::Status TryEach(absl::Span<const Address> addresses, const TryOptions& options,
                     absl::FunctionRef<absl::Status(const Attempt&)> open);

}  // namespace acceld::client
