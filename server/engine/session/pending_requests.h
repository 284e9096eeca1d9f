#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "common/threads/mutex.h"

namespace acceld::engine {

// Requests that a session has not answered yet. Each is answered exactly once: by the thread for
// which Take returns true, or by CancelAll. Thread-safe; shared with the callbacks that will
// answer. No lock is held while answers run.
class PendingRequests {
 public:
  using Cancel = std::function<void(const absl::Status&)>;

  // At most `limit` requests may be pending.
  explicit PendingRequests(size_t limit) : limit_(limit) {}

  // Adds a request; `cancel` answers it with a status. Returns its id. After CancelAll, the
  // reason for that; RESOURCE_EXHAUSTED when there are too many.
  absl::StatusOr<uint64_t> Add(Cancel cancel) {
    MutexLock lock(mutex_);
    if (!closed_.ok()) return closed_;
    if (requests_.size() >= limit_) {
      return absl::ResourceExhaustedError(
          absl::StrCat("session: ", requests_.size(), " of ", limit_, " requests are pending"));
    }
    requests_.emplace(++last_id_, std::move(cancel));
    return last_id_;
  }
  // Returns true if the caller is the one that must answer the request.
  bool Take(uint64_t id) {
    Cancel dropped;
    MutexLock lock(mutex_);
    const auto it = requests_.find(id);
    if (it == requests_.end()) return false;
    dropped = std::move(it->second);
    requests_.erase(it);
    return true;
  }
  // Answers all pending requests with `reason`, and makes later calls of Add fail with it.
  void CancelAll(const absl::Status& reason) {
    absl::flat_hash_map<uint64_t, Cancel> requests;
    {
      MutexLock lock(mutex_);
      closed_ = reason;
      requests.swap(requests_);
    }
    for (auto& [id, cancel] : requests) cancel(reason);
  }

 private:
  const size_t limit_;
  Mutex mutex_;
  absl::Status closed_ ABSL_GUARDED_BY(mutex_);
  uint64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<uint64_t, Cancel> requests_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::engine
