#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "acceld/v1/acceld.pb.h"
#include "common/crypto/digest.h"
#include "common/status.h"
#include "server/engine/session/session.h"
#include "server/rpc/bulk/transfers.h"
#include "server/rpc/options.h"
#include "server/rpc/session/host_call_delivery.h"
#include "server/rpc/session/program_upload_buffer.h"
#include "server/rpc/session/session_stream.h"

namespace acceld::rpc {

// Carries out the commands of one session by calls of its engine session. Independent of the
// transport. Not thread-safe: one thread at a time may call.
//
// A wrong command, such as one with an unknown handle, fails only its own outputs or request. An
// error from Handle, unless the command waits for a program, means that the client breaks the
// protocol or exceeds a limit, and that the session must end.
class CommandHandler {
 public:
  // `session`, `programs` and `options` must outlive the handler.
  CommandHandler(engine::Session& session, std::shared_ptr<SessionTransfers> transfers,
                 std::shared_ptr<HostCallDelivery> host_calls, ProgramUploadBuffer& programs,
                 const RpcOptions& options);

  // Whether handling the batch may take milliseconds, so that no gRPC thread should do it.
  bool IsHeavy(const v1::CommandBatch& batch) const;

  // Handles a command; `awaited`: the client waits for the results of this execution. Answers are
  // sent on `stream`, which pending callbacks keep alive. NOT_FOUND while awaits_program():
  // the command waits for a program that the client was asked for, and must be given to Handle
  // again after ProvideProgram.
  absl::Status Handle(v1::Command& command, bool awaited,
                      const std::shared_ptr<SessionStream>& stream);
  bool awaits_program() const { return awaited_.has_value(); }
  // Ends the wait for a program: with the fingerprint of the program that was added to the engine,
  // or the error because of which there is none. NOT_FOUND when no program with this number is
  // waited for.
  absl::Status ProvideProgram(uint64_t program_id, const absl::StatusOr<Digest>& fingerprint);
  // Ends the wait for a program without a result.
  void ForgetAwaitedProgram();

 private:
  // A program that the client registered by its fingerprint, that the engine does not have, and
  // that the client was therefore asked for.
  struct AwaitedProgram {
    uint64_t program_id = 0;
    absl::optional<absl::StatusOr<Digest>> provided;  // nullopt: it has not come yet
  };

  absl::Status OnRegisterProgram(const v1::RegisterProgram& command, SessionStream& stream);
  absl::Status RegisterByFingerprint(const v1::RegisterProgram& command, SessionStream& stream);
  // If `why` is RESOURCE_EXHAUSTED, remembers it as the error of the program's executions and
  // returns OK. Returns other statuses, and those beyond RpcOptions::max_refusals, as they are.
  absl::Status RefuseProgram(uint64_t program_id, const absl::Status& why);
  void OnCompile(const v1::Compile& command, const std::shared_ptr<SessionStream>& stream);
  absl::Status OnExecute(const v1::Execute& command, bool awaited);
  absl::Status OnExecuteSharded(const v1::ExecuteSharded& command);
  // Returns why an execution of the program on these inputs is refused because something that it
  // needs was refused before; OK otherwise.
  absl::Status RefusalOfExecution(uint64_t program_id, absl::Span<const uint64_t> inputs) const;
  // Notes the refusal `why` of an execution, if it is one, for its outputs and callbacks.
  absl::Status EndRefused(absl::Span<const uint64_t> outputs, uint64_t callbacks,
                          const absl::Status& why);
  absl::Status OnPut(const v1::Put& command);
  absl::Status OnBeginUpload(const v1::BeginUpload& command);
  void OnOfferContent(const v1::OfferContent& command, SessionStream& stream);
  void OnCancel(const v1::Cancel& command);
  void OnHostCallReply(v1::HostCallReply& command);
  void OnRelease(const v1::Release& command);
  void OnAwait(const v1::Await& command, const std::shared_ptr<SessionStream>& stream);
  void OnPublish(const v1::Publish& command, SessionStream& stream);
  void OnOpenNamed(const v1::OpenNamed& command, SessionStream& stream);
  void OnDropName(const v1::DropName& command, SessionStream& stream);
  void OnFetch(const v1::Fetch& command, const std::shared_ptr<SessionStream>& stream);

  // Remembers the error because of which the engine refused a command that would have defined
  // `handles`; later commands that name one of them get this error. RESOURCE_EXHAUSTED when too
  // many are remembered; INVALID_ARGUMENT when `why` is that a handle exists already.
  absl::Status Refuse(absl::Span<const uint64_t> handles, const absl::Status& why);
  // Returns what Refuse remembers for the handle, or nullptr.
  const absl::Status* RefusalOf(uint64_t handle) const;

  engine::Session& session_;
  const std::shared_ptr<SessionTransfers> transfers_;   // shared with pending fetches
  const std::shared_ptr<HostCallDelivery> host_calls_;  // shared with the engine's session
  ProgramUploadBuffer& programs_;
  const RpcOptions& options_;
  absl::optional<AwaitedProgram> awaited_;
  // Whether there are programs with dynamic result types. These are inferred from the arguments of
  // each execution, which takes time.
  bool has_dynamic_programs_ = false;
  absl::flat_hash_map<uint64_t, absl::Status> refused_handles_, refused_programs_;
};

}  // namespace acceld::rpc
