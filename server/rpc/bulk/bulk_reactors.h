#pragma once

#include <memory>
#include <string>

#include "common/status.h"
#include "server/engine/session/session.h"
#include "server/rpc/bulk/chunk_deadline.h"
#include "server/rpc/bulk/transfers.h"
#include "server/rpc/gated_service.h"
#include "server/rpc/rpc_context.h"

namespace acceld::rpc {

// Takes in the chunks of one Upload: the bytes of an array, appended as they come, or of a program,
// gathered and decoded on the decode pool. Owns itself until OnDone.
class UploadReactor : public UploadStream {
 public:
  UploadReactor(const RpcContext& rpc, Caller caller, grpc::CallbackServerContext* context);

 private:
  void OnReadDone(bool ok) override;
  void OnDone() override { delete this; }

  void ReadNext();
  void TakeChunk();
  absl::Status OnChunk();
  absl::Status Begin(const v1::UploadChunk& header);
  absl::Status Append(absl::string_view bytes);
  void ProvideProgram();
  void End(const absl::Status& status);

  const RpcContext& rpc_;
  const Caller caller_;
  grpc::CallbackServerContext* const context_;
  // Shared with the table and its channel; null before the first chunk.
  std::shared_ptr<ClientSession> session_;
  engine::Handle handle_ = 0;
  uint64_t program_id_ = 0;
  int64_t received_bytes_ = 0;
  uint64_t program_upload_ = 0;  // of the session's ProgramIntake
  grpc::ByteBuffer chunk_;
  ChunkDeadline deadline_;
};

// Writes bytes in chunks: messages whose field `data` has the number of DownloadChunk's. Owns
// itself until OnDone.
class DownloadReactor : public DownloadStream {
 public:
  explicit DownloadReactor(observability::RpcInstruments& instruments)
      : instruments_(instruments) {}
  // Once, on any thread.
  void Send(absl::StatusOr<SharedBytes> bytes);

 private:
  void OnWriteDone(bool ok) override;
  void OnDone() override { delete this; }
  void WriteNext();

  observability::RpcInstruments& instruments_;
  SharedBytes bytes_;
  size_t sent_ = 0;
  grpc::ByteBuffer chunk_;
};

}  // namespace acceld::rpc
