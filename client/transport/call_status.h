#pragma once

#include "absl/strings/string_view.h"
#include "common/status.h"
#include "grpcpp/support/status.h"

namespace acceld::client {

// What a gRPC call to the daemon at `peer` came to, for people. What the daemon said stays as it
// is. What gRPC itself says of a call ("Socket closed") says what happened to it instead: "the
// daemon at PEER ended the connection". The code stays, so that callers may try again; a message
// that is too large is "refused".
absl::Status StatusOfCall(const grpc::Status& status, absl::string_view peer);

// Whether gRPC's message for UNAVAILABLE says that a connection was closed by the other side.
bool IsHangUp(absl::string_view grpc_message);

// UNAVAILABLE: "the daemon at PEER ended the connection".
absl::Status EndedConnection(absl::string_view peer);

}  // namespace acceld::client
