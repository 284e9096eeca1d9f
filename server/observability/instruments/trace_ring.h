#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/api/trace_span.h"

namespace acceld::observability {

// The last spans of the daemon, in a ring of fixed size: the newest replace the oldest. Any thread
// may record, without a lock, a wait or an allocation: some ten stores. Any thread may read
// meanwhile; it misses what is just being written.
class TraceRing {
 public:
  // Longer names are truncated.
  static constexpr size_t kMaxNameBytes = 64;

  // Keeps `capacity` spans, rounded up to a power of two, in 128 bytes each. 0: keeps none.
  explicit TraceRing(size_t capacity);
  ~TraceRing();
  TraceRing(const TraceRing&) = delete;
  TraceRing& operator=(const TraceRing&) = delete;

  bool enabled() const { return slots_ != nullptr; }
  size_t capacity() const { return slots_ == nullptr ? 0 : mask_ + 1; }

  // A span to add, with its name as a view. A span is lost if its writer is delayed while the ring
  // goes round once.
  struct Record {
    SpanKind kind;
    bool express;  // see TraceSpan
    uint8_t code;
    uint32_t track;
    uint64_t session;
    int64_t submitted_ns, begin_ns, end_ns;
    int64_t wait_ns = 0, bytes = 0;
    uint64_t gang = 0;
    uint16_t participant = 0;
    absl::string_view name;
  };
  // Adds a span.
  void Add(const Record& record);

  // Those that ended at `since_ns` or later, by the time at which they began: of one session, or of
  // all.
  std::vector<TraceSpan> Read(int64_t since_ns, absl::optional<uint64_t> session = {}) const;

 private:
  struct Slot;

  uint64_t mask_ = 0;
  std::unique_ptr<Slot[]> slots_;
  alignas(64) std::atomic<uint64_t> next_{0};
};

}  // namespace acceld::observability
