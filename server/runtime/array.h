#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/types/optional.h"
#include "common/future.h"
#include "common/ir/type.h"
#include "common/mutex.h"
#include "common/status.h"
#include "server/hal/device.h"
#include "server/runtime/memory_account.h"

namespace acceld::runtime {

// A future tensor on a device.
//
//   pending --Schedule--> scheduled --Define--> defined
//      \---------Fail---------\-------Fail-----> failed
//
// Pending: whoever makes it has not been dispatched. Scheduled: it has memory, and a stream that is
// going to write it; work on the same stream may use it at once, other work waits for Definition().
// Defined and failed are final; a failed array has let go of its memory.
//
// Thread-safe, shared by handles and by the tasks that make or read it. Its producer calls
// Schedule, Define and Fail. No lock is held while waiters and callbacks run.
class Array {
 public:
  enum class State : uint8_t { kPending, kScheduled, kDefined, kFailed };

  // Hears once that an array is no longer pending. Must not block.
  class Waiter {
   public:
    virtual ~Waiter() = default;
    virtual void OnInputResolved() = 0;
  };

  // What a reader needs; consistent at one moment.
  struct View {
    State state = State::kPending;
    std::shared_ptr<hal::Buffer> buffer;  // scheduled and defined
    const hal::Stream* stream = nullptr;  // who writes it; only to be compared
    absl::Status error;                   // failed
  };

  // `type` is absent when the array can only fail, because its program is unknown.
  Array(absl::optional<ir::TensorType> type, int device, std::shared_ptr<MemoryAccount> account);
  // A still pending array fails with CANCELLED.
  ~Array();
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  const absl::optional<ir::TensorType>& type() const { return type_; }
  int device() const { return device_; }
  MemoryAccount& account() const { return *account_; }

  View view() const;
  State state() const;
  // The array's error, or OK while it has none.
  absl::Status error() const;

  // False when the array is not pending (any more); the waiter is not called then.
  bool AddWaiter(std::shared_ptr<Waiter> waiter);
  // Runs `callback` once with OK or the array's error when its state is final: on the thread that
  // makes it final, or here and now.
  void OnFinal(std::function<void(const absl::Status&)> callback);
  // Ready, always without error, once the state is final. For waits of other streams.
  Event Final();

  // `charged_bytes` were charged to the account and are refunded when the memory is let go.
  void Schedule(std::shared_ptr<hal::Buffer> buffer, const hal::Stream* stream,
                int64_t charged_bytes);
  void Define();
  // `error` is not OK.
  void Fail(absl::Status error);

 private:
  void MakeFinal(State state, absl::Status error);

  const absl::optional<ir::TensorType> type_;
  const int device_;
  const std::shared_ptr<MemoryAccount> account_;  // Outlives the session while arrays do.

  mutable Mutex mutex_;
  State state_ ABSL_GUARDED_BY(mutex_) = State::kPending;
  std::shared_ptr<hal::Buffer> buffer_ ABSL_GUARDED_BY(mutex_);
  const hal::Stream* stream_ ABSL_GUARDED_BY(mutex_) = nullptr;
  int64_t charged_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status error_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Waiter>> waiters_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::function<void(const absl::Status&)>> callbacks_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::runtime
