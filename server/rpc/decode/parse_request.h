#pragma once

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "grpcpp/grpcpp.h"

namespace acceld::rpc {

// Parses the request of an RPC whose handler receives it serialized (a Raw shape in rpcs.def).
// INVALID_ARGUMENT when the bytes are not such a message.
template <typename Request>
absl::StatusOr<Request> ParseRequest(const grpc::ByteBuffer& bytes) {
  grpc::ByteBuffer copy = bytes;  // shares the bytes; Deserialize empties it
  Request request;
  if (grpc::SerializationTraits<Request>::Deserialize(&copy, &request).ok()) return request;
  return absl::InvalidArgumentError(
      absl::StrCat("a message that is no ", Request::descriptor()->name()));
}

}  // namespace acceld::rpc
