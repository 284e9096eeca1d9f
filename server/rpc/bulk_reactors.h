#pragma once

#include <memory>
#include <string>

#include "acceld/v1/acceld.grpc.pb.h"
#include "common/status.h"
#include "server/engine/engine.h"
#include "server/observability/instruments/rpc_instruments.h"
#include "server/rpc/transfers.h"

namespace acceld::rpc {

// Takes in the chunks of one Upload and appends them to the array that BeginUpload named. A stream
// that breaks, or is wrong, fails the array. Owns itself until OnDone.
class UploadReactor : public grpc::ServerReadReactor<v1::UploadChunk> {
 public:
  UploadReactor(engine::Engine& engine, observability::RpcInstruments& instruments,
                grpc::CallbackServerContext* context);

 private:
  void OnReadDone(bool ok) override;
  void OnDone() override { delete this; }

  absl::Status Append();
  void End(const absl::Status& status);

  engine::Engine& engine_;
  observability::RpcInstruments& instruments_;
  grpc::CallbackServerContext* const context_;
  std::shared_ptr<engine::Session>
      session_;  // Shared with its channel; null before the first chunk.
  engine::Handle handle_ = 0;
  v1::UploadChunk chunk_;
};

// Writes the bytes of one transfer in chunks. Owns itself until OnDone.
class DownloadReactor : public grpc::ServerWriteReactor<v1::DownloadChunk> {
 public:
  DownloadReactor(absl::StatusOr<SharedBytes> bytes, observability::RpcInstruments& instruments);

 private:
  void OnWriteDone(bool ok) override;
  void OnDone() override { delete this; }
  void WriteNext();

  observability::RpcInstruments& instruments_;
  SharedBytes bytes_;
  size_t sent_ = 0;
  v1::DownloadChunk chunk_;
};

}  // namespace acceld::rpc
