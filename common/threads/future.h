#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/check.h"
#include "common/threads/mutex.h"

// Future and Promise: one value or error, which is set once and may be read many times.
//
// Thread safety: all methods may be called from any thread. A callback runs once, on the thread
// that sets the promise, or on the thread that registers it if the value is already set; no lock of
// the future is held meanwhile. A promise that is destroyed without a value sets CANCELLED.
namespace acceld {

// The value type of a future that only says "done" (an event).
struct Unit {
  friend bool operator==(Unit, Unit) { return true; }
};

template <typename T>
class Promise;

// The side that reads the value. Copies share one value.
template <typename T>
class Future {
 public:
  // A future without state; only assignment and valid() may be used on it.
  Future() = default;
  // A future whose value is already set.
  Future(absl::StatusOr<T> value)  // NOLINT: implicit as StatusOr
      : state_(std::make_shared<State>()) {
    state_->value.emplace(std::move(value));
    state_->decided.store(true, std::memory_order_release);
  }

  bool valid() const { return state_ != nullptr; }
  // Identifies the future: copies have the same id, and no other future has it while one of the
  // copies exists.
  const void* id() const { return state_.get(); }

  bool IsReady() const { return state_->decided.load(std::memory_order_acquire); }

  // Blocks until the value is set. The reference is valid as long as any copy of this future
  // exists.
  const absl::StatusOr<T>& Await() const {
    if (!IsReady()) {
      MutexLock lock(state_->mutex);
      while (!IsReady()) state_->ready.Wait(state_->mutex);
    }
    return *state_->value;
  }

  // As Await, but returns nullptr if the value is not set at `deadline`.
  const absl::StatusOr<T>* AwaitUntil(std::chrono::steady_clock::time_point deadline) const {
    MutexLock lock(state_->mutex);
    while (!IsReady()) {
      if (!state_->ready.WaitUntil(state_->mutex, deadline) && !IsReady()) return nullptr;
    }
    return &*state_->value;
  }

  // Calls `callback` once with the value: on the calling thread if the value is already set, and on
  // the thread that sets it otherwise.
  void OnReady(std::function<void(const absl::StatusOr<T>&)> callback) const {
    {
      MutexLock lock(state_->mutex);
      if (!IsReady()) {
        state_->callbacks.push_back(std::move(callback));
        return;
      }
    }
    callback(*state_->value);
  }

 private:
  friend class Promise<T>;

  using Callbacks = absl::InlinedVector<std::function<void(const absl::StatusOr<T>&)>, 1>;

  struct State {
    Mutex mutex;
    CondVar ready;
    // Written once, under the mutex, before `decided` is set. Constant afterwards, so that readers
    // which have seen `decided` may keep a reference to it.
    std::optional<absl::StatusOr<T>> value;
    std::atomic<bool> decided{false};
    Callbacks callbacks ABSL_GUARDED_BY(mutex);
  };

  explicit Future(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;  // Shared between one promise and its futures.
};

// The side that sets the value. Not copyable.
template <typename T>
class Promise {
 public:
  Promise() : state_(std::make_shared<typename Future<T>::State>()) {}
  Promise(Promise&&) noexcept = default;
  Promise& operator=(Promise&& other) noexcept {
    if (this != &other) {
      Abandon();
      state_ = std::move(other.state_);
    }
    return *this;
  }
  ~Promise() { Abandon(); }

  Future<T> future() const { return Future<T>(state_); }

  // Sets the value and runs the callbacks. Must be called at most once.
  void Set(absl::StatusOr<T> value) {
    ACCELD_CHECK(state_ != nullptr);
    // The promise gives up its state first, because a callback may destroy the promise.
    std::shared_ptr<typename Future<T>::State> state = std::move(state_);
    typename Future<T>::Callbacks callbacks;
    {
      MutexLock lock(state->mutex);
      state->value.emplace(std::move(value));
      state->decided.store(true, std::memory_order_release);
      callbacks.swap(state->callbacks);
      state->ready.NotifyAll();
    }
    for (auto& callback : callbacks) callback(*state->value);
  }

 private:
  void Abandon() {
    if (state_ != nullptr) Set(absl::CancelledError("the promise was dropped before it was set"));
  }

  std::shared_ptr<typename Future<T>::State> state_;
};

// A future that says only that something is done, or has failed.
using Event = Future<Unit>;

}  // namespace acceld
