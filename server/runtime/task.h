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
#include "server/runtime/host_call_sender.h"
#include "server/runtime/memory/memory_wait.h"
#include "server/runtime/memory/meter.h"

namespace acceld::runtime {

class DeviceExecutor;
class Gang;
class TaskQueue;
class ComputeStream;
struct BypassStream;

// Runs an executable on arrays.
struct Execution {
  absl::InlinedVector<std::shared_ptr<Array>, 4> inputs;
  // The donated inputs, which are pointers for readers (Array::ForReaders). The execution may
  // overwrite those that nobody else reads. They belong to the execution once it is launched; if it
  // never is, they are returned to the donors.
  std::vector<DonatedArgument> donated;
  // The name of the program, for messages. Shared by all its executions.
  std::shared_ptr<const std::string> program_name;
  // Set to the time on the device before the outputs are final. May be nullptr.
  std::shared_ptr<std::atomic<double>> execute_us;
  // When the execution was submitted, to measure how long it waits.
  std::chrono::steady_clock::time_point submitted_at;
  // Whether the client waits for the results before it submits anything else.
  bool awaited = false;
  // Set at submission if the executable is available then; otherwise DeviceExecutor::Provide sets
  // it.
  std::shared_ptr<const hal::LoadedExecutable> executable;
  absl::Status executable_error;
  // The gang that the task is a member of, and its number there; nullptr: the execution is of one
  // device. Constant once the task is submitted; the gang forgets its tasks when they have ended.
  std::shared_ptr<Gang> gang;
  int participant = 0;
  // Delivers host calls to the client; nullptr if the program has none. The outputs of an execution
  // with host calls stay pending until the run has ended.
  std::shared_ptr<HostCallSender> host;
};

// Copies bytes from host memory to the only output.
struct Upload {
  const void* data = nullptr;
  int64_t size_bytes = 0;
  std::shared_ptr<const void> keep_alive;
  // The memory that contains `data` if it is the device's own (AllocateForHost). It becomes the
  // memory of the output, and nothing is copied.
  std::shared_ptr<hal::Buffer> buffer;
};

// A piece of work for a device. It is made by the caller and then owned by the executor, which in
// the end makes every output defined or failed. Before the task is submitted it belongs to the
// submitting thread; others may only call DeviceExecutor::Cancel.
class Task final : public Array::Waiter, public std::enable_shared_from_this<Task> {
 public:
  // Creates a task that is not submitted.
  static std::shared_ptr<Task> Create(std::variant<Execution, Upload> work) {
    // Not make_shared, as weak references that outlive the task would keep its memory.
    return std::shared_ptr<Task>(new Task(std::move(work)));
  }

  // One pending array for each result. Must be filled before the task is submitted.
  absl::InlinedVector<std::shared_ptr<Array>, 2> outputs;
  // The session that the task belongs to, for the trace.
  uint64_t session = 0;
  // Counts the task as outstanding; released when the task has ended.
  Charge charge;
  // The longest time that the task may have the device; after that it fails with `max_run_error`.
  // Zero: no limit.
  std::chrono::nanoseconds max_run{0};
  absl::Status max_run_error;

  // The work, which may be changed before the task is submitted.
  std::variant<Execution, Upload>& work() { return work_; }
  // The work by its kind; nullptr if it is of the other kind.
  Execution* execution() { return std::get_if<Execution>(&work_); }
  const Execution* execution() const { return std::get_if<Execution>(&work_); }
  Upload* upload() { return std::get_if<Upload>(&work_); }
  const Upload* upload() const { return std::get_if<Upload>(&work_); }
  bool is_upload() const { return upload() != nullptr; }
  // Returns whether the task was told to end. May be called by any thread.
  bool is_cancelled() const { return control_.cancelled().load(); }
  // Returns whether an execution was expected to end within a time slice when it was given to its
  // stream. Guarded by the executor's mutex.
  bool is_short() const { return is_short_; }

  // The gang that the task is a member of; nullptr if it is in none.
  Gang* gang() const { return execution() == nullptr ? nullptr : execution()->gang.get(); }

  // The estimate of how long an execution, which must have its executable, takes once it has begun.
  // Without waits for the other members of its gang.
  std::chrono::nanoseconds ExpectedRun() const {
    const Execution& execution = *this->execution();
    const hal::LoadedExecutable& executable = *execution.executable;
    return std::chrono::nanoseconds(execution.gang != nullptr ? executable.cost_in_gang.ns()
                                                              : executable.cost.ns());
  }

  // Called by inputs.
  bool OnInputResolved() override { return RemoveBlocker(/*by_submission=*/false); }
  void MakeRunnable(absl::Span<const std::shared_ptr<Array::Waiter>> ready) override;

 private:
  friend class DeviceExecutor;
  friend class Dispatcher;
  friend class Gang;
  friend class HostCallLimits;
  friend class MemoryBroker;
  friend class Scheduler;
  friend class TaskHostCalls;
  // The list of its queue that contains the task. kNew and kDone: none.
  enum class State : uint8_t { kNew, kWaiting, kRunnable, kTaken, kDone };

  explicit Task(std::variant<Execution, Upload> work) : work_(std::move(work)) {}

  // Removes one blocker, and hands the task to its executor if that was the last one.
  // `by_submission`: the thread that submits the task calls this.
  void Unblock(bool by_submission = false);
  // Removes one blocker. Returns whether it was the last one.
  bool RemoveBlocker(bool by_submission);

  std::variant<Execution, Upload> work_;
  DeviceExecutor* executor_ = nullptr;  // outlives its tasks
  std::shared_ptr<TaskQueue> queue_;
  // The number of pending inputs, plus one each for a missing executable, for an unfinished
  // submission, and for a gang that has not begun.
  std::atomic<int> blockers_{0};
  // Set by the stream, and read when the task is done.
  std::atomic<int64_t> device_ns_{0}, waited_ns_{0};
  std::chrono::steady_clock::time_point dispatched_at_;  // of uploads
  // What its queue was charged for the task when it was taken from the schedule.
  int64_t charged_cost_ = 0;
  // Copies of inputs that the launch waits for.
  absl::InlinedVector<Event, 1> input_copies_;
  bool is_short_ = false;
  // Whether the submitting thread is dispatching the task.
  bool dispatched_inline_ = false;
  // Whether that thread also runs the task if the stream allows it.
  bool may_run_inline_ = false;
  // The bypass stream on which the task overtakes the work of the device; nullptr: none.
  BypassStream* bypass_ = nullptr;
  // Whether the task was put back after it had been taken: it is not dispatched by its submitting
  // thread or on a bypass stream any more.
  bool was_put_back_ = false;
  // Polled by the kernels of the task.
  hal::RunControl control_;
  // The stream on which an execution runs; nullptr for uploads and on express streams.
  ComputeStream* stream_ = nullptr;
  MemoryWait memory_wait_;  // used by the dispatcher only
  // The dispatch found no memory and must be tried again when the executor's count of completions
  // has grown beyond seen_completions_.
  bool wants_memory_ = false;
  uint64_t seen_completions_ = 0;
  // The dispatch must be tried again when another task's memory lease has ended.
  bool awaits_memory_lease_ = false;
  // Whether the task may begin even if too many runs wait for their client.
  bool is_admitted_ = false;
  // Memory for outputs that become scheduled only when the run has ended, and what was charged for
  // it.
  struct PendingOutput {
    std::shared_ptr<hal::Buffer> buffer;
    int64_t charged_bytes = 0;
  };
  absl::InlinedVector<PendingOutput, 2> pending_outputs_;
  // Whether the task was launched, so that its outputs are scheduled or in pending_outputs_. A
  // thread that sees launched_ and a cancellation both set may settle the outputs before the run
  // ends.
  std::atomic<bool> launched_{false};
  // Set once, by the thread that settles the outputs of a launched task.
  std::atomic<bool> settled_{false};
  // The number of outputs that have a reader: see DeviceExecutor::ReaderOf.
  std::atomic<int> read_outputs_{0};
  // The following members are guarded by the executor's mutex.
  absl::Status cancel_reason_;
  State state_ = State::kNew;
  std::list<std::shared_ptr<Task>>::iterator position_;
};

}  // namespace acceld::runtime
