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

// A session's host calls on their way to the client: as events of the stream that speaks for it,
// large operands as transfers. Those that are not settled are said once more to the next stream,
// and so are the ends of executions that the client has not taken note of. Any thread may call.
class HostCallDesk : public engine::HostCallListener {
 public:
  // `repeats`: the session may go on with another stream.
  HostCallDesk(std::shared_ptr<SessionTransfers> transfers, bool repeats)
      : transfers_(std::move(transfers)), repeats_(repeats) {}

  void OnCall(engine::HostCall call) override;
  void OnWithdrawn(uint64_t call_id) override;
  void OnEnd(uint64_t callbacks, const absl::Status& status) override;

  // The client has answered the call.
  void Settle(uint64_t call_id) { OnWithdrawn(call_id); }
  // The client knows that the execution with these callbacks has ended.
  void Forget(uint64_t callbacks);
  // Whether the client is asked something that it has not answered: it is to be listened to.
  bool has_calls() const { return num_calls_.load(std::memory_order_relaxed) > 0; }

  // From now on this stream is told; nullptr: none is. The transfers of the one before are gone.
  void Use(std::shared_ptr<SessionStream> stream);
  // Says what the stream before may not have brought. After Use, once the client was welcomed.
  void Repeat();
  // Forgets everything, for good.
  void Close();

 private:
  struct Call {
    engine::HostCall asked;
    std::vector<uint64_t> transfers;
  };

  // The event for a call, with new transfers.
  v1::Event EventOf(Call& call) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropTransfers(const Call& call);

  const std::shared_ptr<SessionTransfers> transfers_;  // Shared with the session.
  const bool repeats_;
  std::atomic<size_t> num_calls_{0};
  Mutex mutex_;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  std::shared_ptr<SessionStream> stream_ ABSL_GUARDED_BY(mutex_);
  std::map<uint64_t, Call> calls_ ABSL_GUARDED_BY(mutex_);
  std::map<uint64_t, absl::Status> ended_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::rpc
