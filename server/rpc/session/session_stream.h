#pragma once

#include "acceld/v1/acceld.pb.h"
#include "common/status.h"
#include "server/observability/instruments/refusal.h"

namespace acceld::rpc {

// The stream between a session and its client, as the session sees it: events are sent on it, and
// it is told how many requests are unanswered, so that it can limit them. Thread-safe; nothing
// blocks.
class SessionStream {
 public:
  virtual ~SessionStream() = default;
  // Sends an event to the client. Events after the end of the stream are dropped.
  virtual void Send(v1::Event event) = 0;
  // Count the unanswered requests: BeginRequest when a request has come, EndRequest when it was
  // answered, possibly on another thread.
  virtual void BeginRequest() = 0;
  virtual void EndRequest() = 0;
  // Counts and logs a command that was refused, for its caller's rights or its size. The command is
  // answered separately.
  virtual void NoteRefusal(observability::Refusal reason, const absl::Status& why) = 0;
  // Whether the stream is not read because the daemon is still busy with earlier commands. The
  // client cannot renew its lease then.
  virtual bool HoldsBackClient() = 0;
  // Goes on with a command for which ClientSession::Take returned kNeedsProgram: the program has
  // come.
  virtual void ContinueCommands() = 0;
  // Sends a last Goodbye, because the session has ended, and then ends the stream with `why`.
  virtual void SendGoodbye(const absl::Status& why) = 0;
  // Ends the stream at once with `why`, because the session has another stream.
  virtual void Displace(const absl::Status& why) = 0;
};

}  // namespace acceld::rpc
