#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "common/status.h"
#include "server/observability/instruments/trace_ring.h"

namespace acceld::runtime {

// Records the copies of one stream to or from the host in the trace. Thread-safe.
class CopyTrace {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // `trace` may be nullptr: nothing is recorded. `kind` is kUpload or kDownload.
  CopyTrace(observability::TraceRing* trace, SpanKind kind, int device)
      : trace_(trace), kind_(kind), device_(device) {}

  // Returns the time at which a copy begins, for Add.
  TimePoint Begin() const {
    return trace_ != nullptr ? std::chrono::steady_clock::now() : TimePoint();
  }
  // Records a copy for a session that has ended now with `status`.
  void Add(uint64_t session, TimePoint begin, const absl::Status& status);

 private:
  observability::TraceRing* const trace_;
  const SpanKind kind_;
  const int device_;
  std::atomic<int64_t> last_end_ns_{0};  // copies of one stream end in order
};

}  // namespace acceld::runtime
