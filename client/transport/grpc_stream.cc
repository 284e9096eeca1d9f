#include "client/transport/grpc_stream.h"

#include "client/transport/status_codes.h"

namespace acceld::client {

absl::Status GrpcStream::Finish() { return StatusFromGrpc(calls_->Finish()); }

}  // namespace acceld::client
