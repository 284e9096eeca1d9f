#include "server/rpc/protobuf_log.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "common/log/log.h"
#include "google/protobuf/stubs/logging.h"

namespace acceld::rpc {
namespace {

constexpr std::chrono::nanoseconds kInterval = std::chrono::minutes(1);

void Handle(google::protobuf::LogLevel level, const char* file, int line,
            const std::string& message) {
  if (level == google::protobuf::LOGLEVEL_FATAL) {
    return LogError("protobuf: ", file, ":", line, ": ", message);  // protobuf then aborts
  }
  // The state is global because the library accepts only a plain function: the time on the steady
  // clock from which on the next message may be logged, and how many were not logged since the last
  // one that was.
  static std::atomic<int64_t> next_ns{0};
  static std::atomic<uint64_t> suppressed{0};
  const int64_t now_ns = std::chrono::steady_clock::now().time_since_epoch().count();
  int64_t next = next_ns.load(std::memory_order_relaxed);
  if (now_ns < next || !next_ns.compare_exchange_strong(next, now_ns + kInterval.count())) {
    suppressed.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  LogWarning("protobuf: ", message, " (", suppressed.exchange(0, std::memory_order_relaxed),
             " such messages were not logged before)");
}

}  // namespace

void RedirectProtobufLog() { google::protobuf::SetLogHandler(&Handle); }

}  // namespace acceld::rpc
