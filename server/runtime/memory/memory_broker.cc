#include "server/runtime/memory/memory_broker.h"

#include <functional>
#include <utility>

#include "server/runtime/device_stream.h"
#include "server/runtime/schedule/task_queue.h"

// The memory of tasks, and what happens on the device. What is done when memory is short is in
// find_memory.cc.
namespace acceld::runtime {
namespace {

DeviceMemory::Options WithCall(DeviceMemory::Options options, std::function<void()> on_spilled) {
  options.on_spilled = std::move(on_spilled);
  return options;
}

}  // namespace

MemoryBroker::MemoryBroker(hal::Device& device, int index, hal::Stream& to_host, WorkInFlight& work,
                           const Options& options)
    : device_(device),
      index_(index),
      work_(work),
      options_(options),
      lease_(device),
      memory_(device, index, to_host, WithCall(options.memory, [this] { EndMove(); })) {}

const Meter* MemoryBroker::OwnerOf(const Task& task) {
  return task.queue_->account_->host_meter().get();
}

int64_t MemoryBroker::MissingBytes(const Task& task) const {
  int64_t bytes = 0;
  for (const auto& output : task.outputs) bytes += output->type()->size_bytes();
  const Execution* const execution = task.execution();
  if (execution == nullptr) return bytes;
  for (const auto& input : execution->inputs) {
    if (input->device() != index_ || input->view().buffer == nullptr) {
      bytes += input->type()->size_bytes();
    }
  }
  const DeviceStream* const stream = DeviceStreamOf(task.stream_);
  const std::shared_ptr<hal::Buffer> arena = stream == nullptr ? nullptr : stream->arena();
  const int64_t arena_bytes = execution->executable->executable->arena_bytes;
  return arena != nullptr && arena->size_bytes() >= arena_bytes ? bytes : bytes + arena_bytes;
}

bool MemoryBroker::MayTake(const Task& task, int64_t size_bytes) const {
  if (!lease_.is_held()) return true;
  return lease_.MayTake({task, OwnerOf(task), size_bytes, memory_.Shares()}, ArraysMove());
}

bool MemoryBroker::MayDispatch(const Task& task) const {
  return !lease_.is_held() || MayTake(task, MissingBytes(task));
}

bool MemoryBroker::AcquireLease(Task& task) {
  return lease_.Acquire({task, OwnerOf(task), MissingBytes(task), memory_.Shares()},
                        task.shared_from_this(), ArraysMove());
}

void MemoryBroker::EndLease(const Task& task) {
  if (!lease_.Release(task)) return;
  NoteCompletion();
  work_.RetryHeld();
}

absl::Status MemoryBroker::AwaitLease(Task& task) {
  task.wants_memory_ = task.awaits_memory_lease_ = !task.dispatched_inline_;
  return absl::ResourceExhaustedError("others wait for the device's memory");
}

absl::StatusOr<std::shared_ptr<hal::Buffer>> MemoryBroker::Allocate(Task& task,
                                                                    int64_t size_bytes) {
  std::shared_ptr<hal::Buffer> buffer;
  ACCELD_RETURN_IF_ERROR(FindMemory(&task, OwnerOf(task), size_bytes, [&]() -> absl::Status {
    ACCELD_ASSIGN_OR_RETURN(buffer, device_.Allocate(size_bytes));
    return absl::OkStatus();
  }));
  return buffer;
}

absl::Status MemoryBroker::AllocateAll(Task& task, int64_t arena_bytes, OutputMemories& outputs,
                                       std::shared_ptr<hal::Buffer>& arena) {
  ACCELD_RETURN_IF_ERROR(ChargeAll(task, outputs));
  int64_t size_bytes = arena_bytes;
  for (const OutputMemory& output : outputs) {
    if (output.donor == nullptr) size_bytes += output.size_bytes;
  }
  absl::Status status = FindMemory(&task, OwnerOf(task), size_bytes, [&] {
    return TryAllocateAll(task, arena_bytes, outputs, arena);
  });
  if (!status.ok()) RefundAll(task, outputs);
  return status;
}

void MemoryBroker::RefundAll(Task& task, OutputMemories& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    task.outputs[i]->account().Refund(std::exchange(outputs[i].charged_bytes, 0));
  }
}

absl::Status MemoryBroker::ChargeAll(Task& task, OutputMemories& outputs) {
  TimePoint& deadline = task.memory_wait_.charge_deadline;
  while (true) {
    if (task.is_cancelled()) return work_.ReasonFor(task);
    const uint64_t seen = completions();
    absl::Status status;
    for (size_t i = 0; i < outputs.size() && status.ok(); ++i) {
      OutputMemory& output = outputs[i];
      MemoryAccount& account = task.outputs[i]->account();
      // The charge of the donor is transferred to the output.
      if (output.donor != nullptr && &output.donor->account() == &account) continue;
      status = account.Charge(output.size_bytes);
      if (status.ok()) output.charged_bytes = output.size_bytes;
    }
    if (status.ok()) {
      deadline = TimePoint::max();
      return status;
    }
    RefundAll(task, outputs);
    // Charges for arrays that only running work holds are refunded when it ends.
    if (task.dispatched_inline_) return status;
    if (deadline == TimePoint::max()) {
      deadline = std::chrono::steady_clock::now() + options_.memory_wait;
    }
    if (PollCompletion(task, seen, deadline, TimePoint::min()) != Next::kTryAgain) return status;
  }
}

absl::StatusOr<std::shared_ptr<hal::Buffer>> MemoryBroker::Arena(const Task& task,
                                                                 int64_t size_bytes) {
  DeviceStream* const stream = DeviceStreamOf(task.stream_);
  if (stream == nullptr) return device_.Allocate(size_bytes);
  std::shared_ptr<hal::Buffer> arena = stream->arena();
  if (arena != nullptr && arena->size_bytes() >= size_bytes) return arena;
  arena.reset();
  ACCELD_ASSIGN_OR_RETURN(arena, device_.Allocate(size_bytes));
  stream->SetArena(arena);
  return arena;
}

absl::Status MemoryBroker::TryAllocateAll(const Task& task, int64_t arena_bytes,
                                          OutputMemories& outputs,
                                          std::shared_ptr<hal::Buffer>& arena) {
  absl::Status status;
  for (size_t i = 0; status.ok() && i < outputs.size(); ++i) {
    if (outputs[i].donor != nullptr) continue;
    auto buffer = device_.Allocate(outputs[i].size_bytes);
    if (buffer.ok()) outputs[i].buffer = *std::move(buffer);
    status = buffer.status();
  }
  if (status.ok() && arena_bytes > 0) {
    auto buffer = Arena(task, arena_bytes);
    if (buffer.ok()) arena = *std::move(buffer);
    status = buffer.status();
  }
  // Allocate all or nothing, as a part would only prevent freeing memory.
  if (!status.ok()) {
    for (OutputMemory& output : outputs) output.buffer.reset();
  }
  return status;
}

std::shared_ptr<hal::Buffer> MemoryBroker::AllocateForHost(int64_t size_bytes) {
  // Memory that is being uploaded to cannot be spilled.
  const hal::MemoryStats memory = device_.memory();
  if (size_bytes > memory.limit_bytes / 2 - memory.used_bytes) return nullptr;
  absl::StatusOr<std::shared_ptr<hal::Buffer>> buffer = device_.Allocate(size_bytes);
  if (!buffer.ok() || (*buffer)->host_address() == nullptr) return nullptr;
  return *std::move(buffer);
}

void MemoryBroker::NoteCompletion() {
  completions_.fetch_add(1);
  if (num_waiters_.load() == 0) return;
  const MutexLock lock(mutex_);
  completed_.NotifyAll();
}

void MemoryBroker::BeginRestore() {
  restores_in_flight_.fetch_add(1);
  memory_.CountRestore();
}

void MemoryBroker::EndRestore() {
  {
    const MutexLock lock(mutex_);
    restores_in_flight_.fetch_sub(1);
    completions_.fetch_add(1);
    completed_.NotifyAll();
  }
  lease_.NoteProgress();
  work_.RetryHeld();
}

void MemoryBroker::EndDownload() {
  {
    const MutexLock lock(mutex_);
    downloads_in_flight_.fetch_sub(1);
    completions_.fetch_add(1);
    completed_.NotifyAll();
  }
  work_.RetryHeld();
}

void MemoryBroker::EndMove() {
  lease_.NoteProgress();
  NoteCompletion();
  work_.RetryHeld();
}

}  // namespace acceld::runtime
