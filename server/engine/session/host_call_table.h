#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/engine/session/session_types.h"
#include "server/runtime/host_asker.h"
#include "server/runtime/memory/meter.h"

namespace acceld::engine {

// The host calls of one session's executions, from when a run asks to its answer. Thread-safe,
// shared with the executions; no lock is held while answers and listeners are called.
class HostCallTable : public std::enable_shared_from_this<HostCallTable> {
 public:
  // Copies of operands are charged to `memory`.
  explicit HostCallTable(std::shared_ptr<runtime::Meter> memory) : memory_(std::move(memory)) {}

  // Who hears of the calls from now on.
  void Serve(std::shared_ptr<HostCallListener> listener);
  // Whom an execution on `device` asks that was given these callbacks. FAILED_PRECONDITION when
  // nobody hears of the calls.
  absl::StatusOr<std::shared_ptr<runtime::HostAsker>> NewAsker(uint64_t callbacks, uint32_t device);
  // An execution with these callbacks has ended so.
  void End(uint64_t callbacks, const absl::Status& status);

  // What the answer to a call must be.
  struct Expected {
    int64_t callback = 0;
    uint32_t device = 0;
    std::vector<ir::TensorType> results;
  };
  // nullopt: there is no such call that waits.
  absl::optional<Expected> Find(uint64_t call_id) const;
  // Nothing happens when there is no such call (any more).
  void Answer(uint64_t call_id, absl::StatusOr<std::vector<hal::HostValue>> values);
  // Later calls fail with `reason`. Those that wait are their runs' to withdraw.
  void Close(const absl::Status& reason);

 private:
  class Asker;
  struct Waiting {
    Expected expected;
    runtime::HostAsker::Answer answer;
  };

  absl::StatusOr<std::shared_ptr<char>> Allocate(int64_t size_bytes);
  absl::StatusOr<uint64_t> Ask(uint64_t callbacks, uint32_t device, const kernels::HostCall& call,
                               std::vector<SharedBytes> operands,
                               runtime::HostAsker::Answer answer);
  void Withdraw(uint64_t call_id);
  std::shared_ptr<HostCallListener> listener() const;

  const std::shared_ptr<runtime::Meter> memory_;  // Shared with what was allocated.
  mutable Mutex mutex_;
  std::shared_ptr<HostCallListener> listener_ ABSL_GUARDED_BY(mutex_);
  absl::Status closed_ ABSL_GUARDED_BY(mutex_);
  uint64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<uint64_t, Waiting> waiting_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::engine
