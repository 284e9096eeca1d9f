#pragma once

#include <memory>

#include "acceld/v1/acceld.grpc.pb.h"
#include "client/transport/channel_stream.h"

namespace acceld::client {

// The Channel RPC.
class GrpcStream final : public ChannelStream {
 public:
  explicit GrpcStream(v1::Acceld::Stub& stub) : calls_(stub.Channel(&context_)) {}

  bool Write(const v1::CommandBatch& batch) override { return calls_->Write(batch); }
  bool Read(v1::EventBatch& batch) override { return calls_->Read(&batch); }
  void Cancel() override { context_.TryCancel(); }
  absl::Status Finish() override;

 private:
  grpc::ClientContext context_;
  const std::unique_ptr<grpc::ClientReaderWriter<v1::CommandBatch, v1::EventBatch>> calls_;
};

}  // namespace acceld::client
