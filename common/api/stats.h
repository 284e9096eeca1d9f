#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/api/cache_verdict.h"

// What a daemon counts, as it is at one moment. Plain values.
namespace acceld {

// The counters of counters.def, one field each.
struct Counters {
#define ACCELD_COUNTER(field, Type, Unit, group, text, json, metric, labels, help) \
  uint64_t field = 0;
#include "common/api/counters.def"
#undef ACCELD_COUNTER
};

enum class CounterType : uint8_t { kCounter, kGauge };
enum class CounterUnit : uint8_t { kCount, kBytes, kMilliseconds };

// A row of counters.def, which says what the columns mean.
struct CounterInfo {
  absl::string_view name;
  uint64_t Counters::* field;
  CounterType type;
  CounterUnit unit;
  absl::string_view group, text, json, metric, labels, help;
};

// All rows, in the order of the list.
absl::Span<const CounterInfo> CounterInfos();

// The daemon's use of the cache that daemons share, since its start.
struct RemoteCacheStats {
  std::string url;  // without user and password
  bool read_only = false;
  bool up = true;  // false: it failed lately, and is not asked for a while
  uint64_t bytes_read = 0, bytes_written = 0;            // compressed
  std::vector<std::pair<std::string, uint64_t>> counts;  // "hits", ...
};

// What the engine counts.
struct EngineStats : Counters {
  absl::optional<RemoteCacheStats> remote_cache;  // nullopt: the daemon has none
};

// How the executions and compiles of one identity found their executables, since it was last idle
// for long.
struct IdentityCacheStats {
  std::string identity;  // empty: of sessions without one
  CacheLookups lookups{};
};

// All that a daemon says of itself when it is asked for its counters.
struct ServerStats : EngineStats {
  // By name: all identities for admins, the caller's own for others.
  std::vector<IdentityCacheStats> identities;
  double uptime_s = 0;
  std::string version;
  uint64_t incarnation = 0;  // differs after every restart
  bool draining = false;     // no new sessions are accepted
  // Whether the daemon ends by itself: a while after its last session has ended, or, while it
  // drains, with its last session.
  bool ends_when_idle = false;
};

}  // namespace acceld
