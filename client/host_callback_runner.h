#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "client/host_callbacks.h"
#include "client/state/answered_calls.h"
#include "client/transport/channel/host_call_handler.h"
#include "client/transport/connection.h"
#include "common/threads/mutex.h"

namespace acceld::client {

// Runs the host callbacks of a client's executions on its own threads, one after the other, in the
// order in which the daemon requests them. If a callback takes longer than kPatience, for example
// because it waits for the daemon, the next one starts concurrently on another thread, up to
// kMaxThreads.
//
// Thread-safe. Each thread shares ownership of this object, and ends some time after the session
// has ended.
class HostCallbackRunner final : public HostCallHandler,
                                 public std::enable_shared_from_this<HostCallbackRunner> {
 public:
  static constexpr std::chrono::milliseconds kPatience{20};
  static constexpr int kMaxThreads = 64;
  using OnEnd = std::function<void(const absl::Status&)>;

  // Sets the connection on which calls are answered; it may be destroyed before this object. Call
  // once, before Add.
  void Attach(std::weak_ptr<Connection> connection) { connection_ = std::move(connection); }
  // Registers the callbacks of an execution that is about to be submitted with this number in its
  // command. `on_end` (may be nullptr) is called on one of the threads when the execution has
  // ended.
  void Add(uint64_t number, HostCallbacks callbacks, OnEnd on_end);
  // Undoes Add for an execution that was not submitted after all.
  void Remove(uint64_t number);
  // Blocks until no callback is running, not counting one on the calling thread. Returns false if
  // `deadline` passes first.
  bool AwaitIdle(std::chrono::steady_clock::time_point deadline);

  // Implementation of HostCallHandler.
  void OnHostCall(v1::HostCall call) override;
  void OnCallbacksDone(uint64_t number, const absl::Status& status) override;
  void OnSessionEnd(const absl::Status& reason) override;
  bool ExpectsEvents() const override { return num_executions_.load() > 0; }

 private:
  // An execution that may call callbacks.
  struct Execution {
    HostCallbacks callbacks;
    OnEnd on_end;
    AnsweredCalls answered;
  };
  // A call that the daemon has requested and that has not been answered.
  struct Call {
    v1::HostCall asked;
    bool has_begun = false;
    // The same call, if the daemon sent it again after it had begun. It names new transfers for its
    // operands.
    absl::optional<v1::HostCall> again;
  };
  using Job = std::function<void()>;

  // Adds a job, and starts a thread if all threads are busy.
  void Enqueue(Job job) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void StartThread() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RunThread();
  // Blocks until the next job should start and returns it; nullptr tells the calling thread to end.
  Job TakeJob() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Calls a callback for a request of the daemon, and sends the answer.
  void RunCall(uint64_t call_id);
  // Marks the call as begun and returns it, or nullopt if its execution has ended.
  absl::optional<v1::HostCall> Begin(uint64_t call_id, HostCallbacks& callbacks);
  // Decides what happens after an operand's bytes could not be received. Returns false if the call
  // must be answered with `error`; true if the daemon sends, or has sent, the call again.
  bool IsRetried(uint64_t call_id, const absl::Status& error);
  // Records that the call has been answered, so that a repeated request for it is ignored.
  void MarkAnswered(const v1::HostCall& call);

  std::weak_ptr<Connection> connection_;
  std::atomic<size_t> num_executions_{0};
  Mutex mutex_;
  CondVar changed_;
  absl::flat_hash_map<uint64_t, Execution> executions_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<uint64_t, Call> calls_ ABSL_GUARDED_BY(mutex_);
  std::deque<Job> jobs_ ABSL_GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point last_began_ ABSL_GUARDED_BY(mutex_);
  int threads_ ABSL_GUARDED_BY(mutex_) = 0;
  // The threads that are running a job each.
  std::vector<std::thread::id> running_ ABSL_GUARDED_BY(mutex_);
  absl::Status ended_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::client
