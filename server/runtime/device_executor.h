#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "common/memory/shared_bytes.h"
#include "common/status.h"
#include "common/threads/fair_schedule.h"
#include "common/threads/mutex.h"
#include "server/hal/device.h"
#include "server/observability/instruments/execution_instruments.h"
#include "server/observability/instruments/trace_ring.h"
#include "server/runtime/array.h"
#include "server/runtime/busy_time.h"
#include "server/runtime/bypass_stream.h"
#include "server/runtime/compute_stream.h"
#include "server/runtime/device_share.h"
#include "server/runtime/memory/device_memory.h"
#include "server/runtime/run_ahead.h"
#include "server/runtime/task.h"
#include "server/runtime/task_queue.h"

namespace acceld::runtime {

// Runs tasks on one device. A task is dispatched when its executable is available and none of its
// inputs is pending. Only then is memory allocated, and the launch is given to the compute stream,
// which orders it after the launches that make its inputs.
//
// Queues share the time of the device: a FairSchedule decides which queue is next, and a queue is
// charged for the time that its tasks actually took. The device is given work for about `run_ahead`
// at a time, estimated from earlier runs of the executables: at least one launch, at most
// `max_in_flight`, nothing after a launch of unknown cost, and nothing of other queues after one
// that may take long. So a queue that floods the device delays tasks of others by little more than
// one kernel, and a long chain of executions holds a bounded amount of memory. Uploads have a
// stream, a schedule and limits of their own, so kernels do not delay them.
//
// An execution has the device for a time slice, a shorter one while the next task is short. If
// others are scheduled next when the slice is over, the execution is asked to pause: its stream is
// suspended, another stream serves the others, and it is resumed when its queue is scheduled again.
// A run that does not pause in time, because it is inside a library call or its device cannot stop
// it, continues alongside the next task. None of this happens while nobody else waits. The number
// of suspended streams is bounded; beyond the limit, tasks that may take long do not begin until a
// suspended stream has ended.
//
// A task that is very short (Options.very_short_run, very_short_bytes) or awaited and is submitted
// while device and dispatcher are idle is dispatched by the submitting thread itself. A very short
// one also runs on that thread if the stream allows, so that its results exist when Submit returns.
// Only tasks being submitted are treated so, never tasks that become runnable, so there is no
// recursion. While the device works for others, a very short task overtakes that work on a separate
// stream (express stream), provided that its inputs are ready, its session has had little more than
// its share, and its priority class is not kBatch. If no express stream is free, the task may still
// use one when its queue is scheduled.
//
// An execution may request values from its client (host calls). While it waits for the answer,
// others have the device, and only its own results are delayed: see host_call_wait.cc.
//
// When memory is short, unused executables and arrays are evicted first (see DeviceMemory), then
// the dispatch waits for work in flight, then inputs of queued tasks are spilled. The task fails
// when all of that is not enough. Spilled inputs are restored when their task is dispatched.
//
// Donated inputs belong to the execution once it is launched. If nobody else reads such an input,
// and it is on this device, its memory is reused for a result where the executable allows that
// (Executable::may_share); all other results get new memory. Before the launch nothing is taken: a
// task that is cancelled or fails until then returns its donated inputs.
//
// An execution without side effects whose outputs nobody can read any more is cancelled (ReaderOf).
// Its inputs then lose a reader, so a chain of executions that is dropped ends as a whole, one link
// after another.
//
// A failure becomes the error of the task's outputs ("program X: ...") and, unchanged, the error of
// everything computed from them. Chains of any length are settled without recursion.
//
// Thread-safe. One thread at a time gives work to the compute streams: the dispatch thread, or a
// thread that dispatches the task that it submits. Completions run on the stream threads of the
// device, or on the thread on which the stream ran the work. Tasks may use arrays of other devices,
// which are copied to this one. All executors that share arrays must be idle before the first of
// them is destroyed.
class DeviceExecutor {
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
    observability::TraceRing* trace = nullptr;  // gets a span for each launch and copy
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
  // An execution that has begun and not ended.
  struct Running {
    uint64_t session = 0;
    std::string owner;  // the name of its DeviceShare
    std::string program;
    std::chrono::nanoseconds since_submitted{0};
    std::chrono::nanoseconds on_device{0};
    enum class State : uint8_t {
      kRuns,
      // Others have the device until it is scheduled again.
      kSuspended,
      kAwaitsHost,  // waits for its client's answer to a host call
      kEnding,      // was told to end, and has not polled yet
    } state = State::kRuns;
  };

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
  // dispatcher soon cancels the task, as nobody can get its results any more. For tasks without
  // side effects; all of their outputs must have such pointers. The executor must outlive the
  // pointers. The caller must not hold a lock of the executor when it releases one.
  std::shared_ptr<Array> ReaderOf(const std::shared_ptr<Task>& task, std::shared_ptr<Array> output);

  // Allocates memory of the device that host code can fill for an Upload; nullptr when the device
  // has no such memory or not plenty of it free. Does not wait.
  std::shared_ptr<hal::Buffer> AllocateForHost(int64_t size_bytes);
  // Reads a defined array and calls `done` with its bytes. If host code can read the array's
  // memory, or the array is spilled, calls `done` at once, without a copy; otherwise copies the
  // bytes and calls `done` from a stream thread. `session` is recorded in the trace; 0: none.
  void Download(std::shared_ptr<const Array> array,
                std::function<void(absl::StatusOr<SharedBytes>)> done, uint64_t session = 0);

  // Calls `allocate`, which must allocate `size_bytes` of the device for `owner` (MemoryShares),
  // and repeats that, freeing memory in between as a dispatch does, until it returns anything but
  // RESOURCE_EXHAUSTED. Must not be called by the executor's own threads. Blocks for about
  // Options.memory_wait at most if copies to the host are quick, and once more as long if
  // executions are told to end.
  absl::Status WithRoomFor(int64_t size_bytes, const Meter* owner,
                           absl::FunctionRef<absl::Status()> allocate) {
    return FindMemory(nullptr, owner, size_bytes, allocate);
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
  DeviceMemory::Stats memory_stats() const { return memory_.stats(); }

 private:
  friend class Task;
  friend class TaskHostCalls;
  using TimePoint = std::chrono::steady_clock::time_point;

  // The memory of an output.
  struct Allocation {
    std::shared_ptr<hal::Buffer> buffer;
    int64_t size_bytes = 0;
    int64_t charged_bytes = 0;
    // The donated input whose memory is reused; nullptr: new memory.
    Array* donor = nullptr;
  };

  // Queues and scheduling: device_executor.cc.
  //
  // Makes a task runnable.
  void Enqueue(const std::shared_ptr<Task>& task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void MakeRunnable(absl::Span<const std::shared_ptr<Array::Waiter>> tasks);
  void RunDispatcher();
  // Takes the scheduled task out of its queue, charges the queue and counts the task as in flight;
  // nullptr when no task may be dispatched now.
  std::shared_ptr<Task> TakeTask() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::shared_ptr<Task> TakeFrom(FairSchedule& schedule, TimePoint now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Takes the execution that is scheduled next, to run on an express stream.
  std::shared_ptr<Task> TakeForBypass(BypassStream& express, TimePoint now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Charge(Task& task, TaskQueue::Lane& lane, TimePoint now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns whether the next execution may go to the current stream now.
  bool ExecutionsAreOpen(TimePoint now) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns whether a task of this lane may be added to the tasks of the current stream.
  bool MayAppend(const TaskQueue::Lane& lane) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool UploadsAreOpen() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns whether the dispatcher, if it waits, must be woken.
  bool DispatcherIsWanted() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns when the dispatcher must wake at the latest.
  TimePoint WakeTime() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WaitForTurn() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Time slices: time_slices.cc.
  //
  // Work that the dispatcher must do without the lock.
  struct DeferredWork {
    // There is no spare stream; create one.
    bool add_stream = false;
    // Tasks to cancel, with the reason.
    std::vector<std::pair<std::shared_ptr<Task>, absl::Status>> ended;
    // Tasks to block until an input is final, as a suspended stream is going to make that input.
    std::vector<std::pair<std::shared_ptr<Task>, std::shared_ptr<Array>>> blocked;
    std::vector<std::unique_ptr<ComputeStream>> retired;  // streams to destroy

    bool empty() const {
      return !add_stream && ended.empty() && blocked.empty() && retired.empty();
    }
  };
  void RunDeferred(DeferredWork chores);
  // Ends slices, and suspends and resumes streams, as is due.
  void ShareTime(TimePoint now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndSlice(TimePoint now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Suspends the current stream and makes a spare one current.
  void Suspend() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Ends SetLowPriority for a stream that is resumed or has become empty.
  void EndYielding(ComputeStream& stream) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Makes the stream current that is suspended for the scheduled queue, if there is one.
  void ResumeNext(TimePoint now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Resume(ComputeStream& stream, TimePoint now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns how long the running execution may have the device, given the next one. Some execution
  // must be waiting.
  std::chrono::nanoseconds CurrentSlice() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::chrono::nanoseconds CurrentGrace() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  double SliceNs() const {
    return static_cast<double>(std::chrono::nanoseconds(options_.slice).count());
  }
  void EndSuspension(ComputeStream& stream) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void OnPaused(ComputeStream& stream);
  // Both remove a task that is no longer in flight: the first one, or the last one that was added.
  void RemoveFirst(ComputeStream& stream, const Task& task, TimePoint now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RemoveLast(ComputeStream& stream) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteEmpty(ComputeStream& stream) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::chrono::nanoseconds TimeOnDevice(const ComputeStream& stream, TimePoint now) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Charges the queue for the time that the first task took so far, if that is more than was
  // charged.
  void ChargeRunning(const ComputeStream& stream, TimePoint now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Charges, or refunds, the difference to the time that the first task took so far.
  void SettleRunning(const ComputeStream& stream, TimePoint now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns whether other queues are scheduled before this one.
  bool OthersGoFirst(TaskQueue& queue) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns whether the task is sure to end within a time slice.
  bool IsShort(const Task& task) const;
  // Removes from the schedule the next executions that may not begin: those that may take long
  // while too many streams are suspended, and those that depend on a suspended stream.
  void HoldBack() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns an input of the execution that a suspended run is going to write, or nullptr.
  std::shared_ptr<Array> FindInputOfSuspendedRun(const Task& task) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // A lane that was removed from the schedule although it has tasks.
  struct HeldLane {
    std::shared_ptr<TaskQueue> queue;
    TaskQueue::Lane* lane;
  };
  void Hold(const std::shared_ptr<TaskQueue>& queue, TaskQueue::Lane& lane,
            std::vector<HeldLane>& held) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ReleaseHeld() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool RunsOverlap() const { return device_.concurrent_streams() > 1; }
  // Returns the number of suspended streams above which tasks that may take long do not begin.
  int MaxSuspended() const;
  // Returns whether a suspended stream keeps running alongside the current one, and so need not be
  // scheduled until it pauses.
  bool RunsAlongside(const ComputeStream& stream) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns when the next task will exceed its longest time on the device (Task::max_run).
  TimePoint NextMaxRunDeadline() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Finds the tasks that have exceeded their longest time on the device, to be cancelled.
  void CancelPastMaxRun(TimePoint now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns when a short task will have been delayed by Options.stall_timeout; EndStall then
  // cancels the execution that delays it.
  TimePoint NextStall() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndStall(TimePoint now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::unique_ptr<ComputeStream> NewStream() const;

  // The time in which the device is busy: busy_time.cc.
  //
  void EnterDevice(ComputeStream& stream, TimePoint now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void LeaveDevice(ComputeStream& stream, TimePoint now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Counts the run of an execution that has ended and is still in the list of its stream.
  void CountRun(const Task& task, TimePoint now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Runs that wait for an answer to a host call: host_call_wait.cc.
  //
  // Gives the device to others while the task's run waits for its client. Called by the run's
  // thread.
  void SuspendForHostCall(Task& task);
  void SuspendStreamForHostCall(Task& task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Lets the task's run continue after its host call was answered: it has the device when the next
  // call of RunControl::WaitWhilePaused returns.
  void ResumeAfterHostCall(Task& task);
  void EndHostCallWait(ComputeStream& stream, TaskQueue& queue)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Suspends the next stream of the queue that waits to continue after a host call, if nothing of
  // the queue has the device. May also admit an execution that HoldBackHostCaller held back.
  void PromoteReturning(TaskQueue& queue) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns whether the execution may make host calls.
  static bool MayCallHost(const Task& execution);
  // Removes the next execution from the schedule if it may make host calls and too many runs wait
  // for their client. Returns whether it did.
  bool HoldBackHostCaller(const std::shared_ptr<Task>& task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Puts the first execution held back by HoldBackHostCaller into the schedule again.
  void AdmitNext(DeviceShare& share) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns when one more execution may begin although none of the runs that wait for their client
  // has continued.
  TimePoint NextAdmission() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void AdmitOverdue(TimePoint now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Dispatch by the submitting thread: dispatch_inline.cc.
  bool MayDispatchInline(const Task& task) const;
  bool IsVeryShort(const Task& task, bool awaited) const;
  // Makes the submitting thread the dispatcher of this task, if that is possible now.
  bool TakeInline(const std::shared_ptr<Task>& task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns whether the device is idle and no other thread is about to give it work.
  bool DeviceIsIdle(const Task& task) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns the express stream for a very short task that is being submitted or is the first of its
  // lane; nullptr when the task may not overtake the work of the device.
  BypassStream* BypassStreamFor(const Task& task) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The same for the next execution while the current stream works.
  BypassStream* BypassStreamForNext() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void LeaveBypass(Task& task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DispatchInline(const std::shared_ptr<Task>& task);
  // Puts a task that was taken back into its queue. `held`: to be tried again when something else
  // has ended, or its wait for memory is over.
  void Requeue(const std::shared_ptr<Task>& task, bool held = false);

  // Dispatch: dispatch.cc.
  absl::Status Launch(const std::shared_ptr<Task>& task);
  absl::Status LaunchExecution(const std::shared_ptr<Task>& task, Execution& execution);
  // Cancels the task when one of its inputs fails. For a task that is launched before its inputs
  // are defined and may run forever on the undefined memory of a failed one.
  void StopIfAnInputFails(const std::shared_ptr<Task>& task, const Execution& execution);
  // Returns the allocations of the outputs, with donors for those that are to reuse the memory of
  // inputs. The inputs must have been brought to the device, which keeps them there.
  absl::InlinedVector<Allocation, 2> FindDonors(const Task& task, const Execution& execution) const;
  // Gives an output the memory of its donor, `buffer`.
  void TakeOver(Array& output, Allocation& allocation, std::shared_ptr<hal::Buffer> buffer);
  absl::Status LaunchUpload(const std::shared_ptr<Task>& task, Upload& upload);
  // Returns the stream on which an execution that was taken runs.
  hal::Stream& StreamOf(const Task& execution) const;
  // Returns memory of this device that will have the bytes of `input` when a launch enqueued now
  // begins.
  absl::StatusOr<std::shared_ptr<hal::Buffer>> BringInput(Task& task, Array& input);
  absl::StatusOr<std::shared_ptr<hal::Buffer>> BringFromPeer(Task& task, Array& input,
                                                             const Array::View& view);
  absl::StatusOr<std::shared_ptr<hal::Buffer>> RestoreInput(Task& task, Array& input,
                                                            const Array::View& view);

  // Memory for tasks when the device is short of it: find_memory.cc.
  //
  // Allocates memory for every output without a donor and an arena of `arena_bytes`; nothing on
  // failure.
  absl::Status AllocateAll(Task& task, int64_t arena_bytes,
                           absl::InlinedVector<Allocation, 2>& outputs,
                           std::shared_ptr<hal::Buffer>& arena);
  // Returns temporary memory. The launches of one stream share it while it is large enough.
  absl::StatusOr<std::shared_ptr<hal::Buffer>> Arena(const Task& task, int64_t size_bytes);
  absl::Status ChargeAll(Task& task, absl::InlinedVector<Allocation, 2>& outputs);
  static void RefundAll(Task& task, absl::InlinedVector<Allocation, 2>& outputs);
  absl::Status TryAllocateAll(const Task& task, int64_t arena_bytes,
                              absl::InlinedVector<Allocation, 2>& outputs,
                              std::shared_ptr<hal::Buffer>& arena);
  absl::StatusOr<std::shared_ptr<hal::Buffer>> Allocate(Task& task, int64_t size_bytes);
  static const Meter* OwnerOf(const Task& task);
  // See WithRoomFor. `task` is nullptr for callers other than tasks. A cancelled task fails with
  // its reason, and a task dispatched by its submitting thread as soon as there is no memory. If
  // memory may become free later, sets `wants_memory_` of the task, which must be tried again.
  absl::Status FindMemory(Task* task, const Meter* owner, int64_t size_bytes,
                          absl::FunctionRef<absl::Status()> allocate);
  // Returns how long an owner waits for memory held by work in flight.
  std::chrono::milliseconds MemoryPatience(int64_t size_bytes, const Meter* owner) const;
  // Ends an execution of an owner that has more than its share of memory while this owner has less.
  // Returns true if there is one, or was recently, so that the wait continues.
  bool EndForMemory(int64_t size_bytes, const Meter* owner, MemoryWait& wait);
  enum class Wait : uint8_t {
    // Something has ended; try again.
    kCompleted,
    // Something is in flight; the task must be tried again when it ends.
    kLater,
    // Nothing else is in flight, or the deadline has passed.
    kHopeless,
  };
  // Waits for a completion until `deadline`, and until `settles_at` even if nothing is in flight.
  // For a task it does not block: see PollCompletion.
  Wait AwaitCompletion(Task* task, uint64_t seen_completions, TimePoint deadline,
                       TimePoint settles_at = TimePoint::min());
  // For calls without a task: try again at once. A task is tried again after others have been
  // scheduled.
  static Wait RetryLater(Task* task);
  // Frees memory, or waits for work that will free some.
  Wait MakeRoom(Task* task, const Meter* owner, int64_t size_bytes, DeviceMemory::Victims victims,
                uint64_t seen_completions, MemoryWait& wait);
  // The exclusive right to free memory ("memory turn"): memory_lease.cc.
  struct MemoryLease {
    std::shared_ptr<Task> task;  // nullptr: no task waits for memory
    int64_t missing_bytes = 0;
    // When an allocation last came closer to its size, or an array was last moved.
    TimePoint progress_at;
  };
  // Returns whether the task may take so much of the free memory, although the holder of the memory
  // turn waits for it.
  bool MayTakeMemory(const Task& task, int64_t size_bytes);
  // Returns whether the task may free memory now. If so, it holds the memory turn until it has its
  // memory or fails.
  bool TakeMemoryLease(Task& task);
  // Ends the memory turn if the task holds it.
  void EndMemoryLease(Task& task);
  // Makes the task keep these buffers if it holds the memory turn.
  void Keep(Task& task, absl::Span<const std::shared_ptr<hal::Buffer>> were_there,
            absl::Span<const std::shared_ptr<hal::Buffer>> brought);
  // Marks the task to be tried again when another's memory turn ends. Returns RESOURCE_EXHAUSTED.
  static absl::Status AwaitMemoryLease(Task& task);
  // Returns how many bytes of device memory the task still needs.
  int64_t MissingBytes(const Task& task) const;
  // Returns when other tasks may free memory, too, if there is no progress before.
  TimePoint MemoryLeaseBindsUntil() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool ArraysMove() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Lets all tasks that wait for memory be tried again.
  void RetryMemoryWaiters() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Like WaitForCompletion, for a task; does not block, as the dispatcher must serve others.
  Wait PollCompletion(Task& task, uint64_t seen_completions, TimePoint deadline,
                      TimePoint settles_at = TimePoint::min());
  Wait WaitForCompletion(uint64_t seen_completions, TimePoint deadline, TimePoint settles_at);
  // Notes that arrays have left the device, or that one has arrived.
  void EndMove() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns whether anything is in flight that will free memory, apart from `own_in_flight` tasks
  // of the caller.
  bool HoldsMemory(int own_in_flight) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  uint64_t completions() const;

  // Completion and cancellation: complete.cc and cancel.cc.
  void Launched(const std::shared_ptr<Task>& task, const Event& event);
  void Complete(Task& task, absl::Status status);
  // Drops the inputs of an execution that is being settled; its launch may still read their memory.
  static void DropInputs(Execution& execution);
  // Returns the status of the outputs of an execution that ended with `status`.
  absl::Status ResultOf(const Task& task, const Execution& execution, absl::Status status);
  // Returns the reason for which a task was cancelled.
  absl::Status ReasonFor(const Task& task) const;
  // Marks a task as cancelled. Returns false when it has ended or was cancelled before.
  bool MarkCancelled(Task& task, const absl::Status& reason) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Fails the outputs of a cancelled task that is in flight, unless they have been settled.
  void SettleEarly(Task& task);
  // Notes that one output of the task has lost its last reader before it was final.
  void NoteUnread(const std::shared_ptr<Task>& task);
  // Settles a task that was never taken.
  void FailTask(Task& task, const absl::Status& error);
  // Settles a task that was taken but did not reach the device.
  void FailDispatch(Task& task, const absl::Status& error);
  // Charges the queue for the time of a dispatch attempt that did not reach the device.
  void ChargeAttempt(Task& task, std::chrono::nanoseconds took);
  // Reverts Charge, for a task that has not reached the device.
  void Uncharge(Task& task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FailOutputs(Task& task, const absl::Status& error);
  // Makes the outputs of a run with host calls scheduled; they are defined next.
  void SchedulePending(Task& task);
  // Reports the end of an execution to its HostCallSender, if any.
  static void NotifyHost(Task& task, const absl::Status& status);
  // Copies of one stream end in order; `last_end_ns` is when the one before did.
  void TraceCopy(SpanKind kind, uint64_t session, TimePoint begin, const absl::Status& status,
                 std::atomic<int64_t>& last_end_ns);
  void Retire(Task& task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  hal::Device& device_;
  const int index_;
  const Options options_;

  mutable Mutex mutex_;
  CondVar work_;  // wakes the dispatcher: runnable tasks, completions, destruction
  CondVar idle_;  // for WaitUntilIdle
  // Wakes threads that wait for memory: completions, cancellations.
  CondVar memory_freed_;
  FairSchedule execution_schedule_ ABSL_GUARDED_BY(mutex_);  // costs: nanoseconds on the device
  FairSchedule upload_schedule_ ABSL_GUARDED_BY(mutex_);     // costs: bytes
  bool upload_was_last_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t queued_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<std::unique_ptr<ComputeStream>> streams_ ABSL_GUARDED_BY(mutex_);  // all streams
  // The stream to which executions are dispatched.
  ComputeStream* current_ ABSL_GUARDED_BY(mutex_);
  std::vector<ComputeStream*> spare_ ABSL_GUARDED_BY(mutex_);
  // The smallest size of `spare_` since the last call of ReleaseUnusedStreams.
  size_t least_spare_ ABSL_GUARDED_BY(mutex_) = 0;
  int num_suspended_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t suspensions_ ABSL_GUARDED_BY(mutex_) = 0;
  mutable BusyTime busy_time_ ABSL_GUARDED_BY(mutex_);  // reading it counts the time until then
  TimePoint last_stall_ ABSL_GUARDED_BY(mutex_);        // when a stall was last ended
  int num_awaiting_host_ ABSL_GUARDED_BY(mutex_) = 0;
  // The users that have executions held back by HoldBackHostCaller.
  std::vector<std::shared_ptr<DeviceShare>> kept_shares_ ABSL_GUARDED_BY(mutex_);
  // Lanes with tasks that may be tried again when something has ended, and lanes with tasks that
  // wait for another's memory turn.
  std::vector<HeldLane> held_ ABSL_GUARDED_BY(mutex_), await_memory_lease_ ABSL_GUARDED_BY(mutex_);
  // When tasks that wait for memory must be tried again even if nothing has ended.
  TimePoint retry_at_ ABSL_GUARDED_BY(mutex_) = TimePoint::max();
  DeferredWork deferred_work_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<BypassStream>> bypass_ ABSL_GUARDED_BY(mutex_);
  int bypass_in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
  int uploads_in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t upload_bytes_in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
  int downloads_in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
  int restores_in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
  MemoryLease memory_lease_ ABSL_GUARDED_BY(mutex_);
  // Whether a task holds the memory turn.
  std::atomic<bool> memory_is_awaited_{false};
  // Counts the ends of everything that was counted as in flight.
  uint64_t completions_ ABSL_GUARDED_BY(mutex_) = 0;
  bool dispatcher_waits_ ABSL_GUARDED_BY(mutex_) = false;
  // Whether a submitting thread is giving work to the current stream.
  bool dispatching_inline_ ABSL_GUARDED_BY(mutex_) = false;
  // When the current stream became empty.
  TimePoint idle_since_ ABSL_GUARDED_BY(mutex_);
  TimePoint waits_until_ ABSL_GUARDED_BY(mutex_);
  int memory_waiters_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  observability::ExecutionInstruments instruments_;
  std::atomic<int64_t> last_upload_ns_{0}, last_download_ns_{0};

  const std::unique_ptr<hal::Stream> upload_, download_;
  DeviceMemory memory_;
  std::thread dispatcher_;
};

}  // namespace acceld::runtime
