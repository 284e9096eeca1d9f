#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "common/mutex.h"
#include "server/rpc/gated_service.h"
#include "server/rpc/rpc_context.h"
#include "server/rpc/session_stream.h"

namespace acceld::rpc {

// One Channel stream: reads a batch, has its session take it in (on the decode pool when that may
// take long), reads the next; collects events and writes them in batches, one write in flight.
//
// Reading pauses while too many events, requests or executions of the stream are under way, so a
// client that runs ahead is held by HTTP/2 flow control and by its command window. No thread of
// gRPC waits here. gRPC owns the object from its creation to OnDone; the session, callbacks of the
// engine and the decode pool share it.
class ChannelReactor : public ChannelStream,
                       public SessionStream,
                       public std::enable_shared_from_this<ChannelReactor> {
 public:
  // For gRPC, to which it belongs.
  static ChannelStream* Start(const RpcContext& rpc, Caller caller);

  void Send(v1::Event event) override;
  void BeginRequest() override;
  void EndRequest() override;
  void NoteRefusal(observability::Refusal reason, const absl::Status& why) override;
  bool HoldsBack() override;
  void ContinueIntake() override;
  // The events that are there by then are sent first, and the client may close the stream itself.
  // One that takes too long loses what is left.
  void SayGoodbye(const absl::Status& why) override;
  void Displace(const absl::Status& why) override;

 private:
  struct Outgoing {
    v1::EventBatch message;
    size_t size_bytes = 0;
  };

  ChannelReactor(const RpcContext& rpc, Caller caller) : rpc_(rpc), caller_(std::move(caller)) {}

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  // Goes on with the batch on a decoding thread, in turns with other sessions.
  void QueueTurn();
  // Handles what is left of the batch, then reads on; queues another turn when this one is over.
  void TakeTurn();
  // Opens or resumes the session.
  absl::Status OnHello(const v1::Command& command);
  bool IsHeavy();
  // Ends the session with the stream: it cannot be known what the client meant.
  void EndSession(const absl::Status& why);
  void Credit();
  void ReadNext();
  bool MayRead() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether fewer executions are queued by now.
  void LookAgain();
  void StartReadIfPaused() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void StartWriteIfIdle() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Ends the stream (once) and leaves the session.
  void Finish(const absl::Status& status);
  void LeaveSession();

  const RpcContext& rpc_;
  const Caller caller_;
  std::shared_ptr<ChannelReactor> self_;  // gRPC's share: from Start to OnDone.

  // Owned by the reading side: a read in flight, or the one thread that takes the batch in.
  grpc::ByteBuffer incoming_;
  v1::CommandBatch batch_;
  int next_command_ = 0;
  bool heavy_ = false;
  uint64_t uncredited_ = 0;
  size_t uncredited_bytes_ = 0;
  bool upload_uncredited_ = false;
  // Set by Hello; others read it under the mutex. Shared with the table.
  std::shared_ptr<ClientSession> session_;

  // The mutex also orders StartRead, StartWrite and Finish; gRPC calls nobody back from inside
  // them.
  Mutex mutex_;
  std::deque<Outgoing> outgoing_ ABSL_GUARDED_BY(mutex_);
  grpc::ByteBuffer writing_;
  uint64_t event_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t requests_ ABSL_GUARDED_BY(mutex_) = 0;
  bool write_in_flight_ ABSL_GUARDED_BY(mutex_) = false;
  bool reading_ ABSL_GUARDED_BY(mutex_) = true;  // Start begins with a read
  bool paused_ ABSL_GUARDED_BY(mutex_) = false;
  bool looks_again_ ABSL_GUARDED_BY(mutex_) = false;                // soon, by a timer
  std::optional<absl::Status> last_words_ ABSL_GUARDED_BY(mutex_);  // of SayGoodbye
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace acceld::rpc
