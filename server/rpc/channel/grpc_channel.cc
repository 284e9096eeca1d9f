#include "server/rpc/channel/grpc_channel.h"

#include <utility>

#include "server/rpc/decode/bounded_message.h"
#include "server/rpc/decode/message_size.h"
#include "server/rpc/decode/parse_message.h"
#include "server/rpc/decode/status_codes.h"

namespace acceld::rpc {

ChannelStream* GrpcChannel::Start(const RpcContext& rpc, Caller caller,
                                  std::unique_ptr<const CountedCall> call) {
  std::shared_ptr<GrpcChannel> channel(new GrpcChannel(rpc, std::move(caller), std::move(call)));
  channel->self_ = channel;
  channel->Read();
  channel->StartHelloTimeout();
  return channel.get();
}

void GrpcChannel::Read() {
  MutexLock lock(mutex_);
  if (!finished_) StartRead(&incoming_);
}

void GrpcChannel::OnReadDone(bool ok) {
  if (!ok) return OnClientClosed();
  const size_t size_bytes = incoming_.Length();
  const absl::Status size =
      CheckMessageSize(size_bytes, static_cast<size_t>(rpc_.options.max_message_bytes));
  if (!size.ok()) return Refuse(size);
  v1::CommandBatch batch;
  const absl::Status decoded = BoundedMessage<v1::CommandBatch>::DecodeTo(
      batch, static_cast<int64_t>(size_bytes),
      [this](v1::CommandBatch& message) { return ParseMessage(incoming_, message); });
  if (!decoded.ok()) return Refuse(decoded);
  OnBatch(batch, size_bytes);
}

bool GrpcChannel::Write(const v1::EventBatch& batch) {
  grpc::ByteBuffer bytes;
  bool owned = false;
  // Serialization into new slices cannot fail, so its status is ignored.
  (void)grpc::SerializationTraits<v1::EventBatch>::Serialize(batch, &bytes, &owned);
  MutexLock lock(mutex_);
  if (finished_) return false;
  writing_.Swap(&bytes);
  StartWrite(&writing_);
  return false;
}

void GrpcChannel::OnWriteDone(bool ok) {
  if (ok) OnWritten();  // otherwise the read fails, too, and ends the stream
}

void GrpcChannel::End(const absl::Status& status, bool) {
  MutexLock lock(mutex_);
  finished_ = true;
  ChannelStream::Finish(ToGrpc(status));
}

// The stream is finished here, because no read may be in progress that could notice the end.
void GrpcChannel::OnCancel() { Channel::Finish(absl::CancelledError("the stream broke")); }

void GrpcChannel::OnDone() {
  LeaveSession();
  const std::shared_ptr<GrpcChannel> last = std::move(self_);
}

}  // namespace acceld::rpc
