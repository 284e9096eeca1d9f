#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "common/api/cache_verdict.h"
#include "common/api/devices.h"
#include "common/api/executions.h"
#include "common/api/sessions.h"
#include "common/api/stats.h"
#include "common/api/trace_span.h"
#include "common/status.h"
#include "server/engine/activity.h"
#include "server/engine/identity.h"
#include "server/engine/metrics.h"
#include "server/engine/sharing/quota.h"

namespace acceld::engine {

// What the sessions of one identity use together.
struct IdentityInfo {
  std::string identity;  // empty: of sessions without an identity
  QuotaUses quotas;
  CacheLookups cache_lookups{};  // since the identity was last idle for long
};

// What an engine says of itself: for metrics, the status page and the questions of clients. Any
// thread may call; nothing blocks, but the traces are copied, which takes some milliseconds.
class Introspection {
 public:
  virtual ~Introspection() = default;

  // A random number that differs after every restart.
  virtual uint64_t incarnation() const = 0;
  // By number.
  virtual std::vector<DeviceInfo> Devices() const = 0;
  virtual std::vector<MissingDevices> Missing() const = 0;
  virtual EngineStats Stats() const = 0;
  // Open sessions, by number.
  virtual std::vector<SessionInfo> Sessions() const = 0;
  // The sessions that ended last, the last one first: some tens of them (session/ended_sessions.h).
  virtual std::vector<EndedSessionInfo> EndedSessions() const = 0;
  // By device: first the executions that are on it, then those that are suspended.
  virtual std::vector<RunningExecution> Running() const = 0;
  // By name: the identities that use anything, or have lately.
  virtual std::vector<IdentityInfo> Identities() const = 0;
  virtual EngineMetrics Metrics() const = 0;
  // Fills `activity`. Allocates nothing if that has been filled before.
  virtual void ReadActivity(EngineActivity& activity) const = 0;
  // The spans that ended within the last `last`, by the time at which they began.
  // FAILED_PRECONDITION when the engine keeps none (EngineOptions::trace_spans is 0).
  virtual absl::StatusOr<std::vector<TraceSpan>> Trace(std::chrono::nanoseconds last) const = 0;
  // The spans of one session that ended at `since_ns` of the steady clock or later; the same error.
  virtual absl::StatusOr<std::vector<TraceSpan>> SessionTrace(uint64_t session,
                                                              int64_t since_ns) const = 0;
  // The named arrays that `reader` may open.
  virtual std::vector<NamedArrayInfo> NamedArrays(const Identity& reader) const = 0;
};

}  // namespace acceld::engine
