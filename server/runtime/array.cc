#include "server/runtime/array.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "common/check.h"

namespace acceld::runtime {
namespace {

// How many waiters begin together. The executor's lock is held meanwhile, and there may be tens of
// thousands of waiters.
constexpr size_t kWaitersAtOnce = 64;

}  // namespace

Array::Array(absl::optional<ir::TensorType> type, int device,
             std::shared_ptr<MemoryAccount> account)
    : type_(std::move(type)), device_(device), account_(std::move(account)) {
  account_->CountArray(1);
}

Array::~Array() {
  if (residents_ != nullptr) residents_->Remove(*this);
  if (state_ == State::kPending || state_ == State::kScheduled) {
    MakeFinal(State::kFailed, absl::CancelledError("the array was abandoned by its producer"));
  }
  account_->Refund(charged_bytes_);
  account_->CountArray(-1);
}

bool Array::IsOnlyReader(const std::shared_ptr<Array>& reader) {
  // The copy makes all accesses of former readers happen before those of the caller.
  const std::shared_ptr<Array> another = reader;
  return another.use_count() == 2;
}

Array::View Array::view() const {
  MutexLock lock(mutex_);
  return {state_, buffer_, stream_, error_, spilled_, arrival_};
}

Array::State Array::state() const {
  MutexLock lock(mutex_);
  return state_;
}

absl::Status Array::error() const {
  MutexLock lock(mutex_);
  return error_;
}

bool Array::AddWaiter(std::shared_ptr<Waiter> waiter) {
  MutexLock lock(mutex_);
  if (state_ != State::kPending) return false;
  waiters_.push_back(std::move(waiter));
  return true;
}

void Array::OnFinal(std::function<void(const absl::Status&)> callback) {
  absl::Status error;
  {
    MutexLock lock(mutex_);
    if (state_ == State::kPending || state_ == State::kScheduled) {
      callbacks_.push_back(std::move(callback));
      return;
    }
    error = error_;
  }
  callback(error);
}

Event Array::Final() {
  auto promise = std::make_shared<Promise<Unit>>();
  Event event = promise->future();
  OnFinal([promise](const absl::Status&) { promise->Set(Unit{}); });
  return event;
}

void Array::Schedule(std::shared_ptr<hal::Buffer> buffer, const hal::Stream* stream,
                     int64_t charged_bytes) {
  std::vector<std::shared_ptr<Waiter>> waiters;
  {
    MutexLock lock(mutex_);
    ACCELD_CHECK(state_ == State::kPending);
    state_ = State::kScheduled;
    buffer_ = std::move(buffer);
    stream_ = stream;
    charged_bytes_ = charged_bytes;
    waiters.swap(waiters_);
  }
  Wake(std::move(waiters));
}

bool Array::MayTake() const {
  if (shares_content_.load(std::memory_order_relaxed)) return false;
  MutexLock lock(mutex_);
  return (state_ == State::kScheduled || state_ == State::kDefined) && buffer_ != nullptr &&
         !is_spilling_;
}

Array::Taken Array::Take() {
  if (residents_ != nullptr) residents_->Remove(*this);
  MutexLock lock(mutex_);
  ACCELD_CHECK(!is_spilling_);
  return {std::move(buffer_), std::exchange(charged_bytes_, 0)};
}

void Array::Define() { MakeFinal(State::kDefined, absl::OkStatus()); }

void Array::Fail(absl::Status error) {
  ACCELD_CHECK(!error.ok());
  MakeFinal(State::kFailed, std::move(error));
}

void Array::MakeFinal(State state, absl::Status error) {
  std::vector<std::shared_ptr<Waiter>> waiters;
  std::vector<std::function<void(const absl::Status&)>> callbacks;
  std::shared_ptr<hal::Buffer> dropped;
  int64_t refund = 0;
  {
    MutexLock lock(mutex_);
    ACCELD_CHECK(state_ == State::kScheduled ||
                 (state_ == State::kPending && state == State::kFailed));
    state_ = state;
    error_ = error;
    if (state == State::kFailed) {
      dropped.swap(buffer_);
      std::swap(refund, charged_bytes_);
    }
    waiters.swap(waiters_);
    callbacks.swap(callbacks_);
  }
  // A failed array does not count for its owner any more.
  if (state == State::kFailed && residents_ != nullptr) residents_->Remove(*this);
  dropped.reset();
  account_->Refund(refund);
  // The callbacks are first, as some tell a gang of a waiter that it has failed: then it is known
  // when the members of the gang begin.
  for (auto& callback : callbacks) callback(error);
  Wake(std::move(waiters));
}

void Array::Wake(std::vector<std::shared_ptr<Waiter>> waiters) {
  std::erase_if(waiters, [](const auto& waiter) { return !waiter->OnInputResolved(); });
  absl::Span<const std::shared_ptr<Waiter>> rest = waiters;
  while (!rest.empty()) {
    const auto some = rest.first(std::min(rest.size(), kWaitersAtOnce));
    some[0]->MakeRunnable(some);
    rest.remove_prefix(some.size());
    // Gives other threads that want the executor's lock a chance to run.
    if (!rest.empty()) std::this_thread::yield();
  }
}

}  // namespace acceld::runtime
