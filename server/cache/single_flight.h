#pragma once

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/future.h"
#include "common/mutex.h"
#include "common/status.h"

namespace acceld::cache {

// Lets concurrent requests for one key share one piece of work. The first to Join leads: it does
// the work, on whatever thread, and must Land its result once; the others get the leader's future.
// Results are not kept: who joins after the landing leads anew. Nobody's leaving stops a flight.
//
// Thread-safe. Land runs the waiters' callbacks on its thread, with no lock held.
template <typename Key, typename Value>
class SingleFlight {
 public:
  struct Ticket {
    Future<Value> future;
    bool leads = false;
  };

  Ticket Join(const Key& key) {
    MutexLock lock(mutex_);
    auto [it, inserted] = flights_.try_emplace(key);
    return {it->second.future(), inserted};
  }

  void Land(const Key& key, absl::StatusOr<Value> result) {
    auto flight = [&] {
      MutexLock lock(mutex_);
      return flights_.extract(key);
    }();
    flight.mapped().Set(std::move(result));
  }

 private:
  Mutex mutex_;
  absl::flat_hash_map<Key, Promise<Value>> flights_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::cache
