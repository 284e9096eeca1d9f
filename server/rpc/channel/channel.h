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

// The Channel of one client: commands in, events out. A derived class is the transport. The channel
// receives a batch of commands, has the session handle it (on the decode pool if that may take
// long) and asks the transport for the next batch. It collects events and has the transport write
// them in batches, one at a time.
//
// Reading pauses while the channel has too many unsent events, unanswered requests or unfinished
// executions, so that a client that runs ahead is held back by the transport's flow control and by
// its command window. The transport's threads do not block here. The transport, the session,
// callbacks of the engine and tasks of the decode pool share ownership. Any thread may call the
// functions of SessionStream.
class Channel : public SessionStream, public std::enable_shared_from_this<Channel> {
 public:
  void Send(v1::Event event) override;
  void BeginRequest() override;
  void EndRequest() override;
  void NoteRefusal(observability::Refusal reason, const absl::Status& why) override;
  bool HoldsBackClient() override;
  void ContinueCommands() override;
  // Sends the waiting events, then the Goodbye. The client is expected to close the channel; if it
  // does not within some seconds, the channel ends, and events that are still unsent are lost.
  void SendGoodbye(const absl::Status& why) override;
  void Displace(const absl::Status& why) override;

 protected:
  // Ends the channel with DEADLINE_EXCEEDED if no batch comes within RpcOptions::identify_timeout.
  void StartHelloTimeout();

  // Without a session (nullptr), the first command must be Hello.
  Channel(const RpcContext& rpc, Caller caller, std::shared_ptr<ClientSession> session)
      : rpc_(rpc), caller_(std::move(caller)), session_(std::move(session)) {
    UpdateRequester();
  }

  // What a transport does. No lock of the channel is held during these calls. Read, Rest and Write
  // may still come after End, from a thread that had decided on them before: they do nothing then.
  //
  // Asks for the next batch: OnBatch will be called with it, or Refuse, or OnClientClosed.
  virtual void Read() = 0;
  // Nothing is read for now; that the client has gone is to be noticed all the same.
  virtual void OnReadPaused() = 0;
  // Whether the batch is on its way by now; otherwise OnWritten follows. One at a time.
  virtual bool Write(const v1::EventBatch& batch) = 0;
  // Ends the channel; called once. `goodbye_sent`: the client has been told why, as far as it
  // listens.
  virtual void End(const absl::Status& status, bool goodbye_sent) = 0;

  // The following functions are called by the transport, on its own threads.
  // Handles a batch that was received, which is swapped out of `batch`. `size_bytes` is its
  // serialized size.
  void OnBatch(v1::CommandBatch& batch, size_t size_bytes);
  // Ends session and channel, because what was received is not a batch or is too large.
  void Refuse(const absl::Status& why);
  // Ends the channel, because the client has closed it or is gone.
  void OnClientClosed();
  // The batch that Write was given has been passed on.
  void OnWritten();
  // Whether the client waits for nothing: it has no unanswered requests, unsent events or
  // unfinished executions.
  bool HasNoPendingWork();
  // Ends the channel with `status` and detaches it from its session. Only the first call ends it.
  void Finish(const absl::Status& status);
  // Detaches the channel from its session, if it has one.
  void LeaveSession();

  const RpcContext& rpc_;

 private:
  struct Outgoing {
    v1::EventBatch message;
    size_t size_bytes = 0;
  };

  // Sets requester_ from the caller and, if there is one, its session.
  void UpdateRequester();
  // Queues a time slice for the batch on the decode pool, whose schedule is fair among sessions.
  void QueueTimeSlice();
  // Handles the rest of the batch during one time slice, then reads the next batch or queues
  // another time slice.
  void RunTimeSlice();
  // Handles commands until the time slice is over. True: the batch is done, and the next one may be
  // read. False: the batch goes on later, or the channel has ended.
  bool HandleBatch();
  // Opens or resumes the session and sends the Welcome.
  absl::Status OnHello(const v1::Command& command);
  // Whether handling batch_ may take milliseconds.
  bool IsHeavy();
  // Charges a large batch to the caller's memory. RESOURCE_EXHAUSTED.
  absl::Status TakeRoom(size_t size_bytes);
  // Ends the session together with the channel, after an error that leaves unknown which commands
  // the client meant.
  void EndSession(const absl::Status& why);
  // Credits the handled commands back to the client.
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
  // Writes what there is, unless somebody does or a time slice is going on, which does it at its
  // end.
  void Flush();
  // Ends a time slice and writes the queued events.
  void EndTimeSlice();
  void QueueEvent(v1::Event event) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Takes the next batch to be written. False: there is none that may be written now.
  bool TakeOutgoing(v1::EventBatch& batch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Writes this batch and those that are queued behind it.
  void WriteOut(v1::EventBatch& batch);

  const Caller caller_;

  // Used only by the reading side: the read in progress, or the one thread that handles the batch.
  v1::CommandBatch batch_;
  int next_command_ = 0;  // index in batch_ of the next command to be handled
  bool heavy_ = false;
  FairPool::Requester requester_;  // to which the decode pool attributes the channel's time slices
  uint64_t uncredited_ = 0;        // commands received and not credited back
  size_t uncredited_bytes_ = 0;
  Taken batch_memory_;              // the charge for a large batch, until it is handled
  bool upload_uncredited_ = false;  // a BeginUpload is among the uncredited commands
  // Shared with the session table. Set by Hello; threads other than the reading one read it under
  // the mutex.
  std::shared_ptr<ClientSession> session_;

  Mutex mutex_;
  std::deque<Outgoing> outgoing_ ABSL_GUARDED_BY(mutex_);
  uint64_t event_bytes_ ABSL_GUARDED_BY(mutex_) = 0;  // in outgoing_
  uint64_t requests_ ABSL_GUARDED_BY(mutex_) = 0;     // unanswered
  bool write_in_flight_ ABSL_GUARDED_BY(mutex_) = false;
  bool in_time_slice_ ABSL_GUARDED_BY(mutex_) = false;
  bool reading_ ABSL_GUARDED_BY(mutex_) = true;  // A transport begins with a read.
  bool paused_ ABSL_GUARDED_BY(mutex_) = false;
  bool batch_received_ ABSL_GUARDED_BY(mutex_) = false;  // A batch has come.
  bool retries_ ABSL_GUARDED_BY(mutex_) = false;         // a timer will call RetryRead
  std::optional<absl::Status> goodbye_status_ ABSL_GUARDED_BY(mutex_);  // of SendGoodbye
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace acceld::rpc
