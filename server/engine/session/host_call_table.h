#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/engine/session/session_types.h"
#include "server/runtime/host_call_sender.h"
#include "server/runtime/memory/meter.h"

namespace acceld::engine {

// The host calls of one session's executions, from the call to its answer. Thread-safe; shared with
// the executions. No lock is held while answers and listeners are called.
class HostCallTable : public std::enable_shared_from_this<HostCallTable> {
 public:
  // The copies of operands are charged to `memory`.
  explicit HostCallTable(std::shared_ptr<runtime::Meter> memory) : memory_(std::move(memory)) {}

  // Sets the listener that receives later calls.
  void Serve(std::shared_ptr<HostCallListener> listener);
  // Returns the object through which an execution on `device` calls its client, given the client's
  // number for its callbacks. FAILED_PRECONDITION when there is no listener.
  absl::StatusOr<std::shared_ptr<runtime::HostCallSender>> NewHostCallSender(uint64_t callbacks,
                                                                             uint32_t device);
  // Tells the listener that the execution with these callbacks has ended with `status`.
  void End(uint64_t callbacks, const absl::Status& status);

  // What the answer to a call must match.
  struct Expected {
    int64_t callback = 0;
    uint32_t device = 0;
    std::vector<ir::TensorType> results;
  };
  // Returns what is expected of the answer to a call; nullopt when no such call is waiting.
  absl::optional<Expected> Find(uint64_t call_id) const;
  // Answers a call. Without effect when no such call is waiting.
  void Answer(uint64_t call_id, absl::StatusOr<std::vector<hal::HostValue>> values);
  // Makes later calls fail with `reason`. Calls that are waiting are withdrawn by their executions.
  void Close(const absl::Status& reason);

 private:
  class Requester;
  // A call that has not been answered.
  struct Waiting {
    Expected expected;
    runtime::HostCallSender::Answer answer;
  };

  absl::StatusOr<std::shared_ptr<char>> Allocate(int64_t size_bytes);
  absl::StatusOr<uint64_t> Ask(uint64_t callbacks, uint32_t device, const kernels::HostCall& call,
                               std::vector<SharedBytes> operands,
                               runtime::HostCallSender::Answer answer);
  void Withdraw(uint64_t call_id);
  std::shared_ptr<HostCallListener> listener() const;

  const std::shared_ptr<runtime::Meter> memory_;  // shared with the memory allocated
  mutable Mutex mutex_;
  std::shared_ptr<HostCallListener> listener_ ABSL_GUARDED_BY(mutex_);
  absl::Status closed_ ABSL_GUARDED_BY(mutex_);
  uint64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<uint64_t, Waiting> waiting_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::engine
