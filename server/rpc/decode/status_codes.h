#pragma once

#include <string>

#include "common/status.h"
#include "grpcpp/support/status.h"

namespace acceld::rpc {

// Converts a status to gRPC's, whose codes are the same. A message is cut after 4096 bytes, because
// HTTP/2 trailers have a limited size.
inline grpc::Status ToGrpc(const absl::Status& status) {
  constexpr size_t kMaxMessageBytes = 4096;
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()),
                      std::string(status.message().substr(0, kMaxMessageBytes)));
}

}  // namespace acceld::rpc
