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

// Receives the chunks of one Upload call. The bytes of an array are appended to it as they come;
// those of a program are gathered and, when complete, decoded on the decode pool. The reactor
// deletes itself when gRPC calls OnDone.
class UploadReactor : public UploadStream {
 public:
  UploadReactor(const RpcContext& rpc, Caller caller, grpc::CallbackServerContext* context,
                std::unique_ptr<const CountedCall> call);

 private:
  void OnReadDone(bool ok) override;
  void OnDone() override { delete this; }

  void ReadNext();
  // Handles the chunk and reads the next one. Tries again later while there is no memory for the
  // chunk's bytes.
  void TakeChunk();
  absl::Status OnChunk();
  // Finds the session and the target with the first chunk; checks the target of later ones.
  absl::Status Begin(const v1::UploadChunk& header);
  absl::Status Append(absl::string_view bytes);
  // Has the complete program decoded and given to the session, then ends the call.
  void ProvideProgram();
  // Ends the call. An error also fails the array or the program, unless another Upload may follow.
  void End(const absl::Status& status);

  const RpcContext& rpc_;
  const Caller caller_;
  grpc::CallbackServerContext* const context_;
  // Shared with the session table and the session's channel; null before the first chunk.
  std::shared_ptr<ClientSession> session_;
  engine::Handle handle_ = 0;  // the target: an array, or if program_id_ is not 0 a program
  uint64_t program_id_ = 0;
  int64_t received_bytes_ = 0;
  uint64_t program_upload_ =
      0;  // the number that ProgramUploadBuffer::Begin gave; 0: not called yet
  grpc::ByteBuffer chunk_;
  ChunkDeadline deadline_;
};

// Writes bytes to the client as a stream of DownloadChunk messages, or of another type with the
// same field `data`. The reactor deletes itself when gRPC calls OnDone.
class DownloadReactor : public DownloadStream {
 public:
  DownloadReactor(observability::RpcInstruments& instruments,
                  std::unique_ptr<const CountedCall> call)
      : DownloadStream(std::move(call)), instruments_(instruments) {}
  // Starts to send the bytes, or ends the call with the error. To be called once, by any thread.
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
