#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "client/transport/channel/channel_stream.h"
#include "client/transport/dial/dial.h"

namespace acceld::client {

// A ChannelStream over gRPC: a call of the Channel RPC.
class GrpcStream final : public ChannelStream {
 public:
  // `peer` names the daemon in error messages.
  GrpcStream(std::shared_ptr<RpcChannel> line, std::string peer)
      : peer_(std::move(peer)), line_(std::move(line)), calls_(line_->stub.Channel(&context_)) {}

  bool Write(const v1::CommandBatch& batch) override { return calls_->Write(batch); }
  bool Read(v1::EventBatch& batch) override { return calls_->Read(&batch); }
  bool PollBriefly() override { return false; }
  void Cancel() override {
    cancelled_ = true;
    context_.TryCancel();
  }
  absl::Status Finish() override;

 private:
  const std::string peer_;
  const std::shared_ptr<RpcChannel> line_;  // Shared with other calls.
  grpc::ClientContext context_;
  std::atomic<bool> cancelled_{false};
  const std::unique_ptr<grpc::ClientReaderWriter<v1::CommandBatch, v1::EventBatch>> calls_;
};

}  // namespace acceld::client
