#pragma once

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "grpcpp/grpcpp.h"

namespace acceld::rpc {

// The request of a call whose messages are taken as bytes. INVALID_ARGUMENT.
template <typename Request>
absl::StatusOr<Request> ParseRequest(const grpc::ByteBuffer& bytes) {
  grpc::ByteBuffer copy = bytes;  // Of the reference.
  Request request;
  if (grpc::SerializationTraits<Request>::Deserialize(&copy, &request).ok()) return request;
  return absl::InvalidArgumentError(
      absl::StrCat("a message that is no ", Request::descriptor()->name()));
}

}  // namespace acceld::rpc
