#include "client/transport/channel/outbox.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/transport/channel/on_arena.h"

namespace acceld::client {
namespace {

// After this many ticks of kReleaseLinger without anything to send, the writer thread sleeps until
// it is woken.
constexpr int kTicksBeforeSleep = 4;
// In lazy mode, this many queued commands wake the writer thread.
constexpr size_t kManyLazyCommands = 32;
// Larger commands are moved into a batch that is not on an arena, because moving into an arena
// means copying.
constexpr size_t kMaxArenaCommandBytes = 256;

}  // namespace

CommandOutbox::Batch::Batch(size_t first_bytes) : on_arena(first_bytes <= kMaxArenaCommandBytes) {
  if (on_arena) {
    auto owner = std::make_shared<OnArena<v1::CommandBatch>>();
    v1::CommandBatch* const batch = &**owner;
    message = std::shared_ptr<v1::CommandBatch>(std::move(owner), batch);
  } else {
    message = std::make_shared<v1::CommandBatch>();
  }
}

bool CommandOutbox::Batch::Takes(size_t more_bytes, size_t max_commands) const {
  return size_bytes + more_bytes <= kMaxBatchBytes && commands() < max_commands &&
         (!on_arena || more_bytes <= kMaxArenaCommandBytes);
}

absl::StatusOr<v1::Command*> CommandOutbox::Slot(size_t size_bytes, WhenFull when_full) {
  if (size_bytes > kMaxCommandBytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "a command of ", size_bytes, " bytes; one message holds at most ", kMaxCommandBytes));
  }
  while (status_.ok() && when_full == WhenFull::kBlock &&
         (appended_ - credited_ >= window_ || pending_bytes_ > kMaxPendingBytes)) {
    if (lazy_) work_.NotifyOne();  // Nobody else will write while this thread waits.
    ++blocked_;
    room_.Wait(mutex_);
    --blocked_;
  }
  if (!status_.ok()) return status_;
  const size_t max_commands = std::clamp<size_t>(window_ / 2, 1, kMaxBatchCommands);
  if (queue_.empty()) {
    queue_.emplace_back(size_bytes);
  } else if (!queue_.back().Takes(size_bytes, max_commands)) {
    AddReleases(queue_.back());
    queue_.emplace_back(size_bytes);
  }
  queue_.back().size_bytes += size_bytes;
  pending_bytes_ += size_bytes;
  ++appended_;
  return queue_.back().message->add_commands();
}

void CommandOutbox::AddReleases(Batch& batch) {
  if (releases_.empty()) return;
  batch.message->add_commands()->mutable_release()->mutable_handles()->Add(releases_.begin(),
                                                                           releases_.end());
  releases_.clear();
  ++appended_;
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
                                          absl::Span<const uint32_t> donated, WhenFull when_full) {
  MutexLock lock(mutex_);
  const size_t size_bytes = 32 + 10 * (inputs.size() + outputs.size()) + 5 * donated.size();
  ACCELD_ASSIGN_OR_RETURN(v1::Command * slot, Slot(size_bytes, when_full));
  v1::Execute* execute = slot->mutable_execute();
  execute->set_program_id(program_id);
  execute->mutable_inputs()->Add(inputs.begin(), inputs.end());
  execute->mutable_outputs()->Add(outputs.begin(), outputs.end());
  execute->set_device(device);
  if (!donated.empty()) execute->mutable_donated()->Add(donated.begin(), donated.end());
  WakeWriter();
  return absl::OkStatus();
}

void CommandOutbox::Release(uint64_t handle) {
  MutexLock lock(mutex_);
  if (!status_.ok()) return;
  releases_.push_back(handle);
  if (!writer_ticks_ || releases_.size() >= kManyReleases) WakeWriter();
}

bool CommandOutbox::CanSend() const {
  const uint64_t open = window_ - std::min(window_, sent_ - credited_);
  if (!queue_.empty()) return queue_.front().commands() <= open;
  return !releases_.empty() && open > 0;
}

bool CommandOutbox::IsPressing() const {
  if (!CanSend()) return false;
  if (lazy_)
    return blocked_ > 0 || (!queue_.empty() && queue_.front().commands() >= kManyLazyCommands);
  return !queue_.empty() || releases_.size() >= kManyReleases;
}

void CommandOutbox::WakeWriter() {
  if (writer_waits_ && (!lazy_ || writer_awaits_append_ || IsPressing())) work_.NotifyOne();
}

CommandOutbox::SharedBatch CommandOutbox::Take() {
  MutexLock lock(mutex_);
  if (!status_.ok() || !CanSend()) return nullptr;
  if (queue_.empty()) queue_.emplace_back();  // Only releases are waiting.
  Batch batch = std::move(queue_.front());
  queue_.pop_front();
  if (queue_.empty() && sent_ + batch.commands() - credited_ < window_) AddReleases(batch);
  sent_ += batch.commands();
  SharedBatch message = batch.message;
  if (retain_) {
    retained_commands_ += batch.commands();
    retained_.push_back(std::move(batch));
  } else {
    pending_bytes_ -= batch.size_bytes;
  }
  if (blocked_ > 0) room_.NotifyAll();
  return message;
}

CommandOutbox::Wakeup CommandOutbox::WaitForWork(std::chrono::steady_clock::time_point deadline,
                                                 Until until) {
  MutexLock lock(mutex_);
  Wakeup wakeup = Wakeup::kWork;
  const uint64_t sent_before = sent_;
  writer_waits_ = true;
  writer_awaits_append_ = lazy_ && until == Until::kAppend;
  for (int ticks = kTicksBeforeSleep; status_.ok() && !IsPressing();) {
    if (sent_ != sent_before && !lazy_) {
      wakeup = Wakeup::kTaken;
      break;
    }
    if (writer_awaits_append_ && CanSend()) {
      wakeup = Wakeup::kAppended;
      break;
    }
    writer_ticks_ = ticks > 0 && !writer_awaits_append_;
    const auto tick = std::chrono::steady_clock::now() + kReleaseLinger;
    const bool woken = work_.WaitUntil(mutex_, writer_ticks_ ? std::min(tick, deadline) : deadline);
    if (woken) {
      ticks = kTicksBeforeSleep;
    } else if (CanSend()) {
      if (queue_.empty()) wakeup = Wakeup::kReleases;
      break;
    } else if (!writer_ticks_ || tick >= deadline) {
      wakeup = Wakeup::kTime;
      break;
    } else {
      --ticks;
    }
  }
  writer_waits_ = writer_awaits_append_ = writer_ticks_ = false;
  return status_.ok() ? wakeup : Wakeup::kEnd;
}

bool CommandOutbox::HasWork() const {
  MutexLock lock(mutex_);
  return status_.ok() && CanSend();
}

void CommandOutbox::SetLazy(bool lazy) {
  MutexLock lock(mutex_);
  lazy_ = lazy;
}

void CommandOutbox::SetWindow(uint64_t window) {
  MutexLock lock(mutex_);
  window_ = std::max<uint64_t>(window, 2);
  WakeWriter();
  room_.NotifyAll();
}

void CommandOutbox::DropCredited() {
  // The retained commands have the numbers from sent_ - retained_commands_ + 1 to sent_.
  while (!retained_.empty() &&
         sent_ - retained_commands_ + retained_.front().commands() <= credited_) {
    retained_commands_ -= retained_.front().commands();
    pending_bytes_ -= retained_.front().size_bytes;
    retained_.pop_front();
  }
}

void CommandOutbox::Credit(uint64_t commands) {
  MutexLock lock(mutex_);
  credited_ = std::min(sent_, credited_ + std::min(commands, sent_));
  DropCredited();
  WakeWriter();
  if (blocked_ > 0) room_.NotifyAll();
  credited_changed_.NotifyAll();
}

absl::Status CommandOutbox::WaitCredited(uint64_t number) {
  MutexLock lock(mutex_);
  ++waiting_for_credit_;
  while (status_.ok() && credited_ < number) credited_changed_.Wait(mutex_);
  --waiting_for_credit_;
  return status_;
}

bool CommandOutbox::IsBlocked() const {
  MutexLock lock(mutex_);
  return blocked_ > 0 || waiting_for_credit_ > 0;
}

void CommandOutbox::Retain() {
  MutexLock lock(mutex_);
  retain_ = true;
}

void CommandOutbox::Resume(uint64_t commands_taken) {
  MutexLock lock(mutex_);
  credited_ = std::clamp(commands_taken, credited_, sent_);
  DropCredited();
  if (!retained_.empty()) {
    // The daemon may have received a part of the first batch.
    Batch& first = retained_.front();
    const auto taken = static_cast<int>(credited_ - (sent_ - retained_commands_));
    Batch rest;
    rest.size_bytes = first.size_bytes;
    for (int i = taken; i < first.message->commands_size(); ++i) {
      *rest.message->add_commands() = first.message->commands(i);
    }
    first = std::move(rest);
  }
  sent_ = credited_;
  retained_commands_ = 0;
  queue_.insert(queue_.begin(), std::make_move_iterator(retained_.begin()),
                std::make_move_iterator(retained_.end()));
  retained_.clear();
  work_.NotifyOne();
  if (blocked_ > 0) room_.NotifyAll();
  credited_changed_.NotifyAll();
}

void CommandOutbox::Fail(const absl::Status& reason) {
  MutexLock lock(mutex_);
  if (!status_.ok()) return;
  status_ = reason;
  queue_.clear();
  retained_.clear();
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
