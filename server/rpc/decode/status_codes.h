#pragma once

#include <string>

#include "common/status.h"
#include "grpcpp/support/status.h"

namespace acceld::rpc {

// The codes are the same; messages are cut where HTTP/2 trailers would not carry them.
inline grpc::Status ToGrpc(const absl::Status& status) {
  constexpr size_t kMaxMessageBytes = 4096;
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()),
                      std::string(status.message().substr(0, kMaxMessageBytes)));
}

}  // namespace acceld::rpc
