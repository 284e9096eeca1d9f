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
#include "server/runtime/compute_stream.h"
#include "server/runtime/device_share.h"
#include "server/runtime/express_stream.h"
#include "server/runtime/memory/device_memory.h"
#include "server/runtime/run_ahead.h"
#include "server/runtime/task.h"
#include "server/runtime/task_queue.h"

namespace acceld::runtime {

// Brings tasks to one device. A task is dispatched when its executable is there and none of its
// inputs is pending: memory is allocated then, not earlier, and the launch goes to the compute
// stream, which orders it behind the launches that make its inputs.
//
// Queues share the device's time: FairSchedule says whose task is next, and a queue pays for what
// its tasks really took. The device is given work for about `run_ahead` at a time, judged by what
// the executables took before: at least one launch, at most `max_in_flight`, nothing behind one of
// unknown cost, and nothing of others behind one that may take long. So what others flood the
// device with delays a task by little more than one of their kernels, and a long chain of
// executions holds a bounded amount of memory. Uploads have a stream, a schedule and bounds of
// their own: kernels do not hold them up.
//
// An execution has the device for a slice, a shorter one while what waits is short itself. When
// that is over and others are to go first, it is asked to pause; its stream is suspended, another
// one serves the others, and it goes on when its queue's turn comes. A run that does not pause in
// time, because it is inside a library or its device cannot stop, goes on beside what comes next.
// Nothing of this happens while nobody else waits. The number of suspended streams is bounded:
// beyond, what may take long waits until one of them has ended.
//
// A task that is brief (see Options) or awaited and is submitted while the device and the
// dispatcher rest is dispatched by the submitting thread itself. A brief one runs there, too, if
// the stream allows: its results exist when Submit returns. Only a task that is submitted is
// treated so, never one that becomes runnable, so nothing recurses. While the device works for
// others, a brief task goes past that work, on a stream for such tasks (express), if its inputs are
// there and its session has had little more than its share; not those of class batch. One for which
// no such stream was free does so later, when its turn comes.
//
// An execution may ask its client for values (host calls). It is parked then: others have the
// device, and nothing waits for it but its results; see park.cc.
//
// When memory is short, what nobody uses gives way (see DeviceMemory), then the dispatch waits for
// work in flight, then inputs of queued tasks give way; the task fails when all of that is not
// enough. Spilled inputs are restored when their task is dispatched.
//
// Inputs that are donated become the execution's own when it is launched. What nobody else reads
// then, on this device, is where results are written that may be (Executable::may_share); other
// results get memory of their own, as those of inputs do that others read. Before it is launched
// nothing is taken: a task that is cancelled or fails until then, for want of memory or through
// another input, gives its donated inputs back.
//
// An execution without effects whose outputs nobody can read any more is cancelled (ReaderOf). What
// it alone was to read goes the same way, link by link, so a chain that is dropped ends as a whole.
//
// Failures become the error of the task's outputs: "program X: ..." from the task that failed
// first, and this same error in everything computed from them. Chains of any length are settled
// without recursion.
//
// Thread-safe. One thread at a time gives work to compute streams: the dispatch thread, but for
// brief tasks.
// Completions run on the device's stream threads or where the stream ran the work. Tasks may use
// arrays of other devices: these are copied over. All executors that share arrays must be idle
// before the first of them is destroyed.
class DeviceExecutor {
 public:
  struct Options {
    int max_in_flight = 64;  // executions, and as many uploads
    std::chrono::microseconds run_ahead{200};
    // Expected to take no longer and to make no more bytes: dispatched where it is submitted.
    std::chrono::microseconds brief_run{20};
    int64_t brief_bytes = 16 << 10;
    // The same for one that its client waits for: the thread has nothing else to do for it.
    std::chrono::microseconds awaited_run{2000};
    int64_t awaited_bytes = 16 << 20;
    int64_t upload_bytes = int64_t{16} << 20;   // being copied at a time; one upload may be larger
    observability::TraceRing* trace = nullptr;  // gets a span for each launch and copy
    DeviceMemory::Options memory;
    // How long a dispatch waits for the memory of work in flight.
    std::chrono::milliseconds memory_wait{30'000};
    // How long an execution has the device while others wait.
    std::chrono::milliseconds slice{20};
    // The same while an execution waits that is known to be short: as long as that one takes,
    // within these two.
    std::chrono::milliseconds min_slice{1};
    // How long one is given to pause, where others cannot run beside it as well; and no longer than
    // its slice was.
    std::chrono::milliseconds pause_grace{10};
    // Streams whose executions had to give way; of one user a quarter.
    int max_suspended = 64;
    // Where runs overlap and none can be made to pause: what has had the device for so long is
    // ended when something short of others does not end within that time. And what holds memory of
    // an owner that has more than its share (device_memory.h) is ended when another, who has less,
    // has waited for memory so long. Zero: never.
    std::chrono::milliseconds stall_timeout{10'000};
  };
  struct Counters {
    uint64_t executions = 0;   // that went well
    uint64_t failures = 0;     // executions that failed, not counting cancelled ones
    uint64_t queued = 0;       // waiting, runnable and in flight, uploads too
    uint64_t suspensions = 0;  // times that an execution gave way to others
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
      kSuspended,  // until its turn comes
      kAsks,       // It waits for its client.
      kEnding,     // It is told to end, and has not polled yet.
    } state = State::kRuns;
  };

  DeviceExecutor(hal::Device& device, int index, const Options& options);
  // Waits for what is in flight. Every queue has been cancelled or is empty.
  ~DeviceExecutor();
  DeviceExecutor(const DeviceExecutor&) = delete;
  DeviceExecutor& operator=(const DeviceExecutor&) = delete;

  hal::Device& device() { return device_; }

  // `share` is what the queue's user has of this device; nullptr: this queue's alone.
  std::shared_ptr<TaskQueue> OpenQueue(std::shared_ptr<MemoryAccount> account, Priority priority,
                                       std::shared_ptr<DeviceShare> share = nullptr);
  // Unless `executable_ready`, an execution waits for a later Provide.
  void Submit(std::shared_ptr<TaskQueue> queue, std::shared_ptr<Task> task, bool executable_ready);
  // The executable of a submitted task, or why there is none. Once for each task.
  void Provide(const std::shared_ptr<Task>& task,
               absl::StatusOr<std::shared_ptr<const hal::LoadedExecutable>> executable);
  // Fails the outputs of a task with `reason`, unless they are final. What is not in flight never
  // runs; what is is told to stop, and what it writes is discarded: its outputs fail now, its
  // memory is free when it ends. A task that is not submitted yet fails when it is. Only the first
  // call for a task counts.
  void Cancel(const std::shared_ptr<Task>& task, const absl::Status& reason);
  // The same for every task of the queue and for all that are submitted later.
  void Cancel(TaskQueue& queue, const absl::Status& reason);

  // A pointer for readers (Array::ForReaders) of an output of a task, which is not submitted yet.
  // When no such pointer to any of the task's outputs is left before they are final, the task is
  // cancelled by the dispatcher, soon after: nobody can have its results any more. For tasks
  // without effects; all of their outputs are to have such pointers. The executor outlives them.
  // No lock of the executor is held when one of them goes.
  std::shared_ptr<Array> ReaderOf(const std::shared_ptr<Task>& task, std::shared_ptr<Array> output);

  // Memory of the device that host code can fill for an Upload; nullptr when there is none, or not
  // plenty now. Does not wait.
  std::shared_ptr<hal::Buffer> AllocateForHost(int64_t size_bytes);
  // The bytes of a defined array. Calls `done` here, with the array's own memory or its copy on the
  // host, when host code can read that; otherwise copies and calls it from a stream thread. The
  // trace says for which session; 0: nobody's.
  void Download(std::shared_ptr<const Array> array,
                std::function<void(absl::StatusOr<SharedBytes>)> done, uint64_t session = 0);

  // Calls `allocate`, which is to take `size_bytes` of the device for an owner (MemoryShares),
  // until it answers something else than RESOURCE_EXHAUSTED, making room in between as dispatches
  // do. For others than the executor: blocks, for about Options.memory_wait at most when copies to
  // the host are quick, and as long again for executions that are told to end.
  absl::Status WithRoomFor(int64_t size_bytes, const Meter* owner,
                           absl::FunctionRef<absl::Status()> allocate) {
    return FindMemory(nullptr, owner, size_bytes, allocate);
  }

  // Ends the streams, with their threads, that there was no use for since the call before.
  void ReleaseUnusedStreams();
  // Blocks until nothing is queued or in flight; false when `deadline` came first.
  bool WaitUntilIdle(std::chrono::steady_clock::time_point deadline);
  Counters counters() const;
  // What occupies the device: the current one first.
  std::vector<Running> RunningNow() const;
  // Cancels every task of a session that has begun. How many there are.
  int CancelRunning(uint64_t session, const absl::Status& reason);
  const observability::ExecutionInstruments& instruments() const { return instruments_; }
  DeviceMemory::Stats memory_stats() const { return memory_.stats(); }

 private:
  friend class Task;
  friend class TaskHostCalls;
  using TimePoint = std::chrono::steady_clock::time_point;

  // Of an output.
  struct Allocation {
    std::shared_ptr<hal::Buffer> buffer;
    int64_t size_bytes = 0;
    int64_t charged_bytes = 0;
    // The donated input whose memory it gets; nullptr: memory of its own.
    Array* donor = nullptr;
  };

  // Turns: device_executor.cc.
  void Enqueue(const std::shared_ptr<Task>& task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void MakeRunnable(absl::Span<const std::shared_ptr<Array::Waiter>> tasks);
  void RunDispatcher();
  // The task whose turn it is, counted as in flight and charged for; nullptr when none may go to
  // the device now.
  std::shared_ptr<Task> TakeTask() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::shared_ptr<Task> TakeFrom(FairSchedule& schedule, TimePoint now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The execution that is next, for an express stream.
  std::shared_ptr<Task> TakeExpress(ExpressStream& express, TimePoint now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Charge(Task& task, TaskQueue::Lane& lane, TimePoint now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether the next execution may go to the current stream now.
  bool ExecutionsAreOpen(TimePoint now) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool MayGoBehind(const TaskQueue::Lane& lane) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool UploadsAreOpen() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether the dispatcher, should it wait, ought to look again.
  bool DispatcherIsWanted() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // When it has to at the latest.
  TimePoint WakeTime() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WaitForTurn() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Slices of time: time_slices.cc.
  //
  // What the dispatcher is to do without the lock.
  struct Chores {
    bool add_stream = false;                                            // No spare one is left.
    std::vector<std::pair<std::shared_ptr<Task>, absl::Status>> ended;  // with the reason
    // Tasks, and what they depend on: made by a stream that is suspended.
    std::vector<std::pair<std::shared_ptr<Task>, std::shared_ptr<Array>>> blocked;
    std::vector<std::unique_ptr<ComputeStream>> worn;  // to be ended

    bool empty() const { return !add_stream && ended.empty() && blocked.empty() && worn.empty(); }
  };
  void Do(Chores chores);
  // Ends slices, suspends and resumes, as is due.
  void ShareTime(TimePoint now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndSlice(TimePoint now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Suspend() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Of what has its turn again, or has ended, on a stream that was suspended.
  void TakeBackWay(ComputeStream& stream) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Makes the suspended stream whose turn it is, if it is one's, the current one.
  void ResumeNext(TimePoint now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Resume(ComputeStream& stream, TimePoint now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // How long what runs has the device in favour of what is next. Some execution waits.
  std::chrono::nanoseconds CurrentSlice() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::chrono::nanoseconds CurrentGrace() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  double SliceNs() const {
    return static_cast<double>(std::chrono::nanoseconds(options_.slice).count());
  }
  void EndSuspension(ComputeStream& stream) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void OnPaused(ComputeStream& stream);
  // Its first task, or the last that was added, is no longer in flight.
  void RemoveFirst(ComputeStream& stream, const Task& task, TimePoint now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RemoveLast(ComputeStream& stream) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteEmpty(ComputeStream& stream) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::chrono::nanoseconds TimeOnDevice(const ComputeStream& stream, TimePoint now) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Charges the first task for what it took so far, if that is more than it was charged for.
  void ChargeRunning(const ComputeStream& stream, TimePoint now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // For what it took and no more.
  void SettleRunning(const ComputeStream& stream, TimePoint now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool OthersGoFirst(TaskQueue& queue) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether it is sure to end within a slice.
  bool IsShort(const Task& task) const;
  // Takes out of the schedule what is next and may not begin: what may take long while there are as
  // many suspended streams as may be, and what depends on one of them.
  void HoldBack() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // A lane that is out of the schedule though it has tasks.
  struct HeldLane {
    std::shared_ptr<TaskQueue> queue;
    TaskQueue::Lane* lane;
  };
  void Hold(const std::shared_ptr<TaskQueue>& queue, TaskQueue::Lane& lane,
            std::vector<HeldLane>& held) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ReleaseHeld() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool RunsOverlap() const { return device_.streams_side_by_side() > 1; }
  // Above this, what may take long does not begin.
  int MaxSuspended() const;
  // Whether what was suspended goes on nevertheless, beside the current stream, and so needs no
  // turns until it pauses.
  bool RunsAside(const ComputeStream& stream) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // When the next task will have taken as long as it may.
  TimePoint NextOverlong() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Tasks that have taken longer than they may.
  void FindOverlong(TimePoint now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // When something short will have been kept from the device for too long, and by what: see
  // Options.stall_timeout.
  TimePoint NextStall() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndStall(TimePoint now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::unique_ptr<ComputeStream> NewStream() const;

  // Runs that wait for their client: park.cc.
  //
  // Leaves the device to others while the task's run waits. By the run's thread.
  void Park(Task& task);
  void ParkStream(Task& task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The task's run is to go on: after the next RunControl::GoOn it has the device.
  void Unpark(Task& task);
  void EndPark(ComputeStream& stream, TaskQueue& queue) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Suspends the next stream of the queue that was parked, if nothing of the queue is in its way.
  // Executions that were kept from parking look again, too.
  void PromoteReturning(TaskQueue& queue) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static bool MayBeParked(const Task& execution);
  // Takes what is next out of the schedule if it may be parked and too many are. True: it did.
  bool KeepFromParking(const std::shared_ptr<Task>& task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Puts one of these back.
  void AdmitNext(DeviceShare& share) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // When one of them may begin though none that is parked has gone on.
  TimePoint NextAdmission() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void AdmitOverdue(TimePoint now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Brief tasks: dispatch_here.cc.
  bool MayDispatchHere(const Task& task) const;
  bool IsBrief(const Task& task, bool awaited) const;
  // Makes the submitting thread the dispatcher of this task, if that is possible now.
  bool TakeHere(const std::shared_ptr<Task>& task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether the device has nothing to do, and nobody else is about to give it any.
  bool Rests(const Task& task) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // On which a brief task, submitted now or the first of its lane, may go past what the device is
  // doing; nullptr: it may not.
  ExpressStream* ExpressFor(const Task& task) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The same for the execution that is next, while the current stream works.
  ExpressStream* ExpressForNext() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void LeaveExpress(Task& task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DispatchHere(const std::shared_ptr<Task>& task);
  // Leaves a task that was taken to a later turn; `held`: when something else has ended, or it has
  // waited for memory long enough.
  void HandBack(const std::shared_ptr<Task>& task, bool held = false);

  // From a turn to the device: dispatch.cc.
  absl::Status Launch(const std::shared_ptr<Task>& task);
  absl::Status LaunchExecution(const std::shared_ptr<Task>& task, Execution& execution);
  // For one that is launched behind those that make its inputs, and may run forever on what a
  // failed one leaves in memory.
  void StopIfAnInputFails(const std::shared_ptr<Task>& task, const Execution& execution);
  // Its outputs, with donors for those that are to be written over inputs. These are brought, which
  // keeps them where they are.
  absl::InlinedVector<Allocation, 2> FindDonors(const Task& task, const Execution& execution) const;
  // Gives an output the memory of its donor, which is `buffer`.
  void TakeOver(Array& output, Allocation& allocation, std::shared_ptr<hal::Buffer> buffer);
  absl::Status LaunchUpload(const std::shared_ptr<Task>& task, Upload& upload);
  // On which an execution that was taken runs.
  hal::Stream& StreamOf(const Task& execution) const;
  // Memory that the device's own tasks can use, with the bytes of `input` at the time of a launch
  // that is enqueued now.
  absl::StatusOr<std::shared_ptr<hal::Buffer>> BringInput(Task& task, Array& input);
  absl::StatusOr<std::shared_ptr<hal::Buffer>> BringFromPeer(Task& task, Array& input,
                                                             const Array::View& view);
  absl::StatusOr<std::shared_ptr<hal::Buffer>> RestoreInput(Task& task, Array& input,
                                                            const Array::View& view);

  // What a task needs when memory is short: find_memory.cc.
  //
  // Memory for every output without a donor and `arena_bytes`; nothing on failure.
  absl::Status AllocateAll(Task& task, int64_t arena_bytes,
                           absl::InlinedVector<Allocation, 2>& outputs,
                           std::shared_ptr<hal::Buffer>& arena);
  // For launches of one stream the same, while it is large enough.
  absl::StatusOr<std::shared_ptr<hal::Buffer>> Arena(const Task& task, int64_t size_bytes);
  absl::Status ChargeAll(Task& task, absl::InlinedVector<Allocation, 2>& outputs);
  static void RefundAll(Task& task, absl::InlinedVector<Allocation, 2>& outputs);
  absl::Status TryAllocateAll(const Task& task, int64_t arena_bytes,
                              absl::InlinedVector<Allocation, 2>& outputs,
                              std::shared_ptr<hal::Buffer>& arena);
  absl::StatusOr<std::shared_ptr<hal::Buffer>> Allocate(Task& task, int64_t size_bytes);
  static const Meter* OwnerOf(const Task& task);
  // See WithRoomFor. A task that is cancelled fails with its reason, one that is brief as soon as
  // there is no memory. One for which memory may come later is to be tried again: it
  // `wants_memory_`.
  absl::Status FindMemory(Task* task, const Meter* owner, int64_t size_bytes,
                          absl::FunctionRef<absl::Status()> allocate);
  // How long an owner waits for the memory of work in flight.
  std::chrono::milliseconds MemoryPatience(int64_t size_bytes, const Meter* owner) const;
  // Ends an execution of another owner that keeps this one from its share of the memory. True when
  // there is one, or was lately: the wait goes on then.
  bool EndForMemory(int64_t size_bytes, const Meter* owner, MemoryWait& wait);
  enum class Wait : uint8_t {
    kCompleted,  // Something has ended.
    kLater,      // Something is in flight: the task is to be tried again when that ends.
    kHopeless,   // Nothing is in flight but the task, or it is too late.
  };
  // Waits until `settles_at` though nothing is in flight.
  Wait Look(Task* task, uint64_t seen_completions, TimePoint deadline,
            TimePoint settles_at = TimePoint::min());
  // Others than tasks look again at once; a task is tried again when others have had their turns.
  static Wait LookAgain(Task* task);
  // Makes room, or waits for those whose memory may come.
  Wait MakeRoom(Task* task, const Meter* owner, int64_t size_bytes, DeviceMemory::Victims victims,
                uint64_t seen_completions, MemoryWait& wait);
  // Whose turn it is to make room: memory_turn.cc.
  struct MemoryTurn {
    std::shared_ptr<Task> task;  // nullptr: nobody waits
    int64_t missing_bytes = 0;
    TimePoint progress_at;  // when it last came nearer to what it needs, or an array had moved
  };
  // Whether the task may take so much of what is free, although another may wait for it.
  bool MayTakeMemory(const Task& task, int64_t size_bytes);
  // Whether the task may make room now: the turn is its own then, until it has its memory or fails.
  bool TakeMemoryTurn(Task& task);
  // Of a task whose turn it may be.
  void EndMemoryTurn(Task& task);
  // While it has the turn, the task keeps these.
  void Keep(Task& task, absl::Span<const std::shared_ptr<hal::Buffer>> were_there,
            absl::Span<const std::shared_ptr<hal::Buffer>> brought);
  // The task is to be tried again when the turn of another is over.
  static absl::Status AwaitMemoryTurn(Task& task);
  // What the task needs of the device that it does not have there.
  int64_t MissingBytes(const Task& task) const;
  // When others may make room, too, unless there is progress before.
  TimePoint MemoryTurnBindsUntil() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool ArraysMove() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // All who are held are to be tried again.
  void LookAgainForMemory() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Waits for nothing: the dispatcher has others to serve.
  Wait LookForCompletion(Task& task, uint64_t seen_completions, TimePoint deadline,
                         TimePoint settles_at = TimePoint::min());
  Wait WaitForCompletion(uint64_t seen_completions, TimePoint deadline, TimePoint settles_at);
  // Arrays have left the device, or one has arrived.
  void EndMove() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether something is in flight, beside so many tasks of one's own, that will free memory.
  bool HoldsMemory(int own_in_flight) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  uint64_t completions() const;

  // From the device to the end: complete.cc and cancel.cc.
  void Launched(const std::shared_ptr<Task>& task, const Event& event);
  void Complete(Task& task, absl::Status status);
  // For the one who settles the execution: it reads them no more, but through its launch.
  static void DropInputs(Execution& execution);
  // What a finished execution means for its outputs.
  absl::Status ResultOf(const Task& task, const Execution& execution, absl::Status status);
  // Why a task that is cancelled was cancelled.
  absl::Status ReasonFor(const Task& task) const;
  // Notes that a task is cancelled; false when that is too late or was done before.
  bool MarkCancelled(Task& task, const absl::Status& reason) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Fails the outputs of a cancelled task that is in flight, if nobody has settled them.
  void SettleEarly(Task& task);
  // One output of the task has lost its last reader before it was final.
  void NoteUnread(const std::shared_ptr<Task>& task);
  // Settles a task that was never taken.
  void FailTask(Task& task, const absl::Status& error);
  // Settles a task that was taken but did not reach the device.
  void FailDispatch(Task& task, const absl::Status& error);
  // For the time of a dispatch that did not reach the device, in which others wait.
  void ChargeAttempt(Task& task, std::chrono::nanoseconds took);
  // Takes back Charge, for a task that has not reached the device.
  void Uncharge(Task& task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FailOutputs(Task& task, const absl::Status& error);
  // Gives the outputs of a run that may have been parked their memory; they are defined next.
  void SchedulePending(Task& task);
  // Tells whom the execution's host calls ask that it is over.
  static void NotifyHost(Task& task, const absl::Status& status);
  // Copies of one stream end in order; `last_end_ns` is when the one before did.
  void TraceCopy(SpanKind kind, uint64_t session, TimePoint begin, const absl::Status& status,
                 std::atomic<int64_t>& last_end_ns);
  void Retire(Task& task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  hal::Device& device_;
  const int index_;
  const Options options_;

  mutable Mutex mutex_;
  CondVar work_;          // for the dispatcher: runnable tasks, completions, stopping
  CondVar idle_;          // for WaitUntilIdle
  CondVar memory_freed_;  // for those who wait for memory: completions, cancellations
  FairSchedule execution_turns_ ABSL_GUARDED_BY(mutex_);  // costs: nanoseconds on the device
  FairSchedule upload_turns_ ABSL_GUARDED_BY(mutex_);     // costs: bytes
  bool upload_was_last_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t queued_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<std::unique_ptr<ComputeStream>> streams_ ABSL_GUARDED_BY(mutex_);  // all there are
  ComputeStream* current_ ABSL_GUARDED_BY(mutex_);  // that gets what is dispatched
  std::vector<ComputeStream*> spare_ ABSL_GUARDED_BY(mutex_);
  // The fewest there were since ReleaseUnusedStreams.
  size_t least_spare_ ABSL_GUARDED_BY(mutex_) = 0;
  int num_suspended_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t suspensions_ ABSL_GUARDED_BY(mutex_) = 0;
  TimePoint last_stall_ ABSL_GUARDED_BY(mutex_);  // that was ended
  int num_parked_ ABSL_GUARDED_BY(mutex_) = 0;
  // Those who have executions that do not begin because too many runs are parked.
  std::vector<std::shared_ptr<DeviceShare>> kept_shares_ ABSL_GUARDED_BY(mutex_);
  // Those that may go on when something has ended, and those that wait for a turn for memory.
  std::vector<HeldLane> held_ ABSL_GUARDED_BY(mutex_), await_turn_ ABSL_GUARDED_BY(mutex_);
  // When tasks that wait for memory are tried again though nothing has ended.
  TimePoint retry_at_ ABSL_GUARDED_BY(mutex_) = TimePoint::max();
  Chores chores_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<ExpressStream>> express_ ABSL_GUARDED_BY(mutex_);
  int express_in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
  int uploads_in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t upload_bytes_in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
  int downloads_in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
  int restores_in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
  MemoryTurn memory_turn_ ABSL_GUARDED_BY(mutex_);
  std::atomic<bool> memory_is_awaited_{false};        // Somebody has the turn.
  uint64_t completions_ ABSL_GUARDED_BY(mutex_) = 0;  // of all that was counted as in flight
  bool dispatcher_waits_ ABSL_GUARDED_BY(mutex_) = false;
  // A submitting thread gives work to the current stream.
  bool dispatching_here_ ABSL_GUARDED_BY(mutex_) = false;
  TimePoint idle_since_ ABSL_GUARDED_BY(mutex_);  // when the current stream ran dry
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
