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
#include "server/rpc/session/host_call_desk.h"
#include "server/rpc/session/session_stream.h"

namespace acceld::rpc {

// An engine session and the stream that speaks for it now. With a lease it outlives a stream that
// breaks: the next one goes on behind the last command that was taken in.
//
// Any thread may call. Attach and Take wait for a command that another thread is just taking in,
// which may last as long as the decoding of a program: not for gRPC's threads unless the command is
// known to be light.
class ClientSession {
 public:
  enum class Intake { kTaken, kNeedsProgram, kEnded };

  // `owner` is who has opened it. `lease` of 0: the session ends with its stream.
  ClientSession(engine::Engine& engine, std::shared_ptr<engine::Session> session, Caller owner,
                const RpcOptions& options, std::chrono::milliseconds lease);
  ~ClientSession();

  engine::Session& engine_session() { return *session_; }
  const Caller& owner() const { return owner_; }
  SessionTransfers& transfers() { return *transfers_; }
  HostCallDesk& host_calls() { return *host_calls_; }
  ProgramIntake& programs() { return programs_; }
  // What its owner may take of the memory for what has come in part.
  const std::shared_ptr<Allowance>& intake_memory() const { return intake_memory_; }
  std::chrono::milliseconds lease() const { return lease_; }

  // From now on `stream` speaks for the session; the one before ends with ABORTED. The number of
  // commands taken in so far, or CANCELLED when the session has ended.
  absl::StatusOr<uint64_t> Attach(std::shared_ptr<SessionStream> stream);
  // The stream that was attached has said so to its client, who may be asked now.
  void OnWelcomed(const std::shared_ptr<SessionStream>& stream);
  // The same for a stream of the same client beside the one before, which ends without an error.
  // Does not wait: UNAVAILABLE while a command is being taken in.
  absl::Status Replace(std::shared_ptr<SessionStream> stream);
  // The stream is gone. False when the session has ended with it; nothing happens when another
  // stream speaks for the session.
  bool Detach(const SessionStream& stream);

  bool IsHeavy(const v1::CommandBatch& batch);
  // Takes in the next command. An error ends the stream: the command breaks the protocol, or
  // another stream speaks for the session. kNeedsProgram: the command is to be handed in again
  // after ContinueIntake. kEnded: it is too late; the stream hears why the session has ended.
  absl::StatusOr<Intake> Take(v1::Command& command, bool awaited,
                              const std::shared_ptr<SessionStream>& stream);

  // The serialized Program that NeedProgram asked for. Decodes it: not on a gRPC thread.
  // NOT_FOUND when none is waited for under this number.
  absl::Status ProvideProgram(uint64_t program_id, const GatheredBytes& serialized);
  // The same, when the program cannot be had: it poisons what is executed with it.
  absl::Status RefuseProgram(uint64_t program_id, const absl::Status& why);

  // Something came from the client.
  void RenewLease();
  // Whether the lease is over. It is not while the daemon itself does not listen.
  bool HasExpired(std::chrono::steady_clock::time_point now);

  // Closes the engine's session; its stream hears why. Idempotent.
  void End(const absl::Status& why);

 private:
  absl::StatusOr<Digest> AddProgram(const GatheredBytes& serialized);
  absl::Status SettleProgram(uint64_t program_id, const absl::StatusOr<Digest>& fingerprint);
  void Close(const absl::Status& why);

  engine::Engine& engine_;
  const std::shared_ptr<engine::Session> session_;  // Shared with the engine.
  const Caller owner_;
  const std::chrono::milliseconds lease_;
  const std::shared_ptr<SessionTransfers> transfers_;  // Shared with fetches under way.
  const std::shared_ptr<HostCallDesk> host_calls_;     // Shared with the engine's session.
  const std::shared_ptr<Allowance> intake_memory_;     // Shared with all that is charged to it.
  ProgramIntake programs_;
  std::atomic<std::chrono::steady_clock::time_point> renewed_at_;

  // Held while a command is taken in.
  Mutex intake_mutex_;
  CommandHandler handler_ ABSL_GUARDED_BY(intake_mutex_);
  uint64_t taken_ ABSL_GUARDED_BY(intake_mutex_) = 0;

  // Never taken before intake_mutex_.
  mutable Mutex mutex_;
  std::shared_ptr<SessionStream> stream_ ABSL_GUARDED_BY(mutex_);  // Null while there is none.
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  // stream_, or null when the session has ended: what each command is checked against.
  std::atomic<const SessionStream*> speaker_{nullptr};
};

}  // namespace acceld::rpc
