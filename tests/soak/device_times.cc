#include "tests/soak/device_times.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "tests/soak/fleet.h"

namespace acceld::soak {

absl::Status DeviceTimes::Sample(const client::Admin& daemon, double seconds) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::SessionInfo> sessions, daemon.ListSessions());
  std::set<uint64_t> interactive;
  for (const client::SessionInfo& session : sessions) {
    if (session.priority == client::Priority::kInteractive) interactive.insert(session.id);
  }
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::TraceSpan> trace, daemon.GetTrace(seconds));
  for (const client::TraceSpan& span : trace) {
    if (span.kind != SpanKind::kExecution) continue;
    const double running_us = static_cast<double>(span.end_ns - span.begin_ns) / 1e3;
    if (interactive.count(span.session) == 0) {
      others_us_.push_back(running_us);
      continue;
    }
    queued_us_.push_back(static_cast<double>(span.begin_ns - span.submitted_ns) / 1e3);
    running_us_.push_back(running_us);
  }
  return absl::OkStatus();
}

void DeviceTimes::Print() {
  const auto print = [](const char* what, std::vector<double>& times) {
    std::sort(times.begin(), times.end());
    std::printf("  %-26s p50 %8.0f us  p99 %8.0f us  max %8.0f us\n", what, Quantile(times, 0.5),
                Quantile(times, 0.99), Quantile(times, 1));
  };
  print("waits for the device", queued_us_);
  print("runs there", running_us_);
  print("others run there", others_us_);
}

}  // namespace acceld::soak
