#include <utility>

#include "absl/strings/str_cat.h"
#include "server/runtime/device_executor.h"
#include "server/runtime/gang/gang.h"

// The end of tasks, on the device or before they reach it.
namespace acceld::runtime {

void DeviceExecutor::Launched(const std::shared_ptr<Task>& task, const Event& event) {
  task->launched_.store(true);
  if (task->is_cancelled()) SettleEarly(*task);
  event.OnReady([this, task](const absl::StatusOr<Unit>& done) { Complete(*task, done.status()); });
}

void DeviceExecutor::DropInputs(Execution& execution) {
  for (const auto& input : execution.inputs) input->CountReader(-1);
  execution.inputs.clear();
}

absl::Status DeviceExecutor::ResultOf(const Task& task, const Execution& execution,
                                      absl::Status status) {
  if (!status.ok()) {
    status = task.is_cancelled()
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
  if (execution.gang != nullptr) status = execution.gang->Combine(status);
  instruments_.ended.Add(status.code());
  return status;
}

void DeviceExecutor::TraceExecution(const Task& task, const Execution& execution,
                                    const absl::Status& status, TimePoint now, int64_t device_ns) {
  if (options_.trace == nullptr) return;
  const int64_t end_ns = now.time_since_epoch().count();
  const Gang* const gang = execution.gang.get();
  options_.trace->Add({.kind = SpanKind::kExecution,
                       .express = task.bypass_ != nullptr,
                       .code = static_cast<uint8_t>(status.code()),
                       .track = static_cast<uint32_t>(index_),
                       .session = task.session,
                       .submitted_ns = execution.submitted_at.time_since_epoch().count(),
                       .begin_ns = end_ns - device_ns,
                       .end_ns = end_ns,
                       .gang = gang != nullptr ? gang->number() : 0,
                       .participant = static_cast<uint16_t>(execution.participant),
                       .name = *execution.program_name});
}

void DeviceExecutor::Complete(Task& task, absl::Status status) {
  const bool settles = !task.settled_.exchange(true);
  std::chrono::nanoseconds device_time{0};
  TimePoint now;
  if (Execution* const execution = task.execution(); execution != nullptr) {
    const int64_t device_ns = task.device_ns_.load(std::memory_order_relaxed);
    device_time = std::chrono::nanoseconds(device_ns);
    now = std::chrono::steady_clock::now();
    instruments_.device_time.Observe(device_time);
    instruments_.queue_time.Observe(now - device_time - execution->submitted_at);
    // A run that failed or was told to stop does not count for the estimate of the cost.
    if (status.ok() && !task.is_cancelled()) {
      execution->executable->cost.Record(device_ns);
      if (execution->gang != nullptr) {
        execution->executable->cost_in_gang.Record(device_ns -
                                                   task.waited_ns_.load(std::memory_order_relaxed));
      }
    }
    if (execution->execute_us != nullptr) {
      execution->execute_us->store(static_cast<double>(device_ns) / 1000,
                                   std::memory_order_relaxed);
    }
    if (settles) status = ResultOf(task, *execution, std::move(status));
    TraceExecution(task, *execution, status, now, device_ns);
    if (settles) DropInputs(*execution);
    execution->executable.reset();
  } else {
    dispatcher_.TraceUpload(task, status);
  }
  if (settles && status.ok()) {
    dispatcher_.SchedulePending(task);
    for (const auto& output : task.outputs) output->Define();
    task.outputs.clear();
    NotifyHost(task, status);
  } else if (settles) {
    FailOutputs(task, status);
  }
  if (Gang* const gang = task.gang(); gang != nullptr) gang->NoteEnded();
  const MutexLock lock(mutex_);
  dispatcher_.memory().NoteCompletion();
  scheduler_.NoteEnded(task, now, device_time);
  Retire(task);
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

void DeviceExecutor::NotifyHost(Task& task, const absl::Status& status) {
  Execution* const execution = task.execution();
  if (execution != nullptr && execution->host != nullptr) {
    std::exchange(execution->host, nullptr)->OnEnd(status);
  }
}

void DeviceExecutor::FailTask(Task& task, const absl::Status& reason) {
  Gang* const gang = task.gang();
  const absl::Status error = gang != nullptr ? gang->Combine(reason) : reason;
  dispatcher_.memory().EndLease(task);
  // Drops the inputs now rather than with the task: a task that waits for its executable is kept
  // alive by the compile.
  if (Execution* const execution = task.execution(); execution != nullptr) {
    for (const DonatedArgument& donated : execution->donated) {
      donated.donation->Return(execution->inputs[donated.argument]);
    }
    execution->donated.clear();
    DropInputs(*execution);
    instruments_.ended.Add(error.code());
  } else {
    // The staging memory is freed before anyone is notified that the upload has failed.
    Upload& upload = *task.upload();
    upload.keep_alive.reset();
    upload.buffer.reset();
  }
  FailOutputs(task, error);
  if (gang != nullptr) gang->NoteEnded();
  const MutexLock lock(mutex_);
  Retire(task);
}

void DeviceExecutor::FailDispatch(Task& task, const absl::Status& error) {
  {
    const MutexLock lock(mutex_);
    scheduler_.NoteFailedDispatch(task);
    // The task may have held memory, and it may have been the only thing to wait for.
    dispatcher_.memory().NoteCompletion();
  }
  FailTask(task, task.is_cancelled() ? ReasonFor(task) : error);
}

void DeviceExecutor::Retire(Task& task) {
  const bool is_last = scheduler_.Retire(task);
  task.charge.Release();
  // The device is refilled when half of its window is free, rather than waking the dispatch thread
  // for every launch.
  WakeDispatchThread();
  if (!is_last) return;
  idle_.NotifyAll();
  if (stopping_) work_.NotifyAll();
}

}  // namespace acceld::runtime
