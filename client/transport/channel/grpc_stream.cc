#include "client/transport/channel/grpc_stream.h"

#include "client/transport/dial/call_status.h"

namespace acceld::client {

absl::Status GrpcStream::Finish() {
  const grpc::Status status = calls_->Finish();
  return StatusOfCall(status, peer_, cancelled_);
}

}  // namespace acceld::client
