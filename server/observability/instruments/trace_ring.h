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

namespace acceld::observability {

// The kind of work that took time. It determines the track on which the span is drawn: copies and
// executions on the tracks of device number `track`, compiles on that of the thread with id
// `track`.
enum class SpanKind : uint8_t {
  kExecution,
  kExpressExecution,  // on an express stream
  kUpload,
  kDownload,
  kCompile,      // a whole compile
  kCompileStep,  // a step within a compile on the same thread
};

// An interval of work that has ended. Times are those of the steady clock, in nanoseconds.
struct Span {
  SpanKind kind = SpanKind::kExecution;
  uint8_t code = 0;  // canonical status code
  uint32_t track = 0;
  uint64_t session = 0;      // 0: no session in particular
  int64_t submitted_ns = 0;  // of executions: when they were submitted
  int64_t begin_ns = 0, end_ns = 0;
  std::string name;
};

// The most recent spans of the daemon, in a ring buffer of fixed size: new spans replace the
// oldest. Any thread may add a span, with about ten stores, without a lock, wait or allocation. Any
// thread may read at the same time; a reader misses spans that are being written.
class TraceRing {
 public:
  // Longer names are truncated.
  static constexpr size_t kMaxNameBytes = 72;

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
    uint8_t code;
    uint32_t track;
    uint64_t session;
    int64_t submitted_ns, begin_ns, end_ns;
    absl::string_view name;
  };
  // Adds a span.
  void Add(const Record& record);

  // Returns the spans that ended at `since_ns` or later, ordered by their begin: those of one
  // session, or all.
  std::vector<Span> Read(int64_t since_ns, absl::optional<uint64_t> session = {}) const;

 private:
  struct Slot;

  uint64_t mask_ = 0;
  std::unique_ptr<Slot[]> slots_;
  alignas(64) std::atomic<uint64_t> next_{0};
};

}  // namespace acceld::observability
