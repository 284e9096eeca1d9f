#include "client/transport/dial/attempt.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/transport/dial/dial.h"
#include "common/net/addresses.h"

namespace acceld::client {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kMinShare{1000};
constexpr milliseconds kPause{100};

// Returns the process's next number for round-robin order. Processes start at random numbers;
// processes forked from the same one start at numbers that differ as their process ids do.
uint64_t NextRoundRobin() {
  static std::atomic<uint64_t> turns{std::random_device()()};
  return turns++ + static_cast<uint64_t>(getpid());
}

void Order(std::vector<Address>& addresses, uint64_t first) {
  if (addresses.empty()) return;
  std::swap(addresses.front(), addresses[first % addresses.size()]);
  std::shuffle(addresses.begin() + 1, addresses.end(), std::mt19937(std::random_device()()));
}

// The addresses to try, in order, and the addresses that could not be resolved.
struct Candidates {
  std::vector<Address> addresses;
  std::vector<Address> unknown;
};

Candidates Find(absl::Span<const Address> addresses, bool round_robin) {
  Candidates candidates;
  std::vector<Address> others;
  for (const Address& address : addresses) {
    absl::StatusOr<ResolvedAddresses> resolved = Resolve(address);
    if (!resolved.ok()) {
      candidates.unknown.push_back(address);
      continue;
    }
    std::move(resolved->preferred.begin(), resolved->preferred.end(),
              std::back_inserter(candidates.addresses));
    std::move(resolved->others.begin(), resolved->others.end(), std::back_inserter(others));
  }
  if (candidates.addresses.size() + others.size() > 1) {
    const uint64_t first = round_robin ? NextRoundRobin() : std::random_device()();
    Order(candidates.addresses, first);
    Order(others, first);
  }
  std::move(others.begin(), others.end(), std::back_inserter(candidates.addresses));
  return candidates;
}

// Collects the errors of several attempts.
class Errors {
 public:
  void Add(const Address& address, const absl::Status& status) {
    if (code_ == absl::StatusCode::kUnavailable) code_ = status.code();
    texts_.push_back(absl::StrCat(address.ToString(), ": ", status.message()));
  }
  absl::Status status() const {
    return absl::Status(code_,
                        absl::StrCat("none of ", texts_.size(),
                                     " acceld daemons can be used: ", absl::StrJoin(texts_, "; ")));
  }

 private:
  absl::StatusCode code_ = absl::StatusCode::kUnavailable;
  std::vector<std::string> texts_;
};

milliseconds Until(Clock::time_point deadline) {
  return std::max(std::chrono::duration_cast<milliseconds>(deadline - Clock::now()),
                  milliseconds(0));
}

absl::Status TryOnce(const Candidates& candidates, Clock::time_point deadline,
                     absl::FunctionRef<absl::Status(const Attempt&)> open) {
  Errors errors;
  for (const Address& address : candidates.unknown) {
    errors.Add(address, absl::UnavailableError("there is no such host"));
  }
  auto left = static_cast<int64_t>(candidates.addresses.size());
  for (const Address& address : candidates.addresses) {
    const milliseconds rest = Until(deadline);
    const milliseconds share = std::min(rest, std::max(rest / left--, kMinShare));
    const absl::Status status =
        open({.address = address, .timeout = share, .wait_for_daemon = false, .is_only = false});
    if (status.ok()) return status;
    errors.Add(address, status);
  }
  return errors.status();
}

}  // namespace

absl::Status TryEach(absl::Span<const Address> addresses, const TryOptions& options,
                     absl::FunctionRef<absl::Status(const Attempt&)> open) {
  const Clock::time_point deadline = Clock::now() + options.timeout;
  while (true) {
    const Candidates candidates = Find(addresses, options.round_robin);
    if (candidates.addresses.size() == 1 && candidates.unknown.empty()) {
      return open({.address = candidates.addresses.front(),
                   .timeout = Until(deadline),
                   .wait_for_daemon = options.wait_for_daemon,
                   .is_only = true});
    }
    const absl::Status status =
        addresses.size() == 1 && candidates.addresses.empty()
            ? NoDaemonError({.address = addresses.front()}, "there is no such host")
            : TryOnce(candidates, deadline, open);
    if (status.ok() || !options.wait_for_daemon || Until(deadline) <= kPause) return status;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace acceld::client
