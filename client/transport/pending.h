#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "client/server_info.h"
#include "common/mutex.h"
#include "common/status.h"

namespace acceld::client {

// What the daemon answers to an Await, Fetch or Compile.
struct Answer {
  absl::Status status;
  ExecutionInfo execution;
  std::string data;          // of a Fetch, when small
  uint64_t transfer_id = 0;  // of a Fetch, when large
};

// Requests that wait for their answer. Each callback runs exactly once: on the thread that brings
// the answer, or on the one that fails the table. Any thread may call.
class PendingRequests {
 public:
  using Callback = std::function<void(Answer)>;

  // Runs `callback` at once when the table has failed.
  void Add(uint64_t request_id, Callback callback);
  // Ignores ids that nobody waits for.
  void Complete(uint64_t request_id, Answer answer);
  // Fails all that wait and all that come.
  void Fail(const absl::Status& reason);

 private:
  Mutex mutex_;
  absl::flat_hash_map<uint64_t, Callback> waiting_ ABSL_GUARDED_BY(mutex_);
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::client
