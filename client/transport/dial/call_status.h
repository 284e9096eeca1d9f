#pragma once

#include "absl/strings/string_view.h"
#include "common/status.h"
#include "grpcpp/support/status.h"

namespace acceld::client {

// Converts the status of a gRPC call to the daemon at `peer` into one for users. Statuses from the
// daemon itself stay unchanged. For errors of gRPC itself ("Socket closed") the message says what
// happened instead ("the daemon at PEER ended the connection") and the code stays, so that callers
// can decide whether to retry. One code changes: a call that gRPC cancelled, as a stopping server
// does with calls that just begin, becomes UNAVAILABLE. A message that is too large is reported as
// "refused".
absl::Status StatusOfCall(const grpc::Status& status, absl::string_view peer);

// Converts the status of a call that this client may have cancelled itself: CANCELLED if that ended
// the call; otherwise as the function above.
absl::Status StatusOfCall(const grpc::Status& status, absl::string_view peer, bool cancelled_here);

// Returns whether gRPC's message of an UNAVAILABLE status says that the other side closed the
// connection.
bool IsHangUp(absl::string_view grpc_message);

// Returns UNAVAILABLE: "the daemon at PEER ended the connection".
absl::Status EndedConnection(absl::string_view peer);

}  // namespace acceld::client
