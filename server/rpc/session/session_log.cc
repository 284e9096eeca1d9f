#include "server/rpc/session/session_log.h"

#include <string>

#include "common/log/log.h"
#include "common/rate_limit.h"

namespace acceld::rpc {
namespace {

constexpr size_t kMaxMessageBytes = 500;

std::string Shorten(absl::string_view text) {
  return std::string(text.substr(0, kMaxMessageBytes));
}

}  // namespace

void LogSessionOpened(const SessionInfo& session) {
  static RateLimit limit("session opened", kMaxPerSecond);
  if (!limit.Take()) return;
  LogEvent(LogLevel::kInfo, "session opened",
           {{"session", session.id},
            {"client", session.client_name},
            {"identity", session.identity},
            {"priority", PriorityName(session.priority)}});
}

void LogSessionEnded(const SessionInfo& held, const absl::Status& why, double close_ms) {
  static RateLimit limit("session ended", kMaxPerSecond);
  if (!limit.Take()) return;
  LogEvent(LogLevel::kInfo, "session ended",
           {{"session", held.id},
            {"client", held.client_name},
            {"identity", held.identity},
            {"code", absl::StatusCodeToString(why.code())},
            {"reason", Shorten(why.message())},
            {"age_s", held.age_s},
            {"executions", held.executions},
            {"arrays", held.arrays},
            {"bytes", held.array_bytes},
            {"close_ms", close_ms}});
}

void LogStreamLost(const SessionInfo& session, std::chrono::milliseconds lease) {
  static RateLimit limit("stream lost", kMaxPerSecond);
  if (!limit.Take()) return;
  LogEvent(LogLevel::kInfo, "stream lost",
           {{"session", session.id},
            {"client", session.client_name},
            {"identity", session.identity},
            {"lease_ms", lease.count()}});
}

void LogSessionRefused(const engine::SessionOptions& session, const absl::Status& why) {
  static RateLimit limit("session refused", kMaxPerSecond);
  if (!limit.Take()) return;
  LogEvent(LogLevel::kInfo, "session refused",
           {{"client", session.client_name},
            {"identity", session.identity.name},
            {"code", absl::StatusCodeToString(why.code())},
            {"reason", Shorten(why.message())}});
}

void LogRequestFailed(uint64_t session, absl::string_view kind, uint64_t request,
                      const absl::Status& why) {
  if (!LogEnabled(LogLevel::kDebug)) return;
  LogEvent(LogLevel::kDebug, "request failed",
           {{"session", session},
            {"kind", kind},
            {"request", request},
            {"code", absl::StatusCodeToString(why.code())},
            {"reason", Shorten(why.message())}});
}

}  // namespace acceld::rpc
