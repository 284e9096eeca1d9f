#include "client/transport/grpc_stream.h"

#include "client/transport/call_status.h"

namespace acceld::client {

absl::Status GrpcStream::Finish() { return StatusOfCall(calls_->Finish(), peer_); }

}  // namespace acceld::client
