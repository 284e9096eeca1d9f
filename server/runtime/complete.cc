#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/runtime/device_executor.h"

// The end of tasks, on the device or before they reach it.
namespace acceld::runtime {
namespace {

// What a queue is charged for an execution that fails before it reaches the device, as others wait
// meanwhile: one cancelled input may fail tens of thousands of executions.
constexpr double kFailureCostNs = 2000;

}  // namespace

void DeviceExecutor::Launched(const std::shared_ptr<Task>& task, const Event& event) {
  task->launched_.store(true);
  if (task->control_.cancelled().load()) SettleEarly(*task);
  event.OnReady([this, task](const absl::StatusOr<Unit>& done) { Complete(*task, done.status()); });
}

void DeviceExecutor::DropInputs(Execution& execution) {
  for (const auto& input : execution.inputs) input->CountReader(-1);
  execution.inputs.clear();
}

absl::Status DeviceExecutor::ResultOf(const Task& task, const Execution& execution,
                                      absl::Status status) {
  if (!status.ok()) {
    status = task.control_.cancelled().load()
                 ? ReasonFor(task)
                 : Annotate(status, absl::StrCat("program ", *execution.program_name));
  }
  // An input or its copy may have failed after this launch was enqueued; that is known by now.
  for (const Event& copy : task.input_copies_) {
    if (!copy.Await().ok()) status = copy.Await().status();
  }
  for (const auto& input : execution.inputs) {
    if (absl::Status error = input->error(); !error.ok()) status = error;
  }
  instruments_.ended.Add(status.code());
  return status;
}

void DeviceExecutor::Complete(Task& task, absl::Status status) {
  const bool settles = !task.settled_.exchange(true);
  int64_t device_ns = 0;
  TimePoint now;
  if (auto* execution = std::get_if<Execution>(&task.work_)) {
    device_ns = task.device_ns_.load(std::memory_order_relaxed);
    now = std::chrono::steady_clock::now();
    const std::chrono::nanoseconds device_time(device_ns);
    instruments_.device_time.Observe(device_time);
    instruments_.queue_time.Observe(now - device_time - execution->submitted_at);
    // A run that failed or was told to stop does not count for the estimate of the cost.
    if (status.ok() && !task.control_.cancelled().load())
      execution->executable->cost.Record(device_ns);
    if (execution->execute_us != nullptr) {
      execution->execute_us->store(static_cast<double>(device_ns) / 1000,
                                   std::memory_order_relaxed);
    }
    if (settles) status = ResultOf(task, *execution, std::move(status));
    if (options_.trace != nullptr) {
      const int64_t end_ns = now.time_since_epoch().count();
      options_.trace->Add({.kind = SpanKind::kExecution,
                           .express = task.bypass_ != nullptr,
                           .code = static_cast<uint8_t>(status.code()),
                           .track = static_cast<uint32_t>(index_),
                           .session = task.session,
                           .submitted_ns = execution->submitted_at.time_since_epoch().count(),
                           .begin_ns = end_ns - device_ns,
                           .end_ns = end_ns,
                           .name = *execution->program_name});
    }
    if (settles) DropInputs(*execution);
    execution->executable.reset();
  } else {
    TraceCopy(SpanKind::kUpload, task.session, task.dispatched_at_, status, last_upload_ns_);
  }
  if (settles && status.ok()) {
    SchedulePending(task);
    for (const auto& output : task.outputs) output->Define();
    task.outputs.clear();
    NotifyHost(task, status);
  } else if (settles) {
    FailOutputs(task, status);
  }
  MutexLock lock(mutex_);
  ++completions_;
  if (!held_.empty()) ReleaseHeld();
  if (!task.is_upload()) CountRun(task, now);
  if (task.bypass_ != nullptr) LeaveBypass(task);
  if (task.is_upload()) {
    --uploads_in_flight_;
    upload_bytes_in_flight_ -= std::get<Upload>(task.work_).size_bytes;
  } else {
    if (task.stream_ != nullptr) {
      RemoveFirst(*task.stream_, task, now);
      if (current_->tasks.empty()) idle_since_ = now;
    }
    execution_schedule_.Charge(task.queue_->executions_,
                               static_cast<double>(device_ns - task.charged_cost_));
  }
  Retire(task);
}

void DeviceExecutor::TraceCopy(SpanKind kind, uint64_t session, TimePoint begin,
                               const absl::Status& status, std::atomic<int64_t>& last_end_ns) {
  if (options_.trace == nullptr) return;
  const int64_t end_ns = std::chrono::steady_clock::now().time_since_epoch().count();
  const int64_t before_ns = last_end_ns.exchange(end_ns, std::memory_order_relaxed);
  // If two copies end on two threads, they may be traced in the opposite order of their end times.
  const int64_t begin_ns = std::max(begin.time_since_epoch().count(), before_ns);
  options_.trace->Add({.kind = kind,
                       .code = static_cast<uint8_t>(status.code()),
                       .track = static_cast<uint32_t>(index_),
                       .session = session,
                       .submitted_ns = 0,
                       .begin_ns = std::min(begin_ns, end_ns),
                       .end_ns = end_ns,
                       .name = kind == SpanKind::kUpload ? "upload" : "download"});
}

void DeviceExecutor::FailOutputs(Task& task, const absl::Status& error) {
  for (size_t i = 0; i < task.pending_outputs_.size(); ++i) {
    task.outputs[i]->account().Refund(task.pending_outputs_[i].charged_bytes);
  }
  task.pending_outputs_.clear();
  for (const auto& output : task.outputs) output->Fail(error);
  task.outputs.clear();
  NotifyHost(task, error);
}

void DeviceExecutor::SchedulePending(Task& task) {
  if (task.pending_outputs_.empty()) return;
  for (size_t i = 0; i < task.outputs.size(); ++i) {
    Task::PendingOutput& output = task.pending_outputs_[i];
    task.outputs[i]->Join(memory_.residents());
    task.outputs[i]->Schedule(std::move(output.buffer), nullptr, output.charged_bytes);
  }
  task.pending_outputs_.clear();
}

void DeviceExecutor::NotifyHost(Task& task, const absl::Status& status) {
  auto* const execution = std::get_if<Execution>(&task.work_);
  if (execution != nullptr && execution->host != nullptr) {
    std::exchange(execution->host, nullptr)->OnEnd(status);
  }
}

void DeviceExecutor::FailTask(Task& task, const absl::Status& error) {
  EndMemoryLease(task);
  // Drops the inputs now rather than with the task: a task that waits for its executable is kept
  // alive by the compile.
  if (auto* execution = std::get_if<Execution>(&task.work_)) {
    for (const DonatedArgument& donated : execution->donated) {
      donated.donation->Return(execution->inputs[donated.argument]);
    }
    execution->donated.clear();
    DropInputs(*execution);
    instruments_.ended.Add(error.code());
  } else {
    // The staging memory is freed before anyone is notified that the upload has failed.
    auto& upload = std::get<Upload>(task.work_);
    upload.keep_alive.reset();
    upload.buffer.reset();
  }
  FailOutputs(task, error);
  MutexLock lock(mutex_);
  Retire(task);
}

void DeviceExecutor::FailDispatch(Task& task, const absl::Status& error) {
  {
    MutexLock lock(mutex_);
    Uncharge(task);
    if (!task.is_upload()) execution_schedule_.Charge(task.queue_->executions_, kFailureCostNs);
  }
  FailTask(task, task.control_.cancelled().load() ? ReasonFor(task) : error);
}

void DeviceExecutor::ChargeAttempt(Task& task, std::chrono::nanoseconds took) {
  MutexLock lock(mutex_);
  // An upload is charged as many bytes as nanoseconds, about what is copied in that time.
  FairSchedule& schedule = task.is_upload() ? upload_schedule_ : execution_schedule_;
  schedule.Charge(task.queue_->LaneOf(task), static_cast<double>(took.count()));
}

void DeviceExecutor::Uncharge(Task& task) {
  if (task.bypass_ != nullptr) LeaveBypass(task);
  if (const auto* upload = std::get_if<Upload>(&task.work_)) {
    --uploads_in_flight_;
    upload_bytes_in_flight_ -= upload->size_bytes;
    upload_schedule_.Charge(task.queue_->uploads_, static_cast<double>(-task.charged_cost_));
  } else {
    if (task.stream_ != nullptr) RemoveLast(*std::exchange(task.stream_, nullptr));
    execution_schedule_.Charge(task.queue_->executions_, static_cast<double>(-task.charged_cost_));
  }
  // The task may have held memory, and it may have been the only thing to wait for.
  ++completions_;
  if (memory_waiters_ > 0) memory_freed_.NotifyAll();
}

void DeviceExecutor::Retire(Task& task) {
  if (task.state_ == Task::State::kTaken) task.queue_->taken_.erase(task.position_);
  task.state_ = Task::State::kDone;
  task.queue_->queued_.fetch_sub(1, std::memory_order_relaxed);
  task.charge.Release();
  // The device is refilled when half of its window is free, rather than waking the dispatcher for
  // every launch.
  if (dispatcher_waits_ && DispatcherIsWanted()) work_.NotifyOne();
  if (memory_waiters_ > 0) memory_freed_.NotifyAll();
  if (current_->tasks.empty() && bypass_in_flight_ == 0 && num_suspended_ == 0 && held_.empty() &&
      await_memory_lease_.empty() && execution_schedule_.empty()) {
    execution_schedule_.EndBusyPeriod();
  }
  if (uploads_in_flight_ == 0 && upload_schedule_.empty()) upload_schedule_.EndBusyPeriod();
  if (--queued_ > 0) return;
  idle_.NotifyAll();
  if (stopping_) work_.NotifyAll();
}

}  // namespace acceld::runtime
