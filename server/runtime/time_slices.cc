#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "server/runtime/device_executor.h"

// How executions share the device in time: time slices, suspended streams, and executions that may
// not begin while there are many of these.
namespace acceld::runtime {
namespace {

// One user may have 1/4 of all suspended streams.
constexpr int kSuspendedShare = 4;
// Where suspended executions continue alongside others, they may occupy this part of the streams
// that the device runs side by side; the rest is left to the others.
constexpr double kSuspendedPart = 0.75;
// How long an execution that was ended because of a stall has to end before the next one is.
constexpr std::chrono::seconds kEnding{1};

std::chrono::nanoseconds CostOf(const Execution& execution) {
  return std::chrono::nanoseconds(execution.executable != nullptr ? execution.executable->cost.ns()
                                                                  : 0);
}

}  // namespace

std::unique_ptr<ComputeStream> DeviceExecutor::NewStream() const {
  return std::make_unique<ComputeStream>(
      device_.CreateStream("run"), static_cast<size_t>(options_.max_in_flight), options_.run_ahead);
}

bool DeviceExecutor::IsShort(const Task& task) const {
  const auto& execution = std::get<Execution>(task.work_);
  if (execution.executable == nullptr) return true;  // it fails
  const std::chrono::nanoseconds cost = CostOf(execution);
  return execution.executable->executable->steady && cost.count() > 0 && cost <= options_.slice;
}

std::chrono::nanoseconds DeviceExecutor::TimeOnDevice(const ComputeStream& stream,
                                                      TimePoint now) const {
  return stream.ran_before +
         (stream.is_paused ? std::chrono::nanoseconds(0) : now - stream.slice_began);
}

void DeviceExecutor::ChargeRunning(const ComputeStream& stream, TimePoint now) {
  if (TimeOnDevice(stream, now).count() > stream.tasks.front()->charged_cost_) {
    SettleRunning(stream, now);
  }
}

void DeviceExecutor::SettleRunning(const ComputeStream& stream, TimePoint now) {
  Task& task = *stream.tasks.front();
  const int64_t more_ns = TimeOnDevice(stream, now).count() - task.charged_cost_;
  task.charged_cost_ += more_ns;
  execution_schedule_.Charge(task.queue_->executions_, static_cast<double>(more_ns));
}

void DeviceExecutor::ShareTime(TimePoint now) {
  CancelPastMaxRun(now);
  if (now >= NextStall()) EndStall(now);
  if (now >= retry_at_) ReleaseHeld();
  AdmitOverdue(now);
  ComputeStream& running = *current_;
  if (running.is_pausing &&
      (running.is_paused || RunsOverlap() || now >= running.pausing_since + CurrentGrace())) {
    Suspend();
  }
  HoldBack();
  if (execution_schedule_.empty()) return;
  if (current_->tasks.empty()) return ResumeNext(now);
  if (!current_->is_pausing && now >= current_->slice_began + CurrentSlice()) EndSlice(now);
}

std::chrono::nanoseconds DeviceExecutor::CurrentSlice() const {
  const auto& next = *static_cast<const TaskQueue::Lane*>(execution_schedule_.Peek());
  if (next.suspended != nullptr || &next == &current_->tasks.front()->queue_->executions_ ||
      !IsShort(*next.tasks.front())) {
    return options_.slice;
  }
  return std::clamp<std::chrono::nanoseconds>(
      CostOf(std::get<Execution>(next.tasks.front()->work_)), options_.min_slice, options_.slice);
}

std::chrono::nanoseconds DeviceExecutor::CurrentGrace() const {
  const std::chrono::nanoseconds grace = options_.pause_grace;
  return execution_schedule_.empty() ? grace : std::min(grace, CurrentSlice());
}

void DeviceExecutor::EndSlice(TimePoint now) {
  ComputeStream& stream = *current_;
  Task& running = *stream.tasks.front();
  // A thread that serves a connection must not sleep, and what it runs itself is short. So is a
  // task that runs although its queue has a suspended stream.
  if (running.dispatched_inline_ || running.queue_->executions_.suspended != nullptr) return;
  ChargeRunning(stream, now);
  const bool others_first = OthersGoFirst(*running.queue_);
  if (others_first && spare_.empty()) {
    deferred_work_.add_stream = true;
    return;
  }
  stream.ran_before = TimeOnDevice(stream, now);
  stream.slice_began = now;
  if (!others_first) return;
  stream.is_pausing = true;
  stream.pausing_since = now;
  for (Task* task : stream.tasks) {
    task->control_.Pause([this, &stream] { OnPaused(stream); });
  }
}

bool DeviceExecutor::OthersGoFirst(TaskQueue& queue) {
  TaskQueue::Lane& lane = queue.executions_;
  const bool had_tasks = lane.active();
  execution_schedule_.SetHandicap(lane, SliceNs());
  execution_schedule_.Activate(lane);
  const bool others = execution_schedule_.Peek() != &lane;
  execution_schedule_.SetHandicap(lane, 0);
  if (!had_tasks) execution_schedule_.Deactivate(lane);
  return others;
}

int DeviceExecutor::MaxSuspended() const {
  if (!RunsOverlap()) return options_.max_suspended;
  return std::min(options_.max_suspended,
                  static_cast<int>(kSuspendedPart * device_.concurrent_streams()));
}

bool DeviceExecutor::RunsAlongside(const ComputeStream& stream) const {
  return stream.suspended_for != nullptr && !stream.is_paused && RunsOverlap();
}

void DeviceExecutor::OnPaused(ComputeStream& stream) {
  const TimePoint now = std::chrono::steady_clock::now();
  const MutexLock lock(mutex_);
  if (!stream.is_pausing || stream.is_paused || stream.tasks.empty()) return;
  stream.ran_before = TimeOnDevice(stream, now);
  stream.is_paused = true;
  LeaveDevice(stream, now);
  SettleRunning(stream, now);
  if (stream.suspended_for != nullptr)
    execution_schedule_.Activate(stream.suspended_for->executions_);
  if (dispatcher_waits_ && DispatcherIsWanted()) work_.NotifyOne();
}

void DeviceExecutor::Suspend() {
  ComputeStream& stream = *current_;
  const std::shared_ptr<TaskQueue>& first = stream.tasks.front()->queue_;
  if (first->executions_.suspended != nullptr) {
    // The first task has changed since the slice ended, and the queue of the present one has a
    // suspended stream already.
    return Resume(stream, std::chrono::steady_clock::now());
  }
  stream.suspended_for = first;
  TaskQueue& queue = *first;
  ACCELD_CHECK(!spare_.empty());
  queue.executions_.suspended = &stream;
  execution_schedule_.SetHandicap(queue.executions_, SliceNs());
  if (!RunsAlongside(stream)) execution_schedule_.Activate(queue.executions_);
  // A run that does not pause continues on the host's processors; let it yield to the others.
  if (!stream.is_paused && !RunsOverlap())
    stream.low_priority = stream.stream->SetLowPriority(true);
  ++num_suspended_;
  ++queue.share_->num_suspended_;
  ++suspensions_;
  current_ = spare_.back();
  spare_.pop_back();
  least_spare_ = std::min(least_spare_, spare_.size());
}

void DeviceExecutor::ReleaseUnusedStreams() {
  std::vector<std::unique_ptr<ComputeStream>> unused;  // they are destroyed after the unlock
  const MutexLock lock(mutex_);
  for (size_t i = 0; i < least_spare_; ++i) {
    const auto stream =
        std::find_if(streams_.begin(), streams_.end(),
                     [spare = spare_[i]](const auto& one) { return one.get() == spare; });
    unused.push_back(std::move(*stream));
    streams_.erase(stream);
  }
  spare_.erase(spare_.begin(), spare_.begin() + static_cast<ptrdiff_t>(least_spare_));
  least_spare_ = spare_.size();
}

void DeviceExecutor::ResumeNext(TimePoint now) {
  const auto* const next = static_cast<const TaskQueue::Lane*>(execution_schedule_.Peek());
  if (next->suspended == nullptr) return;
  ComputeStream& stream = *next->suspended;
  (void)execution_schedule_.Next();
  EndSuspension(stream);
  spare_.push_back(current_);
  current_ = &stream;
  Resume(stream, now);
}

void DeviceExecutor::EndYielding(ComputeStream& stream) {
  if (stream.low_priority) stream.low_priority = !stream.stream->SetLowPriority(false);
}

void DeviceExecutor::Resume(ComputeStream& stream, TimePoint now) {
  EndYielding(stream);
  stream.ran_before = TimeOnDevice(stream, now);
  stream.slice_began = now;
  stream.is_pausing = stream.is_paused = false;
  EnterDevice(stream, now);
  for (Task* task : stream.tasks) task->control_.Resume();
}

void DeviceExecutor::EndSuspension(ComputeStream& stream) {
  // The queue is released last, as the stream may hold the only reference to it.
  const std::shared_ptr<TaskQueue> queue = std::exchange(stream.suspended_for, nullptr);
  TaskQueue::Lane& lane = queue->executions_;
  lane.suspended = nullptr;
  execution_schedule_.SetHandicap(lane, 0);
  if (lane.tasks.empty()) {
    execution_schedule_.Deactivate(lane);
  } else if (!lane.is_held) {
    execution_schedule_.Activate(lane);
  }
  --num_suspended_;
  --queue->share_->num_suspended_;
  ReleaseHeld();
}

void DeviceExecutor::RemoveFirst(ComputeStream& stream, const Task& task, TimePoint now) {
  ACCELD_CHECK(stream.tasks.front() == &task);
  if (stream.awaits_host) EndHostCallWait(stream, *task.queue_);
  if (std::exchange(stream.is_returning, false)) {
    std::erase(task.queue_->executions_.returning, &stream);
  }
  stream.tasks.pop_front();
  stream.run_ahead.FinishFirst(now);
  stream.slice_began = now;
  stream.ran_before = std::chrono::nanoseconds(0);
  // If the first task had paused, it was cancelled; the next one has not paused yet.
  stream.is_paused = false;
  if (stream.tasks.empty()) {
    NoteEmpty(stream);
  } else {
    EnterDevice(stream, now);
  }
  PromoteReturning(*task.queue_);
}

void DeviceExecutor::RemoveLast(ComputeStream& stream) {
  const std::shared_ptr<TaskQueue> queue = stream.tasks.back()->queue_;
  stream.tasks.pop_back();
  stream.run_ahead.DropLast();
  stream.is_closed = false;
  if (stream.tasks.empty()) NoteEmpty(stream);
  PromoteReturning(*queue);
}

void DeviceExecutor::NoteEmpty(ComputeStream& stream) {
  stream.exclusive = nullptr;
  stream.exclusive_share = nullptr;
  stream.is_pausing = stream.is_paused = stream.is_closed = false;
  if (std::exchange(stream.is_on_device, false)) busy_time_.Leave();
  EndYielding(stream);
  if (&stream == current_) {
    if (!stream.low_priority || spare_.empty()) return;
    current_ = spare_.back();
    spare_.pop_back();
    least_spare_ = std::min(least_spare_, spare_.size());
  } else if (stream.suspended_for != nullptr) {
    EndSuspension(stream);
  }
  if (!stream.low_priority) return spare_.push_back(&stream);
  const auto retired = std::find_if(streams_.begin(), streams_.end(),
                                    [&](const auto& one) { return one.get() == &stream; });
  deferred_work_.retired.push_back(std::move(*retired));
  streams_.erase(retired);
}

void DeviceExecutor::HoldBack() {
  while (const auto* const next = static_cast<const TaskQueue::Lane*>(execution_schedule_.Peek())) {
    if (next->suspended != nullptr) {
      if (!RunsAlongside(*next->suspended)) return;
      execution_schedule_.Deactivate(next->suspended->suspended_for->executions_);
      continue;
    }
    const std::shared_ptr<Task> task = next->tasks.front();
    if (HoldBackHostCaller(task)) continue;
    TaskQueue& queue = *task->queue_;
    const int most = MaxSuspended();
    const bool many =
        num_suspended_ > most || queue.share_->num_suspended_ > std::max(1, most / kSuspendedShare);
    if (many && !IsShort(*task)) {
      Hold(task->queue_, queue.executions_, held_);
      continue;
    }
    if (num_suspended_ == 0) return;
    const std::shared_ptr<Array> blocker = FindInputOfSuspendedRun(*task);
    if (blocker == nullptr) return;
    TaskQueue::Lane& lane = queue.executions_;
    queue.waiting_.splice(queue.waiting_.end(), lane.tasks, task->position_);
    task->state_ = Task::State::kWaiting;
    task->blockers_.store(1, std::memory_order_relaxed);
    if (lane.tasks.empty()) execution_schedule_.Deactivate(lane);
    deferred_work_.blocked.emplace_back(task, blocker);
  }
}

std::shared_ptr<Array> DeviceExecutor::FindInputOfSuspendedRun(const Task& task) const {
  for (const std::shared_ptr<Array>& input : std::get<Execution>(task.work_).inputs) {
    const Array::View view = input->view();
    if (view.state != Array::State::kScheduled) continue;
    for (const std::unique_ptr<ComputeStream>& stream : streams_) {
      if (stream->suspended_for != nullptr && stream->stream.get() == view.stream) return input;
    }
  }
  return nullptr;
}

void DeviceExecutor::Hold(const std::shared_ptr<TaskQueue>& queue, TaskQueue::Lane& lane,
                          std::vector<HeldLane>& held) {
  (&lane == &queue->uploads_ ? upload_schedule_ : execution_schedule_).Deactivate(lane);
  if (std::exchange(lane.is_held, true)) return;
  held.push_back({queue, &lane});
}

void DeviceExecutor::ReleaseHeld() {
  retry_at_ = TimePoint::max();
  if (!await_memory_lease_.empty()) {
    const TimePoint until = MemoryLeaseBindsUntil();
    if (std::chrono::steady_clock::now() < until) {
      retry_at_ = until;
    } else {
      held_.insert(held_.end(), await_memory_lease_.begin(), await_memory_lease_.end());
      await_memory_lease_.clear();
    }
  }
  for (const auto& [queue, lane] : std::exchange(held_, {})) {
    lane->is_held = false;
    if (lane->tasks.empty()) continue;
    (lane == &queue->uploads_ ? upload_schedule_ : execution_schedule_).Activate(*lane);
  }
}

DeviceExecutor::TimePoint DeviceExecutor::NextMaxRunDeadline() const {
  TimePoint next = TimePoint::max();
  for (const std::unique_ptr<ComputeStream>& stream : streams_) {
    if (stream->tasks.empty() || stream->is_paused) continue;
    const Task& task = *stream->tasks.front();
    if (task.max_run.count() == 0 || task.control_.cancelled().load()) continue;
    next = std::min(next, stream->slice_began + (task.max_run - stream->ran_before));
  }
  return next;
}

void DeviceExecutor::CancelPastMaxRun(TimePoint now) {
  for (const std::unique_ptr<ComputeStream>& stream : streams_) {
    if (stream->tasks.empty()) continue;
    Task& task = *stream->tasks.front();
    if (task.max_run.count() == 0 || task.control_.cancelled().load() ||
        TimeOnDevice(*stream, now) < task.max_run) {
      continue;
    }
    deferred_work_.ended.emplace_back(task.shared_from_this(), task.max_run_error);
    task.max_run = std::chrono::nanoseconds(0);
  }
}

DeviceExecutor::TimePoint DeviceExecutor::NextStall() const {
  TimePoint next = TimePoint::max();
  if (num_suspended_ == 0 || !RunsOverlap() || options_.stall_timeout.count() == 0) return next;
  for (const std::unique_ptr<ComputeStream>& stream : streams_) {
    if (stream->tasks.empty() || stream->is_paused || !stream->tasks.front()->is_short_) continue;
    next = std::min(next, stream->slice_began + (options_.stall_timeout - stream->ran_before));
  }
  return next == TimePoint::max() ? next : std::max(next, last_stall_ + kEnding);
}

void DeviceExecutor::EndStall(TimePoint now) {
  last_stall_ = now;
  std::chrono::nanoseconds longest = options_.stall_timeout;
  Task* cause = nullptr;
  for (const std::unique_ptr<ComputeStream>& stream : streams_) {
    if (stream->tasks.empty() || stream->is_paused) continue;
    Task& task = *stream->tasks.front();
    const std::chrono::nanoseconds took = TimeOnDevice(*stream, now);
    if (took <= longest || task.is_short_ || task.control_.cancelled().load()) continue;
    longest = took;
    cause = &task;
  }
  if (cause == nullptr) return;
  deferred_work_.ended.emplace_back(
      cause->shared_from_this(),
      absl::ResourceExhaustedError(absl::StrCat(
          "it has had the device for ",
          std::chrono::duration_cast<std::chrono::milliseconds>(longest).count(),
          " ms, where it cannot give way, and short executions of others did not end within ",
          options_.stall_timeout.count(), " ms (stall-timeout)")));
}

void DeviceExecutor::RunDeferred(DeferredWork chores) {
  if (chores.add_stream) {
    std::unique_ptr<ComputeStream> stream = NewStream();
    const MutexLock lock(mutex_);
    spare_.push_back(stream.get());
    streams_.push_back(std::move(stream));
  }
  for (const auto& [task, reason] : chores.ended) Cancel(task, reason);
  for (const auto& [task, input] : chores.blocked) {
    input->OnFinal([task = task](const absl::Status&) { task->Unblock(); });
  }
}

std::vector<DeviceExecutor::Running> DeviceExecutor::RunningNow() const {
  const TimePoint now = std::chrono::steady_clock::now();
  std::vector<Running> running;
  const MutexLock lock(mutex_);
  for (const std::unique_ptr<ComputeStream>& stream : streams_) {
    if (stream->tasks.empty()) continue;
    const Task& task = *stream->tasks.front();
    const auto& execution = std::get<Execution>(task.work_);
    const bool is_ending = task.control_.cancelled().load();
    running.push_back({.session = task.session,
                       .owner = task.queue_->share_->name_,
                       .program = *execution.program_name,
                       .since_submitted = now - execution.submitted_at,
                       .on_device = TimeOnDevice(*stream, now),
                       .state = is_ending             ? Running::State::kEnding
                                : stream->awaits_host ? Running::State::kAwaitsHost
                                : stream->is_paused   ? Running::State::kSuspended
                                                      : Running::State::kRuns});
    if (stream.get() == current_) std::swap(running.front(), running.back());
  }
  return running;
}

int DeviceExecutor::CancelRunning(uint64_t session, const absl::Status& reason) {
  std::vector<std::shared_ptr<Task>> tasks;
  {
    const MutexLock lock(mutex_);
    for (const std::unique_ptr<ComputeStream>& stream : streams_) {
      for (Task* task : stream->tasks) {
        if (task->session == session) tasks.push_back(task->shared_from_this());
      }
    }
  }
  for (const std::shared_ptr<Task>& task : tasks) Cancel(task, reason);
  return static_cast<int>(tasks.size());
}

}  // namespace acceld::runtime
