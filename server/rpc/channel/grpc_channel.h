#pragma once

#include <memory>

#include "server/rpc/channel/channel.h"
#include "server/rpc/gated_service.h"

namespace acceld::rpc {

// A Channel over a gRPC stream. It keeps itself alive until gRPC calls OnDone.
class GrpcChannel final : public ChannelStream, public Channel {
 public:
  // Makes a channel without a session, starts its first read and returns it as gRPC's reactor.
  static ChannelStream* Start(const RpcContext& rpc, Caller caller,
                              std::unique_ptr<const CountedCall> call);

 private:
  GrpcChannel(const RpcContext& rpc, Caller caller, std::unique_ptr<const CountedCall> call)
      : ChannelStream(std::move(call)), Channel(rpc, std::move(caller), /*session=*/nullptr) {}

  void Read() override;
  // gRPC says by OnCancel that the client is gone, whether or not anything is read.
  void OnReadPaused() override {}
  bool Write(const v1::EventBatch& batch) override;
  void End(const absl::Status& status, bool goodbye_sent) override;

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  std::shared_ptr<GrpcChannel> self_;  // gRPC's reference: from Start to OnDone
  grpc::ByteBuffer incoming_;          // of the read in progress

  // Serializes StartRead, StartWrite and Finish. gRPC makes no callbacks from inside these calls.
  Mutex mutex_;
  grpc::ByteBuffer writing_ ABSL_GUARDED_BY(mutex_);
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace acceld::rpc
