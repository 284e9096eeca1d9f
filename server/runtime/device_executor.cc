#include "server/runtime/device_executor.h"

#include <pthread.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/check.h"

// Queues, turns and completions. What happens to a task whose turn it is stands in dispatch.cc.
namespace acceld::runtime {

void Task::Unblock() {
  if (blockers_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    executor_->MakeRunnable(shared_from_this());
  }
}

DeviceExecutor::DeviceExecutor(hal::Device& device, int index, const Options& options)
    : device_(device),
      index_(index),
      options_(options),
      compute_(device.CreateStream("run")),
      upload_(device.CreateStream("up")),
      download_(device.CreateStream("down")),
      dispatcher_([this] { RunDispatcher(); }) {
  pthread_setname_np(dispatcher_.native_handle(), absl::StrCat("dispatch-", index).c_str());
}

DeviceExecutor::~DeviceExecutor() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    work_.NotifyAll();
  }
  dispatcher_.join();
  WaitUntilIdle(std::chrono::steady_clock::time_point::max());
}

std::shared_ptr<TaskQueue> DeviceExecutor::OpenQueue(
    std::shared_ptr<MemoryAccount> account, std::shared_ptr<const std::atomic<bool>> cancelled) {
  return std::make_shared<TaskQueue>(std::move(account), std::move(cancelled));
}

void DeviceExecutor::Submit(std::shared_ptr<TaskQueue> queue, std::shared_ptr<Task> task,
                            bool executable_ready) {
  auto* execution = std::get_if<Execution>(&task->work_);
  const int inputs = execution != nullptr ? static_cast<int>(execution->inputs.size()) : 0;
  task->executor_ = this;
  task->queue_ = queue;
  // One for the submission itself: nobody makes the task runnable before it has its place.
  task->blockers_.store(1 + inputs + (executable_ready ? 0 : 1), std::memory_order_relaxed);
  for (int i = 0; i < inputs; ++i) {
    if (!execution->inputs[i]->AddWaiter(task)) {
      task->blockers_.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  absl::Status closed;
  {
    MutexLock lock(mutex_);
    ++queued_;
    queue->queued_.fetch_add(1, std::memory_order_relaxed);
    closed = queue->closed_;
    if (closed.ok()) {
      task->place_ = Task::Place::kWaiting;
      task->position_ = queue->waiting_.insert(queue->waiting_.end(), task);
    } else {
      task->place_ = Task::Place::kTaken;
    }
  }
  if (!closed.ok()) FailTask(*task, closed);
  task->Unblock();
}

void DeviceExecutor::Provide(
    const std::shared_ptr<Task>& task,
    absl::StatusOr<std::shared_ptr<const hal::LoadedExecutable>> executable) {
  auto& execution = std::get<Execution>(task->work_);
  if (executable.ok()) {
    execution.executable = *std::move(executable);
  } else {
    execution.executable_error = executable.status();
  }
  task->Unblock();
}

void DeviceExecutor::MakeRunnable(const std::shared_ptr<Task>& task) {
  MutexLock lock(mutex_);
  if (task->place_ != Task::Place::kWaiting) return;  // cancelled meanwhile
  TaskQueue& queue = *task->queue_;
  if (queue.runnable_.empty()) turns_.push_back(&queue);
  queue.runnable_.splice(queue.runnable_.end(), queue.waiting_, task->position_);
  task->place_ = Task::Place::kRunnable;
  if (dispatcher_waits_ && in_flight_ <= options_.max_in_flight / 2) work_.NotifyOne();
}

void DeviceExecutor::Cancel(TaskQueue& queue, const absl::Status& reason) {
  std::list<std::shared_ptr<Task>> tasks;
  {
    MutexLock lock(mutex_);
    queue.closed_ = reason;
    tasks.splice(tasks.end(), queue.runnable_);
    tasks.splice(tasks.end(), queue.waiting_);
    for (const auto& task : tasks) task->place_ = Task::Place::kTaken;
    turns_.erase(std::remove(turns_.begin(), turns_.end(), &queue), turns_.end());
  }
  for (const auto& task : tasks) FailTask(*task, reason);
}

void DeviceExecutor::RunDispatcher() {
  while (true) {
    std::shared_ptr<Task> task;
    {
      MutexLock lock(mutex_);
      while (turns_.empty() ? !stopping_ : in_flight_ >= options_.max_in_flight) {
        dispatcher_waits_ = true;
        work_.Wait(mutex_);
      }
      dispatcher_waits_ = false;
      if (turns_.empty()) return;
      TaskQueue& queue = *turns_.front();
      turns_.pop_front();
      task = std::move(queue.runnable_.front());
      queue.runnable_.pop_front();
      task->place_ = Task::Place::kTaken;
      if (!queue.runnable_.empty()) turns_.push_back(&queue);
    }
    Dispatch(std::move(task));
  }
}

void DeviceExecutor::FailTask(Task& task, const absl::Status& error) {
  // Not with its tasks' inputs: those waiting for an executable are held by the compile.
  if (auto* execution = std::get_if<Execution>(&task.work_)) execution->inputs.clear();
  if (error.code() != absl::StatusCode::kCancelled) failures_.fetch_add(1);
  for (const auto& output : task.outputs) output->Fail(error);
  task.outputs.clear();
  Retire(task);
}

void DeviceExecutor::Retire(Task& task) {
  MutexLock lock(mutex_);
  task.queue_->queued_.fetch_sub(1, std::memory_order_relaxed);
  if (--queued_ == 0) idle_.NotifyAll();
}

void DeviceExecutor::Launched(const std::shared_ptr<Task>& task, const Event& event) {
  event.OnReady([this, task](const absl::StatusOr<Unit>& done) { Complete(*task, done.status()); });
}

void DeviceExecutor::Complete(Task& task, absl::Status status) {
  const bool is_execution = std::holds_alternative<Execution>(task.work_);
  if (is_execution) {
    auto& execution = std::get<Execution>(task.work_);
    const auto now = std::chrono::steady_clock::now();
    if (execution.execute_us != nullptr) {
      const std::chrono::duration<double, std::micro> time =
          now - std::max(task.launched_at_, last_completion_);
      execution.execute_us->store(time.count(), std::memory_order_relaxed);
    }
    last_completion_ = now;
    if (!status.ok()) status = Annotate(status, absl::StrCat("program ", *execution.program_name));
    // An input may have failed after this launch was enqueued; by now that is known.
    for (const auto& input : execution.inputs) {
      if (absl::Status error = input->error(); !error.ok()) status = error;
    }
    execution.inputs.clear();
    execution.executable.reset();
    if (status.ok()) {
      executions_.fetch_add(1, std::memory_order_relaxed);
    } else if (status.code() != absl::StatusCode::kCancelled) {
      failures_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  for (const auto& output : task.outputs) {
    if (status.ok()) {
      output->Define();
    } else {
      output->Fail(status);
    }
  }
  task.outputs.clear();
  MutexLock lock(mutex_);
  task.queue_->queued_.fetch_sub(1, std::memory_order_relaxed);
  --in_flight_;
  ++completions_;
  // Refill the device when half of its window is done, rather than waking up for every launch.
  if (dispatcher_waits_ &&
      (memory_short_ || (!turns_.empty() && in_flight_ <= options_.max_in_flight / 2))) {
    work_.NotifyOne();
  }
  if (--queued_ == 0) idle_.NotifyAll();
}

bool DeviceExecutor::WaitUntilIdle(std::chrono::steady_clock::time_point deadline) {
  MutexLock lock(mutex_);
  while (queued_ > 0) {
    if (deadline == std::chrono::steady_clock::time_point::max()) {
      idle_.Wait(mutex_);
    } else if (!idle_.WaitUntil(mutex_, deadline)) {
      return queued_ == 0;
    }
  }
  return true;
}

DeviceExecutor::Counters DeviceExecutor::counters() const {
  MutexLock lock(mutex_);
  return {.executions = executions_.load(std::memory_order_relaxed),
          .failures = failures_.load(std::memory_order_relaxed),
          .queued = static_cast<uint64_t>(queued_)};
}

}  // namespace acceld::runtime
