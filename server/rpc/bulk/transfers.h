#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "common/memory/shared_bytes.h"
#include "common/status.h"
#include "common/threads/mutex.h"

namespace acceld::rpc {

// A session's fetched arrays that wait for their Download. Any thread may call.
class SessionTransfers {
 public:
  explicit SessionTransfers(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  // A number for these bytes. RESOURCE_EXHAUSTED when others wait and the limit would be passed.
  absl::StatusOr<uint64_t> Add(SharedBytes bytes);
  // The same for bytes that are counted elsewhere.
  uint64_t AddUncounted(SharedBytes bytes);
  // Takes them out, once. NOT_FOUND.
  absl::StatusOr<SharedBytes> Take(uint64_t transfer_id);
  // Forgets all that wait.
  void Clear();

 private:
  struct Waiting {
    SharedBytes bytes;
    bool is_counted = true;
  };

  const uint64_t max_bytes_;
  Mutex mutex_;
  std::map<uint64_t, Waiting> waiting_ ABSL_GUARDED_BY(mutex_);
  uint64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t next_id_ ABSL_GUARDED_BY(mutex_) = 1;
};

}  // namespace acceld::rpc
