#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "common/memory/shared_bytes.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/hal/device.h"
#include "server/observability/instruments/execution_instruments.h"
#include "server/observability/instruments/trace_ring.h"
#include "server/runtime/array.h"
#include "server/runtime/dispatch/dispatcher.h"
#include "server/runtime/memory/work_in_flight.h"
#include "server/runtime/schedule/device_share.h"
#include "server/runtime/schedule/inline_limits.h"
#include "server/runtime/schedule/scheduler.h"
#include "server/runtime/schedule/task_queue.h"
#include "server/runtime/task.h"

namespace acceld::runtime {

// Runs tasks on one device. A task is dispatched when its executable is available, none of its
// inputs is pending, and those of other devices are final. Only then is memory allocated, and the
// launch is given to a stream, which orders it after the launches that make its inputs.
//
// The executor joins three parts: the Scheduler decides which task goes to the device next and for
// how long, the Dispatcher gives it to the streams of the device, and the Dispatcher's MemoryBroker
// finds memory when the device is short of it. The executor itself has the lock and the dispatch
// thread, and sees every task from Submit to its end.
//
// A task that is very short (Options.very_short_run, very_short_bytes) or awaited and is submitted
// while device and dispatch thread are idle is dispatched by the submitting thread itself. A very
// short one also runs on that thread if the stream allows, so that its results exist when Submit
// returns. Only tasks being submitted are treated so, never tasks that become runnable, so there is
// no recursion.
//
// An execution may request values from its client (host calls). While it waits for the answer,
// others have the device, and only its own results are delayed.
//
// An execution without side effects whose outputs nobody can read any more is cancelled (ReaderOf).
// Its inputs then lose a reader, so a chain of executions that is dropped ends as a whole, one link
// after another.
//
// A member of a gang (gang/gang.h) is dispatched when the other members are ready, too. If all
// members are very short, the thread that submits the last one dispatches all of them.
//
// A failure becomes the error of the task's outputs ("program X: ...") and, unchanged, the error of
// everything computed from them. Chains of any length are settled without recursion.
//
// Thread-safe. One thread at a time gives work to the compute streams: the dispatch thread, or a
// thread that dispatches the task that it submits. Completions run on the stream threads of the
// device, or on the thread on which the stream ran the work. Tasks may use arrays of other devices,
// which are copied to this one. All executors that share arrays must be idle before the first of
// them is destroyed.
class DeviceExecutor final : public Scheduler::Events, public WorkInFlight {
 public:
  struct Options {
    // The most executions in flight, and the most uploads.
    int max_in_flight = 64;
    // The time for which the device is given work in advance.
    std::chrono::microseconds run_ahead{200};
    // A task is very short if it is expected to take, and to allocate, no more than this.
    std::chrono::microseconds very_short_run{20};
    int64_t very_short_bytes = 16 << 10;
    // The same limits for a task that its client awaits: the submitting thread, which serves that
    // client, has nothing else to do.
    std::chrono::microseconds awaited_run{2000};
    int64_t awaited_bytes = 16 << 20;
    // The most bytes of uploads being copied at a time; a single upload may be larger.
    int64_t upload_bytes = int64_t{16} << 20;
    observability::TraceRing* trace = nullptr;  // gets spans of launches, copies and collectives
    DeviceMemory::Options memory;
    // How long a dispatch waits for memory held by work in flight.
    std::chrono::milliseconds memory_wait{30'000};
    // How long an execution has the device while others wait.
    std::chrono::milliseconds slice{20};
    // The bounds for the slice while a short task waits: the slice is then as long as that task is
    // expected to take, at least min_slice and at most `slice`.
    std::chrono::milliseconds min_slice{1};
    // How long an execution is given to pause where other work cannot run alongside it; at most as
    // long as the slice was.
    std::chrono::milliseconds pause_grace{10};
    // The most streams with suspended executions; one user may have a quarter of them.
    int max_suspended = 64;
    // Where runs overlap and cannot be made to pause: an execution that has had the device for this
    // long is ended when a short task of others does not end within this time. Also: an execution
    // that holds memory of an owner with more than its share (device_memory.h) is ended when an
    // owner with less has waited for memory for this long. Zero: never.
    std::chrono::milliseconds stall_timeout{10'000};
  };
  // Counts since the start, and the tasks that are queued now.
  struct Counters {
    uint64_t executions = 0;  // executions that succeeded
    uint64_t failures = 0;    // executions that failed, not counting cancelled ones
    uint64_t queued = 0;      // tasks waiting, runnable and in flight, including uploads
    // Times that an execution was suspended so that others have the device.
    uint64_t suspensions = 0;
    // The time in which at least one execution was on the device; suspended ones are not.
    std::chrono::nanoseconds busy{0};
  };
  using Running = Scheduler::Running;

  // Starts the dispatch thread. `device`, number `index` of the engine, must outlive the executor.
  DeviceExecutor(hal::Device& device, int index, const Options& options);
  // Waits for work in flight. All queues must be cancelled or empty.
  ~DeviceExecutor();
  DeviceExecutor(const DeviceExecutor&) = delete;
  DeviceExecutor& operator=(const DeviceExecutor&) = delete;

  hal::Device& device() { return device_; }

  // `share` is what the queue's user has of this device; nullptr: this queue's alone.
  std::shared_ptr<TaskQueue> OpenQueue(std::shared_ptr<MemoryAccount> account, Priority priority,
                                       std::shared_ptr<DeviceShare> share = nullptr);
  // Submits a task. Unless `executable_ready`, an execution waits for a later call of Provide.
  void Submit(std::shared_ptr<TaskQueue> queue, std::shared_ptr<Task> task, bool executable_ready);
  // Sets the executable of a submitted task, or the reason why there is none. Must be called once
  // for each task submitted without an executable.
  void Provide(const std::shared_ptr<Task>& task,
               absl::StatusOr<std::shared_ptr<const hal::LoadedExecutable>> executable);
  // Fails the outputs of a task with `reason`, unless they are final. A task that is not in flight
  // never runs. A task in flight is told to stop, and what it writes is discarded: its outputs fail
  // at once, and its memory is freed when it ends. A task that is not submitted yet fails when it
  // is. Only the first call for a task counts.
  void Cancel(const std::shared_ptr<Task>& task, const absl::Status& reason);
  // The same for all tasks of the queue, including those submitted later.
  void Cancel(TaskQueue& queue, const absl::Status& reason);

  // Returns a pointer for readers (Array::ForReaders) of an output of a task that is not submitted
  // yet. When no such pointer to any output of the task is left before the outputs are final, the
  // dispatch thread soon cancels the task, as nobody can get its results any more; a member of a
  // gang only when the same holds for all members. For tasks without side effects; all of their
  // outputs must have such pointers. The executor must outlive the pointers. The caller must not
  // hold a lock of the executor when it releases one.
  std::shared_ptr<Array> ReaderOf(const std::shared_ptr<Task>& task, std::shared_ptr<Array> output);

  // Allocates memory of the device that host code can fill for an Upload; nullptr when the device
  // has no such memory or not plenty of it free. Does not wait.
  std::shared_ptr<hal::Buffer> AllocateForHost(int64_t size_bytes) {
    return dispatcher_.memory().AllocateForHost(size_bytes);
  }
  // Reads a defined array and calls `done` with its bytes. If host code can read the array's
  // memory, or the array is spilled, calls `done` at once, without a copy; otherwise copies the
  // bytes and calls `done` from a stream thread. `session` is recorded in the trace; 0: none.
  void Download(std::shared_ptr<const Array> array,
                std::function<void(absl::StatusOr<SharedBytes>)> done, uint64_t session = 0) {
    dispatcher_.Download(std::move(array), std::move(done), session);
  }

  // Calls `allocate`, which must allocate `size_bytes` of the device for `owner` (MemoryShares),
  // and repeats that, freeing memory in between as a dispatch does, until it returns anything but
  // RESOURCE_EXHAUSTED. Must not be called by the executor's own threads. Blocks for about
  // Options.memory_wait at most if copies to the host are quick, and once more as long if
  // executions are told to end.
  absl::Status WithRoomFor(int64_t size_bytes, const Meter* owner,
                           absl::FunctionRef<absl::Status()> allocate) {
    return dispatcher_.memory().WithRoomFor(size_bytes, owner, allocate);
  }

  // Destroys the streams, with their threads, that were not needed since the last call.
  void ReleaseUnusedStreams();
  // Blocks until nothing is queued or in flight. Returns false if `deadline` passed before.
  bool WaitUntilIdle(std::chrono::steady_clock::time_point deadline);
  Counters counters() const;
  // Returns the executions that have begun and not ended; the one on the current stream first.
  std::vector<Running> RunningNow() const;
  // Cancels every task of a session that has begun. Returns the number of these tasks.
  int CancelRunning(uint64_t session, const absl::Status& reason);
  const observability::ExecutionInstruments& instruments() const { return instruments_; }
  DeviceMemory::Stats memory_stats() const { return dispatcher_.memory().stats(); }

 private:
  friend class Gang;
  friend class Task;
  friend class TaskHostCalls;
  using TimePoint = std::chrono::steady_clock::time_point;

  // Makes tasks whose last input or executable has come runnable.
  void MakeRunnable(absl::Span<const std::shared_ptr<Array::Waiter>> tasks);
  void RunDispatchThread();
  void RunDeferred(Scheduler::DeferredWork work);
  // Wakes the dispatch thread if it waits and there is something to do.
  void WakeDispatchThread() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (scheduler_.WantsDispatchThread()) work_.NotifyOne();
  }
  std::unique_ptr<ComputeStream> NewStream() const;

  // Dispatch of a task that was taken.
  //
  // On failure nothing has happened.
  absl::Status Dispatch(const std::shared_ptr<Task>& task);
  // The same, by the submitting thread, which also handles failures. To be followed by EndInline.
  // Returns false if the task was put back into its queue.
  bool DispatchTaken(const std::shared_ptr<Task>& task);
  void EndInline(Task& task, bool on_compute_stream, bool is_task_kept);
  // For gangs (Gang::TakeInline): takes a member that is to be dispatched by the submitting thread,
  // if that is possible. Returns a member that was taken in vain.
  bool TakeMemberInline(const std::shared_ptr<Task>& task);
  void ReturnMember(const std::shared_ptr<Task>& task);
  // Cancels the task when one of its inputs fails. For a task that is launched before its inputs
  // are defined and may run forever on the undefined memory of a failed one.
  void CancelIfAnInputFails(const std::shared_ptr<Task>& task, const Execution& execution);
  // Puts a task that was taken back into its queue. `held`: to be tried again when something else
  // has ended, or its wait for memory is over.
  void PutBack(const std::shared_ptr<Task>& task, bool held);

  // Completion: complete.cc.
  //
  void Launched(const std::shared_ptr<Task>& task, const Event& event);
  void Complete(Task& task, absl::Status status);
  // Drops the inputs of an execution that is being settled; its launch may still read their memory.
  static void DropInputs(Execution& execution);
  // Returns the status of the outputs of an execution that ended with `status`.
  absl::Status ResultOf(const Task& task, const Execution& execution, absl::Status status);
  // Records an execution that has ended now in the trace.
  void TraceExecution(const Task& task, const Execution& execution, const absl::Status& status,
                      TimePoint now, int64_t device_ns);
  // Settles a task that was never taken.
  void FailTask(Task& task, const absl::Status& reason);
  // Settles a task that was taken but did not reach the device.
  void FailDispatch(Task& task, const absl::Status& error);
  void FailOutputs(Task& task, const absl::Status& error);
  // Reports the end of an execution to its HostCallSender, if any.
  static void NotifyHost(Task& task, const absl::Status& status);
  void Retire(Task& task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Cancellation: cancel.cc.
  //
  // Marks a task as cancelled. Returns false when it has ended or was cancelled before.
  bool MarkCancelled(Task& task, const absl::Status& reason) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Fails the outputs of a cancelled task that is in flight, and its gang if it is in one.
  void EndInFlight(Task& task);
  // Fails the outputs of a cancelled task that is in flight, unless they have been settled.
  void SettleEarly(Task& task);
  // Notes that one output of the task has lost its last reader before it was final.
  void NoteUnread(const std::shared_ptr<Task>& task);

  // What the scheduler and the memory broker need: Scheduler::Events, WorkInFlight.
  //
  void OnPaused(ComputeStream& stream) override;
  TimePoint MemoryLeaseBindsUntil() override { return dispatcher_.memory().LeaseBindsUntil(); }
  bool HoldsMemory(int own_in_flight) const override;
  EndResult EndLongest(
      absl::FunctionRef<bool(const MemoryAccount& account, int64_t arena_bytes)> is_cause,
      const absl::Status& reason) override;
  absl::Status ReasonFor(const Task& task) const override;
  void RetryHeld() override;

  // What TaskHostCalls needs: see Scheduler. Called by the run's thread.
  void SuspendForHostCall(Task& task);
  void ResumeAfterHostCall(Task& task);

  hal::Device& device_;
  const int index_;
  const Options options_;
  const InlineLimits inline_limits_;
  observability::ExecutionInstruments instruments_;

  mutable Mutex mutex_;
  CondVar work_;  // wakes the dispatch thread: runnable tasks, completions, destruction
  CondVar idle_;  // for WaitUntilIdle
  Scheduler scheduler_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;

  Dispatcher dispatcher_;
  std::thread dispatch_thread_;
};

}  // namespace acceld::runtime
