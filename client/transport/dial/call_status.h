#pragma once

#include "absl/strings/string_view.h"
#include "common/status.h"
#include "grpcpp/support/status.h"

namespace acceld::client {

// What a gRPC call to the daemon at `peer` came to, for people. What the daemon said stays as it
// is. What gRPC itself says of a call ("Socket closed") says what happened to it instead: "the
// daemon at PEER ended the connection". The code stays, so that callers may try again, but for one:
// a call that gRPC cancels, which a server that stops does to calls that just begin, is
// UNAVAILABLE. A message that is too large is "refused".
absl::Status StatusOfCall(const grpc::Status& status, absl::string_view peer);

// The same of a call that this client may have cancelled: CANCELLED if that is what ended it.
absl::Status StatusOfCall(const grpc::Status& status, absl::string_view peer, bool cancelled_here);

// Whether gRPC's message for UNAVAILABLE says that a connection was closed by the other side.
bool IsHangUp(absl::string_view grpc_message);

// UNAVAILABLE: "the daemon at PEER ended the connection".
absl::Status EndedConnection(absl::string_view peer);

}  // namespace acceld::client
