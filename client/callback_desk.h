#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "client/host_callbacks.h"
#include "client/transport/channel/host_call_handler.h"
#include "client/transport/connection.h"
#include "common/threads/mutex.h"

namespace acceld::client {

// Runs the host callbacks of a client's executions, on threads of its own: one after the other, in
// the order in which the daemon asks. A callback that takes longer than kPatience, because it waits
// for the daemon, say, does not hold up the others: the next one begins beside it then, on another
// thread, up to kMaxThreads.
//
// Thread-safe. The threads share the desk, which they outlive only to end.
class CallbackDesk final : public HostCallHandler,
                           public std::enable_shared_from_this<CallbackDesk> {
 public:
  static constexpr std::chrono::milliseconds kPatience{20};
  static constexpr int kMaxThreads = 64;
  using OnEnd = std::function<void(const absl::Status&)>;

  // Where calls are answered. The connection need not live as long as the desk. Once, before
  // anything is added.
  void Attach(std::weak_ptr<Connection> connection) { connection_ = std::move(connection); }
  // An execution that is about to be asked for under this number. `on_end` is called when it has
  // ended, on a thread of the desk; it may be nullptr.
  void Add(uint64_t number, HostCallbacks callbacks, OnEnd on_end);
  // The daemon was not asked.
  void Remove(uint64_t number);
  // Waits until no callback runs, but for one that calls this. False when `deadline` comes first.
  bool AwaitIdle(std::chrono::steady_clock::time_point deadline);

  void OnHostCall(v1::HostCall call) override;
  void OnCallbacksDone(uint64_t number, const absl::Status& status) override;
  void OnSessionEnd(const absl::Status& reason) override;
  bool ExpectsEvents() const override { return num_executions_.load() > 0; }

 private:
  struct Execution {
    HostCallbacks callbacks;
    OnEnd on_end;
    uint64_t answered_through = 0;  // One call is asked after the other, with ascending numbers.
  };
  struct Call {
    v1::HostCall asked;
    bool has_begun = false;
    // The same call, as it came once more after it had begun: with other transfers.
    absl::optional<v1::HostCall> again;
  };
  using Job = std::function<void()>;

  void Enqueue(Job job) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void StartThread() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RunThread();
  // The next job, when it is to begin; nullptr: the thread is to end.
  Job TakeJob() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RunCall(uint64_t call_id);
  // The call, if it is still wanted.
  absl::optional<v1::HostCall> Begin(uint64_t call_id, HostCallbacks& callbacks);
  // The bytes of an operand have not come. False: the call is answered with the error; true: it
  // comes, or has come, once more.
  bool ComesAgain(uint64_t call_id, const absl::Status& error);
  // From now on the call is not taken in again.
  void NoteAnswered(const v1::HostCall& call);

  std::weak_ptr<Connection> connection_;
  std::atomic<size_t> num_executions_{0};
  Mutex mutex_;
  CondVar changed_;
  absl::flat_hash_map<uint64_t, Execution> executions_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<uint64_t, Call> calls_ ABSL_GUARDED_BY(mutex_);
  std::deque<Job> jobs_ ABSL_GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point last_began_ ABSL_GUARDED_BY(mutex_);
  int threads_ ABSL_GUARDED_BY(mutex_) = 0;
  int running_ ABSL_GUARDED_BY(mutex_) = 0;  // jobs
  absl::Status ended_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::client
