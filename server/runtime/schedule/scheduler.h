#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/status.h"
#include "common/threads/fair_schedule.h"
#include "server/runtime/array.h"
#include "server/runtime/schedule/busy_time.h"
#include "server/runtime/schedule/bypass_stream.h"
#include "server/runtime/schedule/compute_streams.h"
#include "server/runtime/schedule/host_call_limits.h"
#include "server/runtime/schedule/inline_limits.h"
#include "server/runtime/schedule/run_limits.h"
#include "server/runtime/schedule/task_queue.h"
#include "server/runtime/task.h"

namespace acceld::runtime {

// Decides which task goes to a device next, on which stream, and for how long. Knows nothing of the
// device itself: what it decides is carried out by the executor, which also tells it what happened.
//
// Queues share the time of the device: a FairSchedule decides which queue is next, and a queue is
// charged for the time that its tasks actually took. The device is given work for about `run_ahead`
// at a time, estimated from earlier runs of the executables: at least one launch, at most
// `max_in_flight`, nothing after a launch of unknown cost, and nothing of other queues after one
// that may take long. So a queue that floods the device delays tasks of others by little more than
// one kernel, and a long chain of executions holds a bounded amount of memory. Uploads have a
// schedule and limits of their own, so kernels do not delay them.
//
// An execution has the device for a time slice, a shorter one while the next task is short. If
// others are scheduled next when the slice is over, the execution is asked to pause: its stream is
// suspended, another stream serves the others, and it is resumed when its queue is scheduled again.
// A run that does not pause in time, because it is inside a library call or its device cannot stop
// it, continues alongside the next task. None of this happens while nobody else waits. The number
// of suspended streams is bounded; beyond the limit, tasks that may take long do not begin until a
// suspended stream has ended.
//
// While the device works for others, a very short task overtakes that work on a bypass stream,
// provided that its inputs are ready, its session has had little more than its share, and its
// priority class is not kBatch.
//
// Not thread-safe: guarded by the executor's mutex, which the functions of Events do not take.
// Nothing here blocks, and nothing calls out, except to the tasks' RunControl and to Events.
class Scheduler {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // See DeviceExecutor::Options.
  struct Options {
    int max_in_flight = 0;
    int64_t upload_bytes = 0;
    InlineLimits inline_limits;
    std::chrono::milliseconds slice{0}, min_slice{0}, pause_grace{0};
    int max_suspended = 0;
    std::chrono::milliseconds stall_timeout{0};
    // On how many streams the device executes runs side by side (hal::Device::concurrent_streams).
    int concurrent_runs = 1;
    int num_bypass_streams = 0;
  };
  // What the scheduler needs of its executor.
  class Events {
   public:
    // A run has paused, as it was asked to. Called by a thread of the run, without the executor's
    // mutex; the executor calls NotePaused.
    virtual void OnPaused(ComputeStream& stream) = 0;
    // Returns until when tasks that wait for another's memory lease have to wait. Called with the
    // executor's mutex.
    virtual TimePoint MemoryLeaseBindsUntil() = 0;

   protected:
    ~Events() = default;
  };
  // Decisions that the dispatch thread carries out without the mutex.
  struct DeferredWork {
    // There is no spare stream; create one.
    bool add_stream = false;
    // Tasks to cancel, with the reason.
    RunLimits::Ended ended;
    // Tasks to block until an input is final, as a suspended stream is going to make that input.
    std::vector<std::pair<std::shared_ptr<Task>, std::shared_ptr<Array>>> blocked;
    std::vector<std::unique_ptr<ComputeStream>> retired;  // streams to destroy

    bool empty() const {
      return !add_stream && ended.empty() && blocked.empty() && retired.empty();
    }
  };
  // Why a task that was taken is put back.
  enum class PutBackReason : uint8_t {
    kTryAgain,           // another thread, or another stream, is to dispatch it
    kAwaitsCompletion,   // something that is in flight has to end first
    kAwaitsMemoryLease,  // another task's memory lease has to end first
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

  // `events` must outlive the scheduler. `stream` is the first stream for executions.
  Scheduler(const Options& options, Events& events, std::unique_ptr<ComputeStream> stream);

  // Tasks that are submitted.
  //
  // Gives the task its queue, and counts it until Retire.
  void Admit(const std::shared_ptr<TaskQueue>& queue, Task& task);
  // Adds a task that waits for inputs or its executable.
  void AddWaiting(const std::shared_ptr<Task>& task);
  // Adds a task that may run.
  void AddRunnable(const std::shared_ptr<Task>& task);
  // Makes a waiting task runnable. Without effect on a task that was cancelled meanwhile.
  void MakeRunnable(const std::shared_ptr<Task>& task);

  // Dispatch by the dispatch thread.
  //
  // Takes the task that is to be dispatched now out of its queue, charges the queue and counts the
  // task as in flight; nullptr when no task may be dispatched now.
  std::shared_ptr<Task> Take();
  // Takes what else the dispatch thread has to do.
  DeferredWork TakeDeferredWork() { return std::exchange(deferred_work_, {}); }
  bool has_deferred_work() const { return !deferred_work_.empty(); }
  // Adds a task to cancel to the deferred work.
  void CancelLater(std::shared_ptr<Task> task, absl::Status reason) {
    deferred_work_.ended.emplace_back(std::move(task), std::move(reason));
  }
  // Notes that the dispatch thread waits. Returns until when at most.
  TimePoint BeginWait();
  void EndWait() { dispatch_thread_waits_ = false; }
  // Returns whether the dispatch thread waits and must be woken.
  bool WantsDispatchThread() const;

  // Dispatch by the submitting thread: inline.cc.
  //
  // Takes a task that is being submitted (see InlineLimits::MayDispatchInline), so that the
  // submitting thread dispatches it, if that is possible now.
  bool TakeInline(const std::shared_ptr<Task>& task);
  // The same for a member of a gang, which is a waiting task, when all others are ready.
  bool TakeMemberInline(const std::shared_ptr<Task>& task);
  // Undoes TakeMemberInline, as another member could not be taken.
  void ReturnMember(const std::shared_ptr<Task>& task);
  // Ends the dispatch by the submitting thread. `is_task_kept`: the task was not put back.
  void EndInline(Task& task, bool on_compute_stream, bool is_task_kept);
  bool is_dispatching_inline() const { return dispatching_inline_; }

  // The end of tasks that were taken.
  //
  // Reverts Take. The task returns to the front of its queue, unless it `continues` not: then it is
  // about to fail, like one of NoteFailedDispatch.
  void PutBack(const std::shared_ptr<Task>& task, PutBackReason reason, bool continues);
  // Notes that an execution or upload has ended on the device.
  void NoteEnded(Task& task, TimePoint now, std::chrono::nanoseconds device_time);
  // Charges the queue for the time of a dispatch attempt that did not reach the device.
  void ChargeAttempt(const Task& task, std::chrono::nanoseconds took);
  // Reverts Take, for a task that fails before it has reached the device, and charges what that
  // costs the others.
  void NoteFailedDispatch(Task& task);
  // Lets the tasks that wait for a completion, or for a memory lease that has ended, be tried
  // again.
  void ReleaseHeld();
  // Removes a task that has ended. Returns whether it was the last one of all queues.
  bool Retire(Task& task);

  // Cancellation.
  //
  // Removes a task that has not been taken. Returns false if it has been, or has ended.
  bool RemoveQueued(const std::shared_ptr<Task>& task);
  // Closes a queue: new tasks fail with `reason`. Returns its tasks that have not been taken, which
  // are removed.
  std::list<std::shared_ptr<Task>> Close(TaskQueue& queue, const absl::Status& reason);
  // Returns the tasks of the queue that have been taken and have not ended.
  static std::vector<std::shared_ptr<Task>> TakenOf(const TaskQueue& queue);
  // Returns the reason for which a task must not begin: its own cancellation, or that of its queue.
  static const absl::Status& ClosedFor(const Task& task);

  // Streams.
  //
  void AddStream(std::unique_ptr<ComputeStream> stream) { streams_.Add(std::move(stream)); }
  const ComputeStreams& streams() const { return streams_; }
  // Takes out the streams that were not needed since the last call, to be destroyed.
  std::vector<std::unique_ptr<ComputeStream>> RemoveUnusedStreams() {
    return streams_.RemoveUnused();
  }
  void NotePaused(ComputeStream& stream, TimePoint now);

  // Runs that wait for an answer to a host call: host_call_wait.cc.
  //
  // Returns whether SuspendForHostCall needs a spare stream that does not exist.
  bool NeedsStreamFor(const Task& task) const {
    return task.stream_ == &streams_.current() && !streams_.has_spare();
  }
  // Gives the device to others while the task's run waits for its client.
  void SuspendForHostCall(Task& task);
  // Lets the task's run continue after its host call was answered: it has the device when the next
  // call of RunControl::WaitWhilePaused returns.
  void ResumeAfterHostCall(Task& task);

  // What there is now.
  //
  int64_t num_queued() const { return num_queued_; }
  uint64_t suspensions() const { return suspensions_; }
  std::chrono::nanoseconds BusyUntil(TimePoint now) const { return busy_time_.Read(now); }
  // Returns whether executions are suspended or wait for their client.
  bool has_interrupted_runs() const { return num_suspended_ + host_call_limits_.num_waiting() > 0; }
  // Returns the number of tasks on the current stream, on express streams and uploading.
  int num_in_flight() const {
    return static_cast<int>(streams_.current().tasks.size()) + bypass_in_flight_ +
           uploads_in_flight_;
  }
  // Returns the executions that have begun and not ended; the one on the current stream first.
  std::vector<Running> RunningNow() const;
  // Returns the tasks of a session that have begun.
  std::vector<std::shared_ptr<Task>> RunningOf(uint64_t session) const;

 private:
  // A lane that was removed from the schedule although it has tasks.
  struct HeldLane {
    std::shared_ptr<TaskQueue> queue;
    TaskQueue::Lane* lane;
  };

  FairSchedule& ScheduleOf(const Task& task) {
    return task.is_upload() ? upload_schedule_ : execution_schedule_;
  }
  const TaskQueue::Lane* NextExecutions() const {
    return static_cast<const TaskQueue::Lane*>(execution_schedule_.Peek());
  }

  // Choice and charges: scheduler.cc.
  //
  void Enqueue(Task& task);
  // Moves an execution from its lane to the list of waiting tasks: the opposite of MakeRunnable.
  void Unschedule(const std::shared_ptr<Task>& task);
  std::shared_ptr<Task> TakeFrom(FairSchedule& schedule, TimePoint now);
  // Takes the execution that is scheduled next, to run on an express stream.
  std::shared_ptr<Task> TakeForBypass(BypassStream& express, TimePoint now);
  void Charge(Task& task, TaskQueue::Lane& lane, TimePoint now);
  void Uncharge(Task& task);
  // Returns whether the next execution may go to the current stream now.
  bool ExecutionsAreOpen(TimePoint now) const;
  // Returns whether a task of this lane may be added to the tasks of the current stream.
  bool MayAppend(const TaskQueue::Lane& lane) const;
  bool UploadsAreOpen() const;
  // Returns whether there is something for the dispatch thread to do.
  bool HasWork() const;
  // Returns when the dispatch thread must wake at the latest.
  TimePoint WakeTime() const;
  // Returns whether the task is sure to end within a time slice.
  bool IsShort(const Task& task) const;
  // Counts the run of an execution that has ended and is still in the list of its stream.
  void CountRun(const Task& task, TimePoint now, std::chrono::nanoseconds device_time);

  // Time slices: time_slices.cc.
  //
  // Ends slices, and suspends and resumes streams, as is due.
  void ShareTime(TimePoint now);
  void EndSlice(TimePoint now);
  // Suspends the current stream and makes a spare one current.
  void Suspend();
  // Makes the stream current that is suspended for the scheduled queue, if there is one.
  void ResumeNext(TimePoint now);
  void Resume(ComputeStream& stream, TimePoint now);
  void EndSuspension(ComputeStream& stream);
  // Ends SetLowPriority for a stream that is resumed or has become empty.
  static void EndLowPriority(ComputeStream& stream);
  // Returns how long the running execution may have the device, given the next one. Some execution
  // must be waiting.
  std::chrono::nanoseconds CurrentSlice() const;
  std::chrono::nanoseconds CurrentGrace() const;
  double SliceNs() const {
    return static_cast<double>(std::chrono::nanoseconds(options_.slice).count());
  }
  // Both remove a task that is no longer in flight: the first one, or the last one that was added.
  void RemoveFirst(ComputeStream& stream, const Task& task, TimePoint now);
  void RemoveLast(ComputeStream& stream);
  void NoteEmpty(ComputeStream& stream);
  // Charges the queue for the time that the first task took so far, if that is more than was
  // charged.
  void ChargeRunning(const ComputeStream& stream, TimePoint now);
  // Charges, or refunds, the difference to the time that the first task took so far.
  void SettleRunning(const ComputeStream& stream, TimePoint now);
  // Returns whether other queues are scheduled before this one.
  bool OthersGoFirst(TaskQueue& queue);
  bool RunsOverlap() const { return options_.concurrent_runs > 1; }
  // Returns the number of suspended streams above which tasks that may take long do not begin.
  int MaxSuspended() const;
  // Returns whether a suspended stream keeps running alongside the current one, and so need not be
  // scheduled until it pauses.
  bool RunsAlongside(const ComputeStream& stream) const;
  void EnterDevice(ComputeStream& stream, TimePoint now);
  void LeaveDevice(ComputeStream& stream, TimePoint now);
  TimePoint NextStall() const {
    return num_suspended_ > 0 && RunsOverlap() ? run_limits_.NextStall() : TimePoint::max();
  }

  // Tasks that may not begin yet: hold_back.cc.
  //
  // Removes from the schedule the next executions that may not begin: those that may take long
  // while too many streams are suspended, and those that depend on a suspended stream.
  void HoldBack();
  // Removes the next execution from the schedule if it may make host calls and too many runs wait
  // for their client. Returns whether it did.
  bool HoldBackHostCaller(const std::shared_ptr<Task>& task);
  // Returns an input of the execution that a suspended run is going to write, or nullptr.
  std::shared_ptr<Array> FindInputOfSuspendedRun(const Task& task) const;
  void Hold(const Task& task, std::vector<HeldLane>& held);

  // Host calls: host_call_wait.cc.
  //
  void EndHostCallWait(ComputeStream& stream, TaskQueue& queue);
  // Suspends the next stream of the queue that waits to continue after a host call, if nothing of
  // the queue has the device. May also admit an execution that HoldBackHostCaller held back.
  void PromoteReturning(TaskQueue& queue);

  // Express streams: inline.cc.
  //
  // Returns whether the device is idle and no other thread is about to give it work.
  bool DeviceIsIdle(const Task& task) const;
  // Returns the express stream for a very short task that is being submitted or is the first of its
  // lane; nullptr when the task may not overtake the work of the device.
  BypassStream* BypassStreamFor(const Task& task) const;
  // The same for the next execution while the current stream works.
  BypassStream* BypassStreamForNext() const;
  void LeaveBypass(Task& task);

  const Options options_;
  Events& events_;

  FairSchedule execution_schedule_;  // costs: nanoseconds on the device
  FairSchedule upload_schedule_;     // costs: bytes
  bool upload_was_last_ = false;
  int64_t num_queued_ = 0;
  ComputeStreams streams_;
  RunLimits run_limits_;
  HostCallLimits host_call_limits_;
  mutable BusyTime busy_time_;  // reading it counts the time until then
  int num_suspended_ = 0;
  uint64_t suspensions_ = 0;
  // Lanes with tasks that may be tried again when something has ended, and lanes with tasks that
  // wait for another's memory lease.
  std::vector<HeldLane> held_, await_memory_lease_;
  // When tasks that are held must be tried again even if nothing has ended.
  TimePoint retry_at_ = TimePoint::max();
  DeferredWork deferred_work_;
  std::vector<std::unique_ptr<BypassStream>> bypass_streams_;
  int bypass_in_flight_ = 0;
  int uploads_in_flight_ = 0;
  int64_t upload_bytes_in_flight_ = 0;
  bool dispatch_thread_waits_ = false;
  TimePoint waits_until_;  // valid while dispatch_thread_waits_
  // Whether a submitting thread is giving work to the current stream.
  bool dispatching_inline_ = false;
  TimePoint idle_since_;  // when the current stream became empty
};

}  // namespace acceld::runtime
