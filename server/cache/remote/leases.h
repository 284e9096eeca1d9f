#pragma once

#include <chrono>
#include <string>

#include "absl/strings/string_view.h"
#include "common/crypto/digest.h"
#include "common/status.h"
#include "server/cache/redis/store.h"
#include "server/cache/remote/names.h"

namespace acceld::cache {

// Leases in Redis that decide which daemon compiles a key: at most one daemon holds the lease of a
// key, and it must renew the lease before it expires. Leases expire by Redis's clock. A lease is
// advisory: a daemon that compiles without one, or after having lost it, does no harm, as the first
// entry that is saved stays.
//
// Thread-safe; calls block on Redis and return the errors of redis::Store.
class Leases {
 public:
  // `duration`: how long a lease lasts without being renewed. `redis` must outlive this object.
  Leases(absl::string_view salt, std::chrono::milliseconds duration, redis::Store& redis)
      : names_(salt), duration_(duration), redis_(redis) {}

  // Tries to get the lease of a key. Returns whether `token`, which must be unique to the caller,
  // holds it now.
  absl::StatusOr<bool> Acquire(const Digest& key, absl::string_view token);
  // Returns whether somebody holds the lease of a key.
  absl::StatusOr<bool> IsTaken(const Digest& key);
  // Extends a lease to its full duration from now. Returns false when it was lost.
  absl::StatusOr<bool> Renew(const Digest& key, absl::string_view token);
  // Gives a lease back; without effect when it was lost.
  absl::Status Release(const Digest& key, absl::string_view token);

  std::chrono::milliseconds duration() const { return duration_; }

 private:
  const RemoteNames names_;
  const std::chrono::milliseconds duration_;
  redis::Store& redis_;
};

}  // namespace acceld::cache
