#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "acceld/v1/acceld.pb.h"
#include "common/status.h"
#include "server/engine/engine.h"
#include "server/rpc/options.h"
#include "server/rpc/transfers.h"

namespace acceld::rpc {

// Where a session's answers go, and who is told what is under way for it. Any thread may call.
class SessionEvents {
 public:
  enum class Work { kRequest, kExecution };

  virtual ~SessionEvents() = default;
  virtual void Send(v1::Event event) = 0;
  // Each Begin is followed by one End, maybe on another thread.
  virtual void Begin(Work work) = 0;
  virtual void End(Work work) = 0;
};

// One channel's commands, turned into calls of its engine session. Knows no transport.
//
// One thread at a time calls Handle; Close may come from any other. A wrong command fails its own
// outputs; a status from Handle means that the client does not keep to the protocol and the stream
// must end with it.
class CommandHandler {
 public:
  CommandHandler(engine::Engine& engine, TransferTable& transfers, const RpcOptions& options);

  // True when taking the batch in may take milliseconds: not for a gRPC thread.
  bool IsHeavy(const v1::CommandBatch& batch) const;

  // Takes a command in. Callbacks keep `events` alive until they have run.
  absl::Status Handle(v1::Command& command, const std::shared_ptr<SessionEvents>& events);

  // Closes the session, if one was opened. Idempotent; later batches are refused.
  void Close();

 private:
  absl::Status OnHello(const v1::Hello& hello, SessionEvents& events);
  absl::Status OnRegisterProgram(const v1::RegisterProgram& command);
  void OnCompile(const v1::Compile& command, const std::shared_ptr<SessionEvents>& events);
  absl::Status OnExecute(const v1::Execute& command, const std::shared_ptr<SessionEvents>& events);
  absl::Status OnPut(const v1::Put& command);
  absl::Status OnBeginUpload(const v1::BeginUpload& command);
  void OnRelease(const v1::Release& command);
  void OnAwait(const v1::Await& command, const std::shared_ptr<SessionEvents>& events);
  void OnFetch(const v1::Fetch& command, const std::shared_ptr<SessionEvents>& events);

  // Remembers why handles could not be defined, for those who name them later.
  absl::Status Refuse(absl::Span<const uint64_t> handles, const absl::Status& why);
  const absl::Status* RefusalOf(uint64_t handle) const;

  engine::Engine& engine_;
  TransferTable& transfer_table_;
  const RpcOptions& options_;
  mutable Mutex mutex_;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  // Written once, by Hello; the handling thread reads it without the lock.
  std::shared_ptr<engine::Session> session_;
  std::shared_ptr<SessionTransfers> transfers_;  // Shared with the table and pending fetches.
  // Their result types are inferred from the arguments of each call.
  bool has_dynamic_programs_ = false;
  absl::flat_hash_map<uint64_t, absl::Status> refused_handles_, refused_programs_;
};

}  // namespace acceld::rpc
