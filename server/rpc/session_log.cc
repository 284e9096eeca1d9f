#include "server/rpc/session_log.h"

#include <atomic>
#include <string>

#include "common/log.h"

namespace acceld::rpc {
namespace {

constexpr size_t kMaxMessageBytes = 500;

// Lets so many events a second through and counts the others, which a line says that goes before
// the next one. Any thread.
class RateLimit {
 public:
  explicit RateLimit(const char* event) : event_(event) {}

  bool Take() {
    const int64_t second = std::chrono::duration_cast<std::chrono::seconds>(
                               std::chrono::steady_clock::now().time_since_epoch())
                               .count();
    int64_t current = second_.load(std::memory_order_relaxed);
    if (current != second && second_.compare_exchange_strong(current, second)) taken_.store(0);
    if (taken_.fetch_add(1, std::memory_order_relaxed) >= kMaxPerSecond) {
      left_out_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    if (const int64_t count = left_out_.exchange(0, std::memory_order_relaxed); count > 0) {
      LogEvent(LogLevel::kInfo, "lines left out", {{"event", event_}, {"count", count}});
    }
    return true;
  }

 private:
  const char* const event_;
  std::atomic<int64_t> second_{0}, taken_{0}, left_out_{0};
};

std::string Shorten(absl::string_view text) {
  return std::string(text.substr(0, kMaxMessageBytes));
}

}  // namespace

void LogSessionOpened(const engine::SessionInfo& session) {
  static RateLimit limit("session opened");
  if (!limit.Take()) return;
  LogEvent(LogLevel::kInfo, "session opened",
           {{"session", session.id},
            {"client", session.client_name},
            {"identity", session.identity},
            {"priority", engine::PriorityName(session.priority)}});
}

void LogSessionEnded(const engine::SessionInfo& held, const absl::Status& why, double close_ms) {
  static RateLimit limit("session ended");
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

void LogStreamLost(const engine::SessionInfo& session, std::chrono::milliseconds lease) {
  static RateLimit limit("stream lost");
  if (!limit.Take()) return;
  LogEvent(LogLevel::kInfo, "stream lost",
           {{"session", session.id},
            {"client", session.client_name},
            {"identity", session.identity},
            {"lease_ms", lease.count()}});
}

void LogSessionRefused(const engine::SessionOptions& session, const absl::Status& why) {
  static RateLimit limit("session refused");
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
