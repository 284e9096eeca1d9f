#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "acceld/v1/acceld.pb.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/engine/session/session.h"
#include "server/rpc/bulk/transfers.h"
#include "server/rpc/session/session_stream.h"

namespace acceld::rpc {

// Delivers the host calls of one session to its client: as events on the session's stream, with
// large operands as transfers. When the session gets another stream, calls that the client has not
// answered are sent again on that one; with a lease, so are ends of executions (CallbacksDone) that
// the client has not confirmed (ForgetCallbacks). Thread-safe; nothing blocks.
class HostCallDelivery : public engine::HostCallListener {
 public:
  // `repeats`: the session has a lease, so ends of executions are kept until the client confirms
  // them.
  HostCallDelivery(std::shared_ptr<SessionTransfers> transfers, bool repeats)
      : transfers_(std::move(transfers)), keeps_ends_(repeats) {}

  void OnCall(engine::HostCall call) override;
  void OnWithdrawn(uint64_t call_id) override;
  void OnEnd(uint64_t callbacks, const absl::Status& status) override;

  // Removes a call that the client has answered.
  void RemoveAnswered(uint64_t call_id) { OnWithdrawn(call_id); }
  // Removes the end of an execution that the client has confirmed.
  void Forget(uint64_t callbacks);
  // Whether there are calls that the client has not answered. The client's commands must be read
  // then, because the answers are among them.
  bool has_calls() const { return num_calls_.load(std::memory_order_relaxed) > 0; }

  // Sets the stream on which events are sent from now on; nullptr: none.
  void Use(std::shared_ptr<SessionStream> stream);
  // Sends again what the client may not have received on the stream before, with new transfers. To
  // be called after Use, as soon as the client may receive events on the new stream.
  void Repeat();
  // Removes everything; nothing is delivered afterwards.
  void Close();

 private:
  struct Call {
    engine::HostCall asked;
    std::vector<uint64_t> transfers;  // of its large operands, as last sent
  };

  // Makes the event for a call, and new transfers for its large operands.
  v1::Event MakeHostCallEvent(Call& call) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropTransfers(const Call& call);

  const std::shared_ptr<SessionTransfers> transfers_;  // shared with the session
  const bool keeps_ends_;
  std::atomic<size_t> num_calls_{0};  // calls_.size(), to be read without the mutex
  Mutex mutex_;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  std::shared_ptr<SessionStream> stream_ ABSL_GUARDED_BY(mutex_);
  std::map<uint64_t, Call> calls_ ABSL_GUARDED_BY(mutex_);  // not answered; by id
  // Unconfirmed ends of executions, by the number of their callbacks.
  std::map<uint64_t, absl::Status> ended_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::rpc
