#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/log/log_history.h"
#include "server/engine/introspection.h"
#include "server/observability/history/history_recorder.h"
#include "server/observability/identity_usage.h"

namespace acceld::observability {

// The contents of the status page as plain data. Strings may contain any bytes, as names come from
// clients, drivers and other hosts.
struct DaemonStatus {
  std::string version;
  std::chrono::system_clock::time_point time;
  double uptime_s = 0;
  bool accepting = true;  // false: it drains or stops
  std::vector<DeviceInfo> devices;
  std::vector<MissingDevices> missing;
  EngineStats stats;
  engine::EngineMetrics metrics;  // of the same devices, in their order
  History history;                // of the same devices
  std::vector<IdentityUsage> identities;
  std::vector<LogEntry> trouble;  // recent warnings and errors, the newest first
};

// How executions have ended, on one device or on all.
struct Outcomes {
  uint64_t ok = 0, failed = 0, cancelled = 0;
};
// Sums up the counts of status codes.
Outcomes OutcomesOf(const CountsByCode& counts);

// Reads the status of a running daemon, and records its last hour from its own start on. May be
// called by any thread; takes locks for a short time and does no I/O.
class StatusSource {
 public:
  // `accepting` is asked each time, from any thread; what it needs and the engine outlive this.
  StatusSource(const engine::Introspection& engine, std::string version,
               std::function<bool()> accepting);

  // Returns the present status.
  DaemonStatus Gather() const;

 private:
  const engine::Introspection& engine_;
  const std::string version_;
  const std::function<bool()> accepting_;
  const HistoryRecorder recorder_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace acceld::observability
