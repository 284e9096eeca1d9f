#include "server/engine/session/host_call_table.h"

#include <new>
#include <utility>

#include "absl/strings/str_cat.h"

namespace acceld::engine {

// The caller's side of the host calls of one execution.
class HostCallTable::Requester final : public runtime::HostCallSender {
 public:
  Requester(std::shared_ptr<HostCallTable> table, uint64_t callbacks, uint32_t device)
      : table_(std::move(table)), callbacks_(callbacks), device_(device) {}

  absl::StatusOr<std::shared_ptr<char>> Allocate(int64_t size_bytes) override {
    return table_->Allocate(size_bytes);
  }
  absl::StatusOr<uint64_t> Ask(const kernels::HostCall& call, std::vector<SharedBytes> operands,
                               Answer answer) override {
    return table_->Ask(callbacks_, device_, call, std::move(operands), std::move(answer));
  }
  void Withdraw(uint64_t call_id) override { table_->Withdraw(call_id); }
  void OnEnd(const absl::Status& status) override { table_->End(callbacks_, status); }

 private:
  const std::shared_ptr<HostCallTable> table_;  // shared with the session
  const uint64_t callbacks_;
  const uint32_t device_;
};

std::shared_ptr<HostCallListener> HostCallTable::listener() const {
  const MutexLock lock(mutex_);
  return listener_;
}

void HostCallTable::Serve(std::shared_ptr<HostCallListener> listener) {
  const MutexLock lock(mutex_);
  // The former listener is released after the unlock.
  if (closed_.ok()) listener_.swap(listener);
}

absl::StatusOr<std::shared_ptr<runtime::HostCallSender>> HostCallTable::NewHostCallSender(
    uint64_t callbacks, uint32_t device) {
  if (listener() == nullptr) {
    return absl::FailedPreconditionError("host callbacks: the session takes no host calls");
  }
  return std::make_shared<Requester>(shared_from_this(), callbacks, device);
}

void HostCallTable::End(uint64_t callbacks, const absl::Status& status) {
  if (const auto listener = this->listener()) listener->OnEnd(callbacks, status);
}

absl::StatusOr<std::shared_ptr<char>> HostCallTable::Allocate(int64_t size_bytes) {
  ACCELD_RETURN_IF_ERROR(memory_->Charge(size_bytes));
  char* const bytes = new (std::nothrow) char[static_cast<size_t>(size_bytes)];
  if (bytes == nullptr) {
    memory_->Refund(size_bytes);
    return absl::ResourceExhaustedError(
        absl::StrCat("host memory: the system refuses ", size_bytes, " bytes"));
  }
  return std::shared_ptr<char>(bytes, [memory = memory_, size_bytes](const char* block) {
    delete[] block;
    memory->Refund(size_bytes);
  });
}

absl::StatusOr<uint64_t> HostCallTable::Ask(uint64_t callbacks, uint32_t device,
                                            const kernels::HostCall& call,
                                            std::vector<SharedBytes> operands,
                                            runtime::HostCallSender::Answer answer) {
  HostCall asked{.callbacks = callbacks, .device = device, .callback = call.callback};
  for (size_t i = 0; i < operands.size(); ++i) {
    asked.operands.push_back({call.operands[i], std::move(operands[i])});
  }
  asked.results = call.results;
  std::shared_ptr<HostCallListener> listener;
  {
    const MutexLock lock(mutex_);
    ACCELD_RETURN_IF_ERROR(closed_);
    listener = listener_;
    asked.id = ++last_id_;
    waiting_.emplace(asked.id, Waiting{{call.callback, device, call.results}, std::move(answer)});
  }
  const uint64_t id = asked.id;
  listener->OnCall(std::move(asked));
  return id;
}

void HostCallTable::Withdraw(uint64_t call_id) {
  std::shared_ptr<HostCallListener> listener;
  Waiting dropped;
  {
    const MutexLock lock(mutex_);
    const auto found = waiting_.find(call_id);
    if (found == waiting_.end()) return;
    dropped = std::move(found->second);
    waiting_.erase(found);
    listener = listener_;
  }
  if (listener != nullptr) listener->OnWithdrawn(call_id);
}

absl::optional<HostCallTable::Expected> HostCallTable::Find(uint64_t call_id) const {
  const MutexLock lock(mutex_);
  const auto found = waiting_.find(call_id);
  if (found == waiting_.end()) return absl::nullopt;
  return found->second.expected;
}

void HostCallTable::Answer(uint64_t call_id, absl::StatusOr<std::vector<hal::HostValue>> values) {
  Waiting waiting;
  {
    const MutexLock lock(mutex_);
    const auto found = waiting_.find(call_id);
    if (found == waiting_.end()) return;
    waiting = std::move(found->second);
    waiting_.erase(found);
  }
  if (!values.ok()) {
    values = Annotate(values.status(), absl::StrCat("host callback ", waiting.expected.callback));
  }
  waiting.answer(std::move(values));
}

void HostCallTable::Close(const absl::Status& reason) {
  // Declared before the lock, to be released after the unlock.
  std::shared_ptr<HostCallListener> dropped;
  const MutexLock lock(mutex_);
  closed_ = reason;
  dropped.swap(listener_);
}

}  // namespace acceld::engine
