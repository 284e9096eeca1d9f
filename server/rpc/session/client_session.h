#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "acceld/v1/acceld.pb.h"
#include "common/memory/allowance.h"
#include "common/memory/gathered_bytes.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/engine/engine.h"
#include "server/rpc/auth/caller.h"
#include "server/rpc/bulk/transfers.h"
#include "server/rpc/options.h"
#include "server/rpc/session/command_handler.h"
#include "server/rpc/session/host_call_delivery.h"
#include "server/rpc/session/session_stream.h"

namespace acceld::rpc {

// An engine session and the stream over which its client is connected at present. With a lease the
// session outlives a stream that breaks: the next stream goes on after the last command that was
// handled.
//
// Thread-safe. Attach, IsHeavy, Take, ProvideProgram and RefuseProgram block while another thread
// handles a command, which may take as long as it takes to decode a program. gRPC's threads should
// call Take only with commands that are quick to handle (see IsHeavy).
class ClientSession {
 public:
  // What Take did with a command.
  enum class TakeResult {
    kTaken,  // It was handled.
    // It waits for a program, and must be given to Take again when ContinueCommands is called on
    // the session's stream.
    kNeedsProgram,
    // It was ignored because the session has ended. SendGoodbye is called on the session's stream.
    kEnded
  };

  // `owner` is the caller that opened the session. With a `lease` of 0 the session ends with its
  // stream. `engine` and `options` must outlive the session.
  ClientSession(engine::Engine& engine, std::shared_ptr<engine::Session> session, Caller owner,
                const RpcOptions& options, std::chrono::milliseconds lease);
  ~ClientSession();

  engine::Session& engine_session() { return *session_; }
  const Caller& owner() const { return owner_; }
  SessionTransfers& transfers() { return *transfers_; }
  HostCallDelivery& host_calls() { return *host_calls_; }
  ProgramUploadBuffer& programs() { return programs_; }
  // The owner's allowance of memory for data that its clients have sent in part.
  const std::shared_ptr<Allowance>& receive_memory() const { return receive_memory_; }
  std::chrono::milliseconds lease() const { return lease_; }

  // Makes `stream` the session's stream; the stream before ends with ABORTED. Returns the number of
  // commands handled so far, or CANCELLED when the session has ended.
  absl::StatusOr<uint64_t> Attach(std::shared_ptr<SessionStream> stream);
  // To be called when the attached stream has sent its Welcome. From then on host calls are sent on
  // it. Nothing happens when another stream has been attached since.
  void OnWelcomeSent(const std::shared_ptr<SessionStream>& stream);
  // Makes `stream` the session's stream, when the same client replaces its stream by another; the
  // stream before ends without an error. Does not block: UNAVAILABLE while a command is being
  // handled. CANCELLED when the session has ended.
  absl::Status Replace(std::shared_ptr<SessionStream> stream);
  // To be called when a stream has ended. If it was the session's stream, a session without a lease
  // ends. Returns false when it was the session's stream and the session has ended.
  bool Detach(const SessionStream& stream);

  // Whether handling the batch may take milliseconds.
  bool IsHeavy(const v1::CommandBatch& batch);
  // Handles the next command. `awaited`: the client waits for the results of this execution. An
  // error, with which the stream must end, means that the command breaks the protocol or, with
  // ABORTED, that `stream` is not the session's stream.
  absl::StatusOr<TakeResult> Take(v1::Command& command, bool awaited,
                                  const std::shared_ptr<SessionStream>& stream);

  // Decodes a serialized Program that NeedProgram asked for and gives it to the engine; then the
  // session's stream goes on. Takes long, so not to be called by gRPC's threads. NOT_FOUND when the
  // session does not wait for a program with this number.
  absl::Status ProvideProgram(uint64_t program_id, const ChunkedBytes& serialized);
  // The same for a program that cannot be had: executions of it fail with `why`.
  absl::Status RefuseProgram(uint64_t program_id, const absl::Status& why);

  // Starts the time of the lease anew; to be called when the client has sent something.
  void RenewLease();
  // Whether the time of the lease is over at `now`. It is extended, not over, while the daemon
  // itself holds back the client (SessionStream::HoldsBackClient).
  bool HasExpired(std::chrono::steady_clock::time_point now);

  // Closes the engine's session and tells its stream, if there is one, with a Goodbye. Idempotent.
  void End(const absl::Status& why);

 private:
  // Decodes a program and adds it to the engine. Returns its fingerprint.
  absl::StatusOr<Digest> AddProgram(const ChunkedBytes& serialized);
  // Ends the wait for a program, with its fingerprint or the error, and has the stream go on.
  absl::Status EndProgramWait(uint64_t program_id, const absl::StatusOr<Digest>& fingerprint);
  void Close(const absl::Status& why);

  engine::Engine& engine_;
  const std::shared_ptr<engine::Session> session_;  // shared with the engine
  const Caller owner_;
  const std::chrono::milliseconds lease_;
  const std::shared_ptr<SessionTransfers> transfers_;   // shared with pending fetches
  const std::shared_ptr<HostCallDelivery> host_calls_;  // shared with the engine's session
  const std::shared_ptr<Allowance> receive_memory_;     // shared with all that is charged to it
  ProgramUploadBuffer programs_;
  std::atomic<std::chrono::steady_clock::time_point> renewed_at_;

  // Held while a command is handled.
  Mutex command_mutex_;
  CommandHandler handler_ ABSL_GUARDED_BY(command_mutex_);
  uint64_t taken_ ABSL_GUARDED_BY(command_mutex_) = 0;  // commands handled so far

  // A thread that holds mutex_ must not lock command_mutex_.
  mutable Mutex mutex_;
  std::shared_ptr<SessionStream> stream_ ABSL_GUARDED_BY(mutex_);  // null while there is none
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  // stream_ while the session is open, otherwise null. Take compares the stream of each command
  // with it, without a lock.
  std::atomic<const SessionStream*> current_stream_{nullptr};
};

}  // namespace acceld::rpc
