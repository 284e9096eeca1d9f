#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/ir/types/type.h"
#include "common/status.h"
#include "common/threads/future.h"
#include "common/threads/mutex.h"
#include "server/hal/device.h"
#include "server/runtime/memory/host_memory.h"
#include "server/runtime/memory/memory_account.h"
#include "server/runtime/memory/resident_arrays.h"

namespace acceld::runtime {

// A future tensor on a device.
//
//   pending --Schedule--> scheduled --Define--> defined
//      \---------Fail---------\-------Fail-----> failed
//
// Pending: the task that makes the array has not been dispatched. Scheduled: the array has memory,
// and a stream that is going to write it. Work on the same stream may use it at once; other work
// waits for Final(). Defined and failed are final; a failed array has released its memory.
//
// A defined array may be spilled: its bytes are then in host memory, and it holds no memory of its
// device until it is restored. The bytes of an array never change, so a reader that holds either
// copy may go on reading it during spills and restores.
//
// The memory of an array that nobody else reads may be taken for another array: see Take.
//
// Thread-safe; shared by handles and by the tasks that make or read it. Its producer calls
// Schedule, Define and Fail. No lock is held while waiters and callbacks run.
class Array : public std::enable_shared_from_this<Array> {
 public:
  enum class State : uint8_t { kPending, kScheduled, kDefined, kFailed };

  // Is notified once when an array is no longer pending. Must not block. All waiters of one array
  // are of the same class and belong to the array's device.
  class Waiter {
   public:
    virtual ~Waiter() = default;
    // Notes that one array is no longer pending. Returns whether it was the last one that the
    // waiter was waiting for.
    virtual bool OnInputResolved() = 0;
    // Makes all of `ready` runnable: waiters, this one included, that wait for nothing more.
    virtual void MakeRunnable(absl::Span<const std::shared_ptr<Waiter>> ready) = 0;
  };

  // A consistent snapshot of what a reader needs.
  struct View {
    State state = State::kPending;
    std::shared_ptr<hal::Buffer> buffer;  // if scheduled or defined, unless it is spilled
    // The stream that writes the buffer; only to be compared.
    const hal::Stream* stream = nullptr;
    absl::Status error;  // if failed
    // The copy in host memory of an array that is spilled or being restored.
    std::shared_ptr<const HostMemory::Block> spilled;
    // While the array is being restored: ready when the buffer has its bytes.
    Event arrival;
  };

  // `type` is nullopt when the array can only fail, as its program is unknown.
  Array(absl::optional<ir::TensorType> type, int device, std::shared_ptr<MemoryAccount> account);
  // An array that is not final fails with CANCELLED.
  ~Array();
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  // Returns a pointer for readers of the array. Copies of such pointers are counted separately from
  // the pointers of the array's producer and of memory management: their use_count is the number of
  // readers.
  static std::shared_ptr<Array> ForReaders(std::shared_ptr<Array> array) {
    return ForReaders(std::move(array), [] {});
  }
  // Like ForReaders above. Also calls `on_unread` when the last of these pointers is released
  // before the array is final, so that nobody will ever read it. The call is made on the thread
  // that releases the pointer, with whatever locks that thread holds.
  template <typename OnUnread>
  static std::shared_ptr<Array> ForReaders(std::shared_ptr<Array> array, OnUnread on_unread);
  // Returns whether `reader` is the only pointer of its kind: nobody else reads the array now, and
  // nobody else can get it from elsewhere later.
  static bool IsOnlyReader(const std::shared_ptr<Array>& reader);

  const absl::optional<ir::TensorType>& type() const { return type_; }
  int device() const { return device_; }
  MemoryAccount& account() const { return *account_; }

  // Returns a snapshot of the array's state and memory.
  View view() const;
  State state() const;
  // Returns the array's error, or OK while it has none.
  absl::Status error() const;
  // Returns whether the array is defined or failed.
  bool is_final() const {
    const State now = state();
    return now == State::kDefined || now == State::kFailed;
  }

  // Adds a waiter. Returns false, without calling the waiter, when the array is not pending.
  bool AddWaiter(std::shared_ptr<Waiter> waiter);
  // Runs `callback` once, with OK or the array's error, when the array is final: on the thread that
  // makes it final, or at once on the calling thread.
  void OnFinal(std::function<void(const absl::Status&)> callback);
  // Returns an event that becomes ready, always without error, when the array is final. Other
  // streams wait for it.
  Event Final();

  // Makes the array scheduled. `charged_bytes` have been charged to the account; the array refunds
  // them when it releases the memory.
  void Schedule(std::shared_ptr<hal::Buffer> buffer, const hal::Stream* stream,
                int64_t charged_bytes);
  // Makes the array defined.
  void Define();
  // Makes the array fail with `error`, which must not be OK.
  void Fail(absl::Status error);

  // Sets the list that contains the array while it holds memory worth spilling. Must be called
  // before Schedule.
  void Join(std::shared_ptr<ResidentArrays> residents);
  // Marks the array as used now.
  void Touch() const;
  // Changes the number of submitted, unfinished tasks that read the array.
  void CountReader(int change) { readers_.fetch_add(change, std::memory_order_relaxed); }

  // Declares that other arrays may have the same memory, so that nobody can take it. Must be called
  // before Schedule.
  void ShareContent() { shares_content_.store(true, std::memory_order_relaxed); }
  // Returns whether the memory can be taken by the caller, which must be the only reader of the
  // array and hold its buffer: the memory is on the device, or its contents are on the way there,
  // and it is not being spilled.
  bool MayTake() const;
  struct Taken {
    std::shared_ptr<hal::Buffer> buffer;
    int64_t charged_bytes = 0;  // to the account; the array does not refund them any more
  };
  // Takes the memory, after MayTake has returned true; returns no buffer if the array has failed
  // since. A write to the memory must wait for the array's stream and for `arrival`, like a reader.
  // The array has no value afterwards, but still becomes final for those who wait for that.
  Taken Take();

  // The following functions spill the array; they are called by one thread at a time. MaySpill
  // returns whether the array is defined, only on its device, and not in use by work in flight.
  // With Victims::kIdle, no submitted task may read it either.
  bool MaySpill(ResidentArrays::Victims victims) const;
  // Begins to spill the array. Returns the memory to copy to the host; nullptr when the array may
  // not be spilled (any more).
  std::shared_ptr<hal::Buffer> BeginSpill(ResidentArrays::Victims victims);
  // Ends the spill after `block` has received the bytes: releases the device's memory. Returns
  // false when the array is in use again; it then stays on the device.
  bool EndSpill(std::shared_ptr<HostMemory::Block> block);
  // Ends the spill after the copy has failed.
  void AbandonSpill();
  // Begins to restore the array; called by the executor of its device. `buffer` has the bytes when
  // `arrival` is ready; then the copy in host memory is released. If the copy fails the array
  // remains spilled.
  void Restore(std::shared_ptr<hal::Buffer> buffer, const Event& arrival);

 private:
  friend class ResidentArrays;

  void MakeFinal(State state, absl::Status error);
  static void Wake(std::vector<std::shared_ptr<Waiter>> waiters);
  bool MaySpillLocked(ResidentArrays::Victims victims) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndRestore(bool arrived);

  const absl::optional<ir::TensorType> type_;
  const int device_;
  // Shared, as arrays may outlive the session.
  const std::shared_ptr<MemoryAccount> account_;
  // Shared, as arrays may outlive the executor.
  std::shared_ptr<ResidentArrays> residents_;
  // The array's position in `residents_`, whose mutex guards it.
  absl::optional<ResidentArrays::Position> position_;
  std::atomic<int> readers_{0};
  std::atomic<bool> shares_content_{false};

  mutable Mutex mutex_;
  State state_ ABSL_GUARDED_BY(mutex_) = State::kPending;
  std::shared_ptr<hal::Buffer> buffer_ ABSL_GUARDED_BY(mutex_);
  const hal::Stream* stream_ ABSL_GUARDED_BY(mutex_) = nullptr;
  int64_t charged_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_spilling_ ABSL_GUARDED_BY(mutex_) = false;
  std::shared_ptr<HostMemory::Block> spilled_ ABSL_GUARDED_BY(mutex_);  // shared with readers
  Event arrival_ ABSL_GUARDED_BY(mutex_);
  absl::Status error_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Waiter>> waiters_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::function<void(const absl::Status&)>> callbacks_ ABSL_GUARDED_BY(mutex_);
};

template <typename OnUnread>
std::shared_ptr<Array> Array::ForReaders(std::shared_ptr<Array> array, OnUnread on_unread) {
  Array* const raw = array.get();
  // Destroys the array's reference with the last reader, even while weak pointers still keep this
  // deleter.
  return std::shared_ptr<Array>(
      raw, [array = std::move(array), on_unread = std::move(on_unread)](Array*) mutable {
        if (!array->is_final()) on_unread();
        array.reset();
      });
}

}  // namespace acceld::runtime
