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

// The transfers of one session: bytes that the client was offered in an event, under a number, and
// that it has not downloaded yet. Thread-safe; nothing blocks.
class SessionTransfers {
 public:
  explicit SessionTransfers(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  // Makes a transfer of the bytes and returns its number. RESOURCE_EXHAUSTED when there are other
  // transfers and all together would have more than max_bytes; one alone may have any size.
  absl::StatusOr<uint64_t> Add(SharedBytes bytes);
  // The same for bytes that are counted elsewhere: they do not count against max_bytes.
  uint64_t AddUncounted(SharedBytes bytes);
  // Removes the transfer and returns its bytes. NOT_FOUND when there is none with this number.
  absl::StatusOr<SharedBytes> Take(uint64_t transfer_id);
  // Removes all transfers.
  void Clear();

 private:
  struct Waiting {
    SharedBytes bytes;
    bool is_counted = true;
  };

  const uint64_t max_bytes_;
  Mutex mutex_;
  std::map<uint64_t, Waiting> waiting_ ABSL_GUARDED_BY(mutex_);
  uint64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;  // of the transfers that are counted
  uint64_t next_id_ ABSL_GUARDED_BY(mutex_) = 1;
};

}  // namespace acceld::rpc
