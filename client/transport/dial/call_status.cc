#include "client/transport/dial/call_status.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/transport/status_codes.h"

namespace acceld::client {
namespace {

// Parts of gRPC's own error messages, in several releases. The daemon's messages contain none of
// them.
constexpr absl::string_view kHangUp[] = {
    "Socket closed",
    "Connection reset",
    "Broken pipe",
    "Transport closed",
    "Stream removed",
    "Stream closed",
    "GOAWAY",
    "Endpoint read failed",
    "endpoint shutdown",
    "recvmsg:",
    "sendmsg:",
    "transport is closing",
    "Channel shutdown",
    "Transport destroyed",
    "End of TCP stream",
    "Connection aborted",
    "EOF",
    "Failed parsing HTTP/2",
    "Error reading from socket",
};
constexpr absl::string_view kNotThere[] = {
    "failed to connect",
    "Failed to connect",
    "Connection refused",
    "No such file or directory",
    "connect failed",
    "Deadline reached before connecting",
    "connections to all backends failing",
    "Name resolution",
    "DNS resolution",
    "Network is unreachable",
    "No route to host",
    "empty address list",
    "channel is in state",
};
constexpr absl::string_view kSilent[] = {
    "keepalive",         "Keepalive",         "ping timeout",
    "Ping timeout",      "Timeout occurred",  "Connection timed out",
    "Deadline Exceeded", "Deadline exceeded",
};
constexpr absl::string_view kBrokenOff[] = {
    "RST_STREAM", "No status received", "Missing status", "stream reset", "Cancelled on the server",
};
constexpr absl::string_view kNoDaemon[] = {
    "http2 header with status", "http1.x server", "HTTP/2 settings", "http status", "content-type",
    "Settings timeout",         "settings frame", "HTTP2 frame",
};

template <size_t count>
bool HasAny(absl::string_view text, const absl::string_view (&words)[count]) {
  return std::any_of(std::begin(words), std::end(words),
                     [text](absl::string_view word) { return absl::StrContains(text, word); });
}

}  // namespace

bool IsHangUp(absl::string_view grpc_message) { return HasAny(grpc_message, kHangUp); }

absl::Status EndedConnection(absl::string_view peer) {
  return absl::UnavailableError(absl::StrCat("the daemon at ", peer, " ended the connection"));
}

absl::Status StatusOfCall(const grpc::Status& status, absl::string_view peer) {
  const absl::Status given =
      StatusFromWire(static_cast<uint32_t>(status.error_code()), status.error_message());
  const absl::string_view why = given.message();
  const auto say = [&](absl::string_view before, absl::string_view after) {
    return absl::Status(given.code(), absl::StrCat(before, peer, after));
  };
  switch (given.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnknown:
      if (HasAny(why, kNoDaemon)) return say("what answers at ", " is no acceld daemon");
      // Checked before kHangUp, because these messages may quote such a text as the reason.
      if (HasAny(why, kNotThere)) return say("no daemon answers at ", "");
      if (HasAny(why, kSilent)) return say("the daemon at ", " does not answer");
      if (HasAny(why, kBrokenOff)) return say("the daemon at ", " broke off the call");
      if (IsHangUp(why)) return say("the daemon at ", " ended the connection");
      if (why.empty()) return say("the daemon at ", " broke off the call without saying why");
      return given;
    case absl::StatusCode::kDeadlineExceeded:
      return HasAny(why, kSilent) || why.empty() ? say("the daemon at ", " does not answer")
                                                 : given;
    case absl::StatusCode::kCancelled:
      if (why.empty() || why == "CANCELLED" || why == "Cancelled" || why == "Call cancelled" ||
          HasAny(why, kBrokenOff)) {
        return absl::UnavailableError(absl::StrCat("the daemon at ", peer, " broke off the call"));
      }
      return given;
    case absl::StatusCode::kResourceExhausted:
      if (absl::StrContains(why, "message larger than max")) {
        return say("refused: the message is larger than the daemon at ", " takes");
      }
      return given;
    case absl::StatusCode::kUnimplemented:
      return why.empty()
                 ? say("the daemon at ", " does not know this call: it is of another version")
                 : given;
    default:
      return given;
  }
}

absl::Status StatusOfCall(const grpc::Status& status, absl::string_view peer, bool cancelled_here) {
  if (cancelled_here && status.error_code() == grpc::StatusCode::CANCELLED) {
    return absl::CancelledError("the client was closed");
  }
  return StatusOfCall(status, peer);
}

}  // namespace acceld::client
