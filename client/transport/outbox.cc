#include "client/transport/outbox.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace acceld::client {

absl::StatusOr<v1::Command*> CommandOutbox::Slot(size_t size_bytes, WhenFull when_full) {
  if (size_bytes > kMaxCommandBytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "a command of ", size_bytes, " bytes; one message holds at most ", kMaxCommandBytes));
  }
  while (status_.ok() && when_full == WhenFull::kBlock &&
         (appended_ - credited_ >= window_ || pending_bytes_ > kMaxPendingBytes)) {
    ++blocked_;
    room_.Wait(mutex_);
    --blocked_;
  }
  if (!status_.ok()) return status_;
  const size_t max_commands = std::clamp<size_t>(window_ / 2, 1, kMaxBatchCommands);
  if (queue_.empty() || queue_.back().size_bytes + size_bytes > kMaxBatchBytes ||
      static_cast<size_t>(queue_.back().message.commands_size()) >= max_commands) {
    queue_.emplace_back();
  }
  queue_.back().size_bytes += size_bytes;
  pending_bytes_ += size_bytes;
  ++appended_;
  return queue_.back().message.add_commands();
}

absl::StatusOr<uint64_t> CommandOutbox::Append(v1::Command command, WhenFull when_full) {
  const size_t size_bytes = command.ByteSizeLong();
  MutexLock lock(mutex_);
  ACCELD_ASSIGN_OR_RETURN(v1::Command * slot, Slot(size_bytes, when_full));
  *slot = std::move(command);
  WakeWriter();
  return appended_;
}

absl::Status CommandOutbox::AppendExecute(uint64_t program_id, absl::Span<const uint64_t> inputs,
                                          absl::Span<const uint64_t> outputs, uint32_t device,
                                          WhenFull when_full) {
  MutexLock lock(mutex_);
  const size_t size_bytes = 32 + 10 * (inputs.size() + outputs.size());
  ACCELD_ASSIGN_OR_RETURN(v1::Command * slot, Slot(size_bytes, when_full));
  v1::Execute* execute = slot->mutable_execute();
  execute->set_program_id(program_id);
  execute->mutable_inputs()->Add(inputs.begin(), inputs.end());
  execute->mutable_outputs()->Add(outputs.begin(), outputs.end());
  execute->set_device(device);
  WakeWriter();
  return absl::OkStatus();
}

void CommandOutbox::Release(uint64_t handle) {
  MutexLock lock(mutex_);
  if (!status_.ok()) return;
  releases_.push_back(handle);
  WakeWriter();
}

bool CommandOutbox::CanSend() const {
  const uint64_t open = window_ - std::min(window_, sent_ - credited_);
  if (!queue_.empty()) {
    return static_cast<uint64_t>(queue_.front().message.commands_size()) <= open;
  }
  return !releases_.empty() && open > 0;
}

void CommandOutbox::WakeWriter() {
  if (writer_waits_) work_.NotifyOne();
}

bool CommandOutbox::Take(v1::CommandBatch& batch) {
  batch.Clear();
  MutexLock lock(mutex_);
  writer_waits_ = true;
  while (status_.ok() && !interrupted_ && !CanSend()) work_.Wait(mutex_);
  writer_waits_ = false;
  if (!status_.ok() || interrupted_) return false;
  if (!queue_.empty()) {
    batch.Swap(&queue_.front().message);
    pending_bytes_ -= queue_.front().size_bytes;
    queue_.pop_front();
  }
  sent_ += batch.commands_size();
  if (queue_.empty() && !releases_.empty() && sent_ - credited_ < window_) {
    batch.add_commands()->mutable_release()->mutable_handles()->Add(releases_.begin(),
                                                                    releases_.end());
    releases_.clear();
    ++appended_;
    ++sent_;
  }
  if (blocked_ > 0) room_.NotifyAll();
  return true;
}

void CommandOutbox::SetWindow(uint64_t window) {
  MutexLock lock(mutex_);
  window_ = std::max<uint64_t>(window, 2);
  WakeWriter();
  room_.NotifyAll();
}

void CommandOutbox::Credit(uint64_t commands) {
  MutexLock lock(mutex_);
  credited_ = std::min(sent_, credited_ + std::min(commands, sent_));
  WakeWriter();
  if (blocked_ > 0) room_.NotifyAll();
  credited_changed_.NotifyAll();
}

absl::Status CommandOutbox::WaitCredited(uint64_t number) {
  MutexLock lock(mutex_);
  while (status_.ok() && credited_ < number) credited_changed_.Wait(mutex_);
  return status_;
}

void CommandOutbox::Interrupt() {
  MutexLock lock(mutex_);
  interrupted_ = true;
  work_.NotifyAll();
}

void CommandOutbox::Fail(const absl::Status& reason) {
  MutexLock lock(mutex_);
  if (!status_.ok()) return;
  status_ = reason;
  queue_.clear();
  releases_.clear();
  work_.NotifyAll();
  room_.NotifyAll();
  credited_changed_.NotifyAll();
}

absl::Status CommandOutbox::status() const {
  MutexLock lock(mutex_);
  return status_;
}

}  // namespace acceld::client
