#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "acceld/v1/acceld.pb.h"
#include "common/memory/allowance.h"
#include "common/threads/mutex.h"
#include "server/rpc/auth/caller.h"
#include "server/rpc/rpc_context.h"
#include "server/rpc/session/session_stream.h"

namespace acceld::rpc {

// One client's Channel, whatever carries it: takes a batch of commands, has the session take it in
// (on the decode pool when that may take long), asks for the next; collects events and has them
// written in batches, one at a time.
//
// Reading pauses while too many events, requests or executions of the channel are under way, so a
// client that runs ahead is held by its transport and by its command window. No thread of a
// transport waits here. The transport, the session, callbacks of the engine and the decode pool
// share it.
class Channel : public SessionStream, public std::enable_shared_from_this<Channel> {
 public:
  void Send(v1::Event event) override;
  void BeginRequest() override;
  void EndRequest() override;
  void NoteRefusal(observability::Refusal reason, const absl::Status& why) override;
  bool HoldsBack() override;
  void ContinueIntake() override;
  // The events that are there by then are sent first, and the client may close the channel itself.
  // One that takes too long loses what is left.
  void SayGoodbye(const absl::Status& why) override;
  void Displace(const absl::Status& why) override;

 protected:
  // Ends the channel unless something comes in time.
  void EndIfSilent();

  // Without a session, the first command has to be Hello.
  Channel(const RpcContext& rpc, Caller caller, std::shared_ptr<ClientSession> session)
      : rpc_(rpc), caller_(std::move(caller)), session_(std::move(session)) {
    NoteAsker();
  }

  // What a transport does. No lock of the channel is held during these calls. Read, Rest and Write
  // may still come after End, from a thread that had decided on them before: they do nothing then.
  //
  // Asks for the next batch: TakeIn will be called with it, or Refuse, or NothingMore.
  virtual void Read() = 0;
  // Nothing is read for now; that the client has gone is to be noticed all the same.
  virtual void Rest() = 0;
  // Whether the batch is on its way by now; otherwise OnWritten follows. One at a time.
  virtual bool Write(const v1::EventBatch& batch) = 0;
  // Ends the channel; called once. `said_goodbye`: the client has been told why, as far as it
  // listens.
  virtual void End(const absl::Status& status, bool said_goodbye) = 0;

  // What a transport calls, on threads of its own.
  // `size_bytes` is what the batch had when it came.
  void TakeIn(v1::CommandBatch& batch, size_t size_bytes);
  // The batch that was read is none, or may not be read.
  void Refuse(const absl::Status& why);
  // The client has closed the channel, or is gone.
  void NothingMore();
  void OnWritten();
  // Whether nothing that the client has asked for is under way.
  bool IsAtRest();
  // Ends the channel (once) and leaves the session.
  void Finish(const absl::Status& status);
  void LeaveSession();

  const RpcContext& rpc_;

 private:
  struct Outgoing {
    v1::EventBatch message;
    size_t size_bytes = 0;
  };

  // Of the caller, and its session once it has one.
  void NoteAsker();
  // Goes on with the batch on a decoding thread, in turns with other sessions.
  void QueueTurn();
  // Handles what is left of the batch, then reads on; queues another turn when this one is over.
  void TakeTurn();
  // Whether the whole batch is done and the next one wanted.
  bool HandleBatch();
  // Opens or resumes the session.
  absl::Status OnHello(const v1::Command& command);
  bool IsHeavy();
  // Counts a large batch.
  absl::Status TakeRoom(size_t size_bytes);
  // Ends the session with the channel: it cannot be known what the client meant.
  void EndSession(const absl::Status& why);
  void Credit();
  void ReadNext();
  // What is to be done about a pause of reading, once the mutex is free.
  enum class Resumption : uint8_t {
    kNone,   // nothing: reading is not paused, or must stay so until something else ends
    kRead,   // call Read
    kRetry,  // decide again in a moment: too many executions are queued, which nobody reports
  };
  Resumption DecideRead() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Resumption MayRead() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Resume(Resumption resumption) ABSL_LOCKS_EXCLUDED(mutex_);
  void RetryRead();
  // Writes what there is, unless somebody does or a turn is going on, which does it at its end.
  void Flush();
  void EndTurn();
  void QueueEvent(v1::Event event) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool TakeOutgoing(v1::EventBatch& batch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // This batch, and what there is after it.
  void WriteOut(v1::EventBatch& batch);

  const Caller caller_;

  // Owned by the reading side: a read under way, or the one thread that takes the batch in.
  v1::CommandBatch batch_;
  int next_command_ = 0;
  bool heavy_ = false;
  FairPool::Asker asker_;  // Whose turns are queued.
  uint64_t uncredited_ = 0;
  size_t uncredited_bytes_ = 0;
  Taken batch_memory_;  // For a large batch, until it is taken in.
  bool upload_uncredited_ = false;
  // Set by Hello; others read it under the mutex. Shared with the table.
  std::shared_ptr<ClientSession> session_;

  Mutex mutex_;
  std::deque<Outgoing> outgoing_ ABSL_GUARDED_BY(mutex_);
  uint64_t event_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t requests_ ABSL_GUARDED_BY(mutex_) = 0;
  bool write_in_flight_ ABSL_GUARDED_BY(mutex_) = false;
  bool in_turn_ ABSL_GUARDED_BY(mutex_) = false;
  bool reading_ ABSL_GUARDED_BY(mutex_) = true;  // A transport begins with a read.
  bool paused_ ABSL_GUARDED_BY(mutex_) = false;
  bool heard_ ABSL_GUARDED_BY(mutex_) = false;                      // A batch has come.
  bool retries_ ABSL_GUARDED_BY(mutex_) = false;                    // a timer will call RetryRead
  std::optional<absl::Status> last_words_ ABSL_GUARDED_BY(mutex_);  // of SayGoodbye
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace acceld::rpc
