#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "server/hal/loaded_executable.h"
#include "server/hal/run_control.h"
#include "server/runtime/array.h"
#include "server/runtime/donation.h"
#include "server/runtime/host_asker.h"
#include "server/runtime/memory/device_memory.h"
#include "server/runtime/memory/meter.h"

namespace acceld::runtime {

class DeviceExecutor;
class TaskQueue;
struct ComputeStream;
struct ExpressStream;

// Runs an executable on arrays.
struct Execution {
  absl::InlinedVector<std::shared_ptr<Array>, 4> inputs;
  // Of these inputs, which are pointers for readers, the execution may overwrite what nobody else
  // reads. They are its own from when it is launched; if that never happens, each goes back.
  std::vector<DonatedArgument> donated;
  // Of the program, for messages. Shared by all its executions.
  std::shared_ptr<const std::string> program_name;
  // Where the time on the device goes, before the outputs are final. May be nullptr.
  std::shared_ptr<std::atomic<double>> execute_us;
  // When it was asked for, for the time that it waits.
  std::chrono::steady_clock::time_point submitted_at;
  // Whoever submits it waits for it before submitting more.
  bool awaited = false;
  // Set here when it is known at submission; otherwise DeviceExecutor::Provide brings it.
  std::shared_ptr<const hal::LoadedExecutable> executable;
  absl::Status executable_error;
  // Of a program with host calls: who brings them to the client. Its outputs are pending until the
  // run has ended.
  std::shared_ptr<HostAsker> host;
};

// Copies host bytes to the one output.
struct Upload {
  const void* data = nullptr;
  int64_t size_bytes = 0;
  std::shared_ptr<const void> keep_alive;
  // The memory that `data` points into, when it is the device's own (AllocateForHost): it becomes
  // the output's, and nothing is copied.
  std::shared_ptr<hal::Buffer> buffer;
};

// How a need for memory has waited so far.
struct MemoryWait {
  using TimePoint = std::chrono::steady_clock::time_point;

  // When it has waited long enough for work in flight that holds memory of the device, or what its
  // owner may have of it. Set when it begins to wait.
  TimePoint deadline = TimePoint::max(), charge_deadline = TimePoint::max();
  // Until when it waits though nothing is in flight: other threads may be about to give memory
  // back. Set when memory is found to be short.
  TimePoint settles_at = TimePoint::max();
  // When it is to be tried again though nothing has ended.
  TimePoint retry_at = TimePoint::max();
  // When an execution was last told to end for it; the epoch: none was.
  TimePoint last_end;
  DeviceMemory::Search search;
};

// One piece of work for a device: made by the caller, then owned by the executor, which settles
// every output in the end, as defined or failed. Only DeviceExecutor::Cancel may be called for a
// task that is not submitted yet, by any thread; the rest is the submitting thread's until then.
class Task final : public Array::Waiter, public std::enable_shared_from_this<Task> {
 public:
  static std::shared_ptr<Task> Create(std::variant<Execution, Upload> work) {
    // Not make_shared: weak references that outlive the task must not keep its memory.
    return std::shared_ptr<Task>(new Task(std::move(work)));
  }

  // One for each result, all pending. Fill before the task is submitted.
  absl::InlinedVector<std::shared_ptr<Array>, 2> outputs;
  // Whose it is, for the trace.
  uint64_t session = 0;
  // What counts it as outstanding; given back when it has ended.
  Charge charge;
  // Its longest time on the device; it fails with `overlong` when it takes more. Zero: any.
  std::chrono::nanoseconds max_run{0};
  absl::Status overlong;

  // What is to be done; for changes before the task is submitted.
  std::variant<Execution, Upload>& work() { return work_; }

  // Called by inputs.
  bool OnInputResolved() override { return blockers_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  void Begin(absl::Span<const std::shared_ptr<Array::Waiter>> ready) override;

 private:
  friend class DeviceExecutor;
  friend class TaskHostCalls;
  friend class TaskQueue;
  // Which of its queue's lists it is in: none while new and when it is done.
  enum class Place : uint8_t { kNew, kWaiting, kRunnable, kTaken, kDone };

  explicit Task(std::variant<Execution, Upload> work) : work_(std::move(work)) {}

  // Hands the task to its executor when nothing else blocks it.
  void Unblock();
  bool is_upload() const { return std::holds_alternative<Upload>(work_); }

  std::variant<Execution, Upload> work_;
  DeviceExecutor* executor_ = nullptr;  // Outlives its tasks.
  std::shared_ptr<TaskQueue> queue_;
  // Pending inputs, a missing executable and the submission itself.
  std::atomic<int> blockers_{0};
  std::atomic<int64_t> device_ns_{0};  // Set by the stream, read when the task is done.
  std::chrono::steady_clock::time_point dispatched_at_;  // uploads
  int64_t charged_cost_ = 0;  // What its queue was charged with when its turn came.
  absl::InlinedVector<Event, 1> input_copies_;  // that its launch waits for
  bool is_short_ = false;  // It was sure to end within a slice when it was given to its stream.
  bool here_ = false;      // The thread that submitted it is dispatching it,
  bool brief_ = false;     // and runs it if the stream allows.
  ExpressStream* express_ = nullptr;  // on which it goes past what the device is doing
  bool was_handed_back_ = false;      // and goes no special way any more
  hal::RunControl control_;           // Polled by its kernels.
  ComputeStream* stream_ = nullptr;   // on which it runs; nullptr: uploads, and what is express
  MemoryWait memory_wait_;            // The dispatcher's.
  // Its dispatch is to be tried again, when there are more completions than these.
  bool wants_memory_ = false;
  uint64_t seen_completions_ = 0;
  // The same, when the turn of another for memory is over.
  bool awaits_memory_turn_ = false;
  // What it has on the device while it has that turn, and waits for the rest.
  std::vector<std::shared_ptr<hal::Buffer>> kept_;
  bool is_admitted_ = false;  // It may begin however many runs are parked.
  // Memory for the outputs that are to be scheduled when the run has ended, and what was charged.
  struct PendingOutput {
    std::shared_ptr<hal::Buffer> buffer;
    int64_t charged_bytes = 0;
  };
  absl::InlinedVector<PendingOutput, 2> pending_outputs_;
  // It was launched, and its outputs are scheduled or pending_outputs_. Who sees this true and the
  // one before it too, may settle it early.
  std::atomic<bool> launched_{false};
  std::atomic<bool> settled_{false};  // Set once by the one who settles what was launched.
  std::atomic<int> read_outputs_{0};  // that have a reader: see DeviceExecutor::ReaderOf
  // Guarded by the executor's mutex.
  absl::Status cancel_reason_;
  Place place_ = Place::kNew;
  std::list<std::shared_ptr<Task>>::iterator position_;
};

}  // namespace acceld::runtime
