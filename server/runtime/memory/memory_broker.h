#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/hal/device.h"
#include "server/runtime/memory/device_memory.h"
#include "server/runtime/memory/memory_lease.h"
#include "server/runtime/memory/memory_wait.h"
#include "server/runtime/memory/output_memory.h"
#include "server/runtime/memory/work_in_flight.h"
#include "server/runtime/task.h"

namespace acceld::runtime {

// Gets memory of a device for tasks and for others, also when the device is short of it: unused
// executables and arrays are evicted first (DeviceMemory), then the caller waits for work in
// flight, then inputs of queued tasks are spilled, and at last an execution of an owner with more
// than its share is ended. The need fails when all of that is not enough.
//
// A task never blocks here, as the dispatch thread must serve others: the call fails with
// RESOURCE_EXHAUSTED and sets Task::wants_memory_, and the task is tried again when something has
// ended (completions()) or when another's memory lease has. A task that is dispatched by its
// submitting thread fails as soon as there is no memory.
//
// Thread-safe. The executor's mutex may be held by callers only where a function says so.
class MemoryBroker {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Options {
    std::chrono::milliseconds memory_wait{0};    // DeviceExecutor::Options
    std::chrono::milliseconds slice{0};          // the same
    std::chrono::milliseconds stall_timeout{0};  // the same
    DeviceMemory::Options memory;                // without on_spilled
  };

  // `device`, number `index` of the engine, and `work` must outlive the broker. `to_host` makes the
  // copies of spilled arrays.
  MemoryBroker(hal::Device& device, int index, hal::Stream& to_host, WorkInFlight& work,
               const Options& options);

  // The memory of tasks.
  //
  // Returns whether the task may be dispatched, although another one may hold the memory lease.
  bool MayDispatch(const Task& task) const;
  // Makes the task wait for the end of another's memory lease. Returns RESOURCE_EXHAUSTED.
  static absl::Status AwaitLease(Task& task);
  // Allocates memory for every output without a donor, and temporary memory of `arena_bytes`, which
  // the launches of one stream share while it is large enough; charges the outputs' accounts.
  // Nothing is allocated or charged on failure.
  absl::Status AllocateAll(Task& task, int64_t arena_bytes, OutputMemories& outputs,
                           std::shared_ptr<hal::Buffer>& arena);
  // Allocates memory for an input of the task.
  absl::StatusOr<std::shared_ptr<hal::Buffer>> Allocate(Task& task, int64_t size_bytes);
  // Keeps memory of inputs on the device for a task that holds the memory lease.
  void Keep(const Task& task, absl::Span<const std::shared_ptr<hal::Buffer>> were_there,
            absl::Span<const std::shared_ptr<hal::Buffer>> brought) {
    lease_.Keep(task, were_there, brought);
  }
  // Ends the task's memory lease, if it holds it: it has its memory, or has failed.
  void EndLease(const Task& task);

  // The memory of others: see DeviceExecutor::WithRoomFor.
  absl::Status WithRoomFor(int64_t size_bytes, const Meter* owner,
                           absl::FunctionRef<absl::Status()> allocate) {
    return FindMemory(nullptr, owner, size_bytes, allocate);
  }
  // Allocates memory that host code can write; nullptr when the device has no such memory or not
  // plenty of it free. Does not wait.
  std::shared_ptr<hal::Buffer> AllocateForHost(int64_t size_bytes);

  // What happens on the device.
  //
  // Counts the end of something that was in flight, whose memory is free now. The executor's mutex
  // is held, in the critical section in which the executor ceases to count it as in flight.
  void NoteCompletion();
  // The number of completions so far. May be called with the executor's mutex.
  uint64_t completions() const { return completions_.load(); }
  // A copy of a spilled array to the device begins or ends.
  void BeginRestore();
  void EndRestore();
  // A copy to the host begins or ends, during which an array's memory cannot be freed.
  void BeginDownload() { downloads_in_flight_.fetch_add(1); }
  void EndDownload();
  // Returns until when tasks that wait for another's memory lease have to wait. May be called with
  // the executor's mutex.
  TimePoint LeaseBindsUntil() const { return lease_.BindsUntil(ArraysMove()); }

  const std::shared_ptr<ResidentArrays>& residents() const { return memory_.residents(); }
  DeviceMemory::Stats stats() const { return memory_.stats(); }

 private:
  // What a need does after memory was freed, or was not.
  enum class Next : uint8_t {
    // Something has ended, or some memory has been freed; try again.
    kTryAgain,
    // Something is in flight; the task must be tried again when it ends.
    kLater,
    // Nothing else is in flight, or the deadline has passed.
    kHopeless,
  };

  // Calls `allocate` and frees memory for the owner until that returns anything but
  // RESOURCE_EXHAUSTED. `task` is nullptr for callers other than tasks.
  absl::Status FindMemory(Task* task, const Meter* owner, int64_t size_bytes,
                          absl::FunctionRef<absl::Status()> allocate);
  // Frees memory, or waits for work that will free some.
  Next MakeRoom(Task* task, const Meter* owner, int64_t size_bytes, DeviceMemory::Victims victims,
                uint64_t seen_completions, MemoryWait& wait);
  // Returns how long an owner waits for memory held by work in flight.
  std::chrono::milliseconds Patience(int64_t size_bytes, const Meter* owner) const;
  // Ends an execution of an owner that has more than its share of memory while this owner has less.
  // Returns true if there is one, or was recently, so that the wait continues.
  bool EndOneOfOthers(int64_t size_bytes, const Meter* owner, MemoryWait& wait);
  // Waits for a completion until `deadline`, and until `settles_at` even if nothing is in flight.
  // For a task it does not block, but notes when the task must be tried again.
  Next AwaitCompletion(Task* task, uint64_t seen_completions, TimePoint deadline,
                       TimePoint settles_at);
  Next PollCompletion(Task& task, uint64_t seen_completions, TimePoint deadline,
                      TimePoint settles_at);
  Next WaitForCompletion(uint64_t seen_completions, TimePoint deadline, TimePoint settles_at);
  // For calls without a task: try again at once. A task is tried again after others have been
  // scheduled.
  static Next TryAgainAfterOthers(Task* task);
  // Returns whether anything is in flight that will free memory, apart from `own_in_flight` tasks
  // of the caller.
  bool HoldsMemory(int own_in_flight) const;
  bool ArraysMove() const { return memory_.is_spilling() || restores_in_flight_.load() > 0; }
  // Returns whose memory the task uses.
  static const Meter* OwnerOf(const Task& task);
  // Returns how many bytes of device memory the task still needs.
  int64_t MissingBytes(const Task& task) const;
  bool MayTake(const Task& task, int64_t size_bytes) const;
  bool AcquireLease(Task& task);
  // Notes that arrays have left the device, or that one has arrived.
  void EndMove();

  absl::Status ChargeAll(Task& task, OutputMemories& outputs);
  static void RefundAll(Task& task, OutputMemories& outputs);
  absl::Status TryAllocateAll(const Task& task, int64_t arena_bytes, OutputMemories& outputs,
                              std::shared_ptr<hal::Buffer>& arena);
  absl::StatusOr<std::shared_ptr<hal::Buffer>> Arena(const Task& task, int64_t size_bytes);

  hal::Device& device_;
  const int index_;
  WorkInFlight& work_;
  const Options options_;
  MemoryLease lease_;
  std::atomic<uint64_t> completions_{0};
  // Changed under the mutex, together with completions_.
  std::atomic<int> restores_in_flight_{0}, downloads_in_flight_{0};
  std::atomic<int> num_waiters_{0};  // threads in WaitForCompletion
  Mutex mutex_;
  CondVar completed_;
  DeviceMemory memory_;
};

}  // namespace acceld::runtime
