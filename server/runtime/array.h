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
// Pending: whoever makes it has not been dispatched. Scheduled: it has memory, and a stream that is
// going to write it; work on the same stream may use it at once, other work waits for Definition().
// Defined and failed are final; a failed array has let go of its memory.
//
// A defined array may be spilled: its bytes are on the host then, and it holds no memory of its
// device until it is restored. Bytes of an array never change, so whoever holds either copy may
// read on whatever happens meanwhile.
//
// The memory of an array that nobody else reads may become another array's: Take.
//
// Thread-safe, shared by handles and by the tasks that make or read it. Its producer calls
// Schedule, Define and Fail. No lock is held while waiters and callbacks run.
class Array : public std::enable_shared_from_this<Array> {
 public:
  enum class State : uint8_t { kPending, kScheduled, kDefined, kFailed };

  // Hears once that an array is no longer pending. Must not block. The waiters of one array are of
  // one kind and of its device.
  class Waiter {
   public:
    virtual ~Waiter() = default;
    // Whether this was the last thing that it waited for.
    virtual bool OnInputResolved() = 0;
    // For several, of which this is one, that wait for nothing more.
    virtual void Begin(absl::Span<const std::shared_ptr<Waiter>> ready) = 0;
  };

  // What a reader needs; consistent at one moment.
  struct View {
    State state = State::kPending;
    std::shared_ptr<hal::Buffer> buffer;  // scheduled and defined, unless it is spilled
    const hal::Stream* stream = nullptr;  // who writes it; only to be compared
    absl::Status error;                   // failed
    // The bytes on the host, of an array that is spilled or being restored.
    std::shared_ptr<const HostMemory::Block> spilled;
    Event arrival;  // of the bytes in the buffer, while the array is being restored
  };

  // `type` is absent when the array can only fail, because its program is unknown.
  Array(absl::optional<ir::TensorType> type, int device, std::shared_ptr<MemoryAccount> account);
  // A still pending array fails with CANCELLED.
  ~Array();
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  // A pointer for those who read the array. Its copies are counted apart from the pointers of those
  // who make the array, or have to do with its memory: use_count says how many readers there are.
  static std::shared_ptr<Array> ForReaders(std::shared_ptr<Array> array) {
    return ForReaders(std::move(array), [] {});
  }
  // The same, and calls `on_unread` when the last of these pointers goes before the array's state
  // is final: nobody will ever read it then. It runs on the thread that lets go, with whatever
  // locks that one holds.
  template <typename OnUnread>
  static std::shared_ptr<Array> ForReaders(std::shared_ptr<Array> array, OnUnread on_unread);
  // Whether this is the only pointer of its kind: nobody else reads the array now, and as nobody
  // can get it from anywhere else, nobody will.
  static bool IsOnlyReader(const std::shared_ptr<Array>& reader);

  const absl::optional<ir::TensorType>& type() const { return type_; }
  int device() const { return device_; }
  MemoryAccount& account() const { return *account_; }

  View view() const;
  State state() const;
  // The array's error, or OK while it has none.
  absl::Status error() const;
  // Whether it is defined or has failed.
  bool is_final() const {
    const State now = state();
    return now == State::kDefined || now == State::kFailed;
  }

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

  // Where the array is noted while it holds memory worth spilling. Before it is scheduled.
  void Join(std::shared_ptr<ResidentArrays> residents);
  // Says that a task uses it now.
  void Touch() const;
  // Counts the submitted tasks that read it and have not ended.
  void CountReader(int change) { readers_.fetch_add(change, std::memory_order_relaxed); }

  // Says that other arrays may have the same memory: nobody can take it then. Before it is
  // scheduled.
  void ShareContent() { shares_content_.store(true, std::memory_order_relaxed); }
  // Whether the memory can be taken by the one who reads the array and holds its buffer: it is on
  // the device or on its way there, and not on its way to the host.
  bool MayTake() const;
  struct Taken {
    std::shared_ptr<hal::Buffer> buffer;
    int64_t charged_bytes = 0;  // to the account, which are not refunded by the array any more
  };
  // Takes the memory, which MayTake has allowed; nothing if the array has failed since. What is to
  // be written there has to wait for the array's stream and arrival as any reader has. The array
  // has no value then, but goes on to its final state for those who wait for that.
  Taken Take();

  // Spilling, by one thread at a time. Whether the array is defined, on its device alone, and held
  // there by nothing in flight; and, unless queued readers may wait for it, read by no task.
  bool MaySpill(ResidentArrays::Victims victims) const;
  // What to copy to the host; nullptr when the array may not be spilled (any more).
  std::shared_ptr<hal::Buffer> BeginSpill(ResidentArrays::Victims victims);
  // `block` has the bytes now: lets go of the device's memory. False when that is in use again; the
  // array stays there then.
  bool EndSpill(std::shared_ptr<HostMemory::Block> block);
  // The bytes could not be copied.
  void AbandonSpill();
  // Restoring, by the executor of the device: `buffer` has the bytes when `arrival` is ready, which
  // is when the host's copy goes. If it fails the array remains spilled.
  void Restore(std::shared_ptr<hal::Buffer> buffer, const Event& arrival);

 private:
  friend class ResidentArrays;

  void MakeFinal(State state, absl::Status error);
  static void Wake(std::vector<std::shared_ptr<Waiter>> waiters);
  bool MaySpillLocked(ResidentArrays::Victims victims) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndRestore(bool arrived);

  const absl::optional<ir::TensorType> type_;
  const int device_;
  const std::shared_ptr<MemoryAccount> account_;       // Outlives the session while arrays do.
  std::shared_ptr<ResidentArrays> residents_;          // Outlives the executor while arrays do.
  absl::optional<ResidentArrays::Position> position_;  // Guarded by the mutex of `residents_`.
  std::atomic<int> readers_{0};
  std::atomic<bool> shares_content_{false};

  mutable Mutex mutex_;
  State state_ ABSL_GUARDED_BY(mutex_) = State::kPending;
  std::shared_ptr<hal::Buffer> buffer_ ABSL_GUARDED_BY(mutex_);
  const hal::Stream* stream_ ABSL_GUARDED_BY(mutex_) = nullptr;
  int64_t charged_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_spilling_ ABSL_GUARDED_BY(mutex_) = false;
  std::shared_ptr<HostMemory::Block> spilled_ ABSL_GUARDED_BY(mutex_);  // Shared with readers.
  Event arrival_ ABSL_GUARDED_BY(mutex_);
  absl::Status error_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Waiter>> waiters_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::function<void(const absl::Status&)>> callbacks_ ABSL_GUARDED_BY(mutex_);
};

template <typename OnUnread>
std::shared_ptr<Array> Array::ForReaders(std::shared_ptr<Array> array, OnUnread on_unread) {
  Array* const raw = array.get();
  // The array goes with the last reader, also while weak pointers still keep the deleter.
  return std::shared_ptr<Array>(
      raw, [array = std::move(array), on_unread = std::move(on_unread)](Array*) mutable {
        if (!array->is_final()) on_unread();
        array.reset();
      });
}

}  // namespace acceld::runtime
