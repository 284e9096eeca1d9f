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
#include "server/rpc/session/host_call_desk.h"
#include "server/rpc/session/program_intake.h"
#include "server/rpc/session/session_stream.h"

namespace acceld::rpc {

// One session's commands, turned into calls of its engine session. Knows no transport. One thread
// at a time calls.
//
// A wrong command fails its own outputs; a status from Handle means that the client does not keep
// to the protocol and the stream must end with it.
class CommandHandler {
 public:
  // `programs` outlives the handler.
  CommandHandler(engine::Session& session, std::shared_ptr<SessionTransfers> transfers,
                 std::shared_ptr<HostCallDesk> host_calls, ProgramIntake& programs,
                 const RpcOptions& options);

  // True when taking the batch in may take milliseconds: not for a gRPC thread.
  bool IsHeavy(const v1::CommandBatch& batch) const;

  // Takes a command in; `awaited`: the client waits for what it makes. Callbacks keep `stream`
  // alive until they have run. NOT_FOUND when the command waits for a program that the client was
  // asked for: then it is to be handed in again once the program, or the reason why there is none,
  // has been provided.
  absl::Status Handle(v1::Command& command, bool awaited,
                      const std::shared_ptr<SessionStream>& stream);
  bool awaits_program() const { return awaited_.has_value(); }
  // The fingerprint of the program that the engine got, or why it got none. NOT_FOUND when no
  // program of this number is awaited.
  absl::Status ProvideProgram(uint64_t program_id, const absl::StatusOr<Digest>& fingerprint);
  void ForgetAwaitedProgram();

 private:
  // A program that is known by its fingerprint only.
  struct AwaitedProgram {
    uint64_t program_id = 0;
    absl::optional<absl::StatusOr<Digest>> provided;
  };

  absl::Status OnRegisterProgram(const v1::RegisterProgram& command, SessionStream& stream);
  absl::Status RegisterByFingerprint(const v1::RegisterProgram& command, SessionStream& stream);
  absl::Status RefuseProgram(uint64_t program_id, const absl::Status& why);
  void OnCompile(const v1::Compile& command, const std::shared_ptr<SessionStream>& stream);
  absl::Status OnExecute(const v1::Execute& command, bool awaited);
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

  // Remembers why handles could not be defined, for those who name them later.
  absl::Status Refuse(absl::Span<const uint64_t> handles, const absl::Status& why);
  const absl::Status* RefusalOf(uint64_t handle) const;

  engine::Session& session_;                           // Outlives the handler.
  const std::shared_ptr<SessionTransfers> transfers_;  // Shared with pending fetches.
  const std::shared_ptr<HostCallDesk> host_calls_;     // Shared with the engine's session.
  ProgramIntake& programs_;
  const RpcOptions& options_;
  absl::optional<AwaitedProgram> awaited_;
  // Their result types are inferred from the arguments of each call.
  bool has_dynamic_programs_ = false;
  absl::flat_hash_map<uint64_t, absl::Status> refused_handles_, refused_programs_;
};

}  // namespace acceld::rpc
