#include "client/transport/session_trace.h"

#include <cstdint>
#include <functional>
#include <memory>

#include "client/transport/clock_offset.h"
#include "client/transport/dial/call_status.h"
#include "common/api/wire.h"

namespace acceld::client {
namespace {

constexpr std::chrono::seconds kTimeout{60};
constexpr int kReadings = 3;

int64_t NowNs() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

// Calls `take` for each chunk with the spans that have ended since `since_ns`, by the daemon's
// clock.
absl::Status Ask(Dialer& dialer, const std::string& session_token, int64_t since_ns,
                 const std::function<void(const v1::TraceChunk&)>& take) {
  ACCELD_ASSIGN_OR_RETURN(const std::shared_ptr<RpcChannel> line, dialer.Get());
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kTimeout);
  v1::GetSessionTraceRequest request;
  request.set_session_token(session_token);
  request.set_since_ns(since_ns);
  const auto stream = line->stub.GetSessionTrace(&context, request);
  v1::TraceChunk chunk;
  while (stream->Read(&chunk)) take(chunk);
  return StatusOfCall(stream->Finish(), dialer.peer());
}

absl::StatusOr<ClockReading> ReadClock(Dialer& dialer, const std::string& session_token) {
  ClockReading reading{.before_ns = NowNs()};
  ACCELD_RETURN_IF_ERROR(Ask(dialer, session_token, INT64_MAX, [&](const v1::TraceChunk& chunk) {
    reading.daemon_ns = chunk.now_ns();
    reading.after_ns = NowNs();
  }));
  if (reading.daemon_ns != 0) return reading;
  return absl::InternalError("the daemon has not said what time it is");
}

}  // namespace

absl::StatusOr<std::vector<TraceSpan>> ReadSessionTrace(
    Dialer& dialer, const std::string& session_token, std::chrono::steady_clock::time_point since) {
  std::vector<ClockReading> readings;
  for (int i = 0; i < kReadings; ++i) {
    ACCELD_ASSIGN_OR_RETURN(readings.emplace_back(), ReadClock(dialer, session_token));
  }
  const int64_t offset_ns = OffsetOf(readings);
  std::vector<TraceSpan> spans;
  ACCELD_RETURN_IF_ERROR(Ask(dialer, session_token, since.time_since_epoch().count() + offset_ns,
                             [&](const v1::TraceChunk& chunk) {
                               for (const v1::TraceSpan& span : chunk.spans()) {
                                 spans.push_back(FromProto(span));
                               }
                             }));
  for (TraceSpan& span : spans) {
    span.begin_ns -= offset_ns;
    span.end_ns -= offset_ns;
    if (span.submitted_ns != 0) span.submitted_ns -= offset_ns;
  }
  return spans;
}

}  // namespace acceld::client
