#pragma once

#include "acceld/v1/acceld.pb.h"
#include "common/status.h"
#include "server/observability/instruments/refusal.h"

namespace acceld::rpc {

// The stream that speaks for a session: where its answers go, and who is told how many are due. Any
// thread may call; nothing blocks.
class SessionStream {
 public:
  virtual ~SessionStream() = default;
  // Events after the end of the stream are dropped.
  virtual void Send(v1::Event event) = 0;
  // A request has come, or was answered, maybe on another thread.
  virtual void BeginRequest() = 0;
  virtual void EndRequest() = 0;
  // A command was refused for who sent it, or for its size; its answer goes its own way.
  virtual void NoteRefusal(observability::Refusal reason, const absl::Status& why) = 0;
  // Whether nothing is read because the daemon is busy with what came before; what the client says
  // to renew its lease is not heard then.
  virtual bool HoldsBack() = 0;
  // What the session waited for (ClientSession::Intake::kNeedsProgram) has come.
  virtual void ContinueIntake() = 0;
  // The session has ended: says so in a last Goodbye, then ends with `why`.
  virtual void SayGoodbye(const absl::Status& why) = 0;
  // Ends at once with `why`: another stream speaks for the session.
  virtual void Displace(const absl::Status& why) = 0;
};

}  // namespace acceld::rpc
