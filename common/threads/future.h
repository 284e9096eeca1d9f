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

// Future and Promise: one value or error, set once, read by many.
//
// Thread safety: all methods may be called from any thread. Callbacks run once, on the thread that
// sets the promise, or at once on the caller's thread when the value is already there; no lock of
// ours is held while they run. A promise dropped unset fails its futures with CANCELLED.
namespace acceld {

// The value type of a future that only says "done" (an event).
struct Unit {
  friend bool operator==(Unit, Unit) { return true; }
};

template <typename T>
class Promise;

template <typename T>
class Future {
 public:
  // A future without state; only assignment and valid() are allowed on it.
  Future() = default;
  // An already decided future.
  Future(absl::StatusOr<T> value)
      : state_(std::make_shared<State>()) {  // NOLINT: implicit as StatusOr
    state_->value.emplace(std::move(value));
    state_->decided.store(true, std::memory_order_release);
  }

  bool valid() const { return state_ != nullptr; }
  // The same for copies of a future, and while one of them lives for no other.
  const void* id() const { return state_.get(); }

  bool IsReady() const { return state_->decided.load(std::memory_order_acquire); }

  // Blocks until the value is there. The reference lives as long as any copy of this future.
  const absl::StatusOr<T>& Await() const {
    if (!IsReady()) {
      MutexLock lock(state_->mutex);
      while (!IsReady()) state_->ready.Wait(state_->mutex);
    }
    return *state_->value;
  }

  // As Await, but gives up at `deadline` and returns nullptr.
  const absl::StatusOr<T>* AwaitUntil(std::chrono::steady_clock::time_point deadline) const {
    MutexLock lock(state_->mutex);
    while (!IsReady()) {
      if (!state_->ready.WaitUntil(state_->mutex, deadline) && !IsReady()) return nullptr;
    }
    return &*state_->value;
  }

  // Runs `callback` once with the value. See the thread rules above.
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
    // Written once, before `decided`, which is set under the mutex; afterwards constant, so readers
    // that saw it decided may keep a reference.
    std::optional<absl::StatusOr<T>> value;
    std::atomic<bool> decided{false};
    Callbacks callbacks ABSL_GUARDED_BY(mutex);
  };

  explicit Future(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;  // Shared between one promise and its futures.
};

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
    // The promise lets go first: a callback may destroy its owner.
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

using Event = Future<Unit>;

}  // namespace acceld
