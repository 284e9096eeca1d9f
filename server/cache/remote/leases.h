#pragma once

#include <chrono>
#include <string>

#include "absl/strings/string_view.h"
#include "common/crypto/digest.h"
#include "common/status.h"
#include "server/cache/redis/store.h"
#include "server/cache/remote/names.h"

namespace acceld::cache {

// Who compiles what, in Redis: at most one daemon has the lease of a key, and only as long as it
// says so. By Redis's clock alone. A lease is advice: who compiles without one, or after having
// lost it, harms nobody, as the first entry saved stays.
//
// Thread-safe; calls wait for Redis and have the errors of redis::Store.
class Leases {
 public:
  Leases(absl::string_view salt, std::chrono::milliseconds duration, redis::Store& redis)
      : names_(salt), duration_(duration), redis_(redis) {}

  // Whether `token`, which nobody else uses, has the lease now.
  absl::StatusOr<bool> Acquire(const Digest& key, absl::string_view token);
  // Whether somebody has it.
  absl::StatusOr<bool> IsTaken(const Digest& key);
  // From now for the whole duration; false: it was lost.
  absl::StatusOr<bool> Renew(const Digest& key, absl::string_view token);
  absl::Status Release(const Digest& key, absl::string_view token);

  std::chrono::milliseconds duration() const { return duration_; }

 private:
  const RemoteNames names_;
  const std::chrono::milliseconds duration_;
  redis::Store& redis_;
};

}  // namespace acceld::cache
