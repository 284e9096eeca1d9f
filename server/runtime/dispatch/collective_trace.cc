#include "server/runtime/dispatch/collective_trace.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/runtime/gang/gang.h"
#include "server/runtime/task.h"

namespace acceld::runtime {
namespace {

using Span = observability::TraceRing::Record;

int64_t Ns(std::chrono::steady_clock::time_point time) {
  return std::chrono::nanoseconds(time.time_since_epoch()).count();
}

// Adds a collective to a span; the first one sets its begin.
void Extend(Span& span, const hal::CollectiveRecord& record) {
  if (span.begin_ns == 0) span.begin_ns = Ns(record.begin);
  span.end_ns = Ns(record.end);
  span.code = static_cast<uint8_t>(record.status.code());
  span.wait_ns += record.wait.count();
  span.bytes += record.bytes;
}

// Records the collectives of one run. Used by one thread at a time.
class CollectiveTrace {
 public:
  // `empty` is a span of the run without times.
  CollectiveTrace(observability::TraceRing& trace, const Span& empty)
      : trace_(trace), empty_(empty), rest_(empty) {}
  ~CollectiveTrace() {
    if (num_rest_ == 0) return;
    const std::string name = absl::StrCat(num_rest_, " more collectives");
    rest_.name = name;
    trace_.Add(rest_);
  }
  CollectiveTrace(const CollectiveTrace&) = delete;
  CollectiveTrace& operator=(const CollectiveTrace&) = delete;

  void Add(const hal::CollectiveRecord& record) {
    if (num_single_ == kMaxCollectiveSpans) {
      ++num_rest_;
      return Extend(rest_, record);
    }
    ++num_single_;
    Span span = empty_;
    span.name = record.name;
    Extend(span, record);
    trace_.Add(span);
  }

 private:
  observability::TraceRing& trace_;
  const Span empty_;
  Span rest_;
  int num_single_ = 0;
  int64_t num_rest_ = 0;
};

}  // namespace

std::function<void(const hal::CollectiveRecord&)> CollectiveTraceOf(observability::TraceRing* trace,
                                                                    int device, const Task& task) {
  if (trace == nullptr || !trace->enabled()) return nullptr;
  const Execution& execution = *task.execution();
  const Span empty = {.kind = SpanKind::kCollective,
                      .express = false,
                      .code = 0,
                      .track = static_cast<uint32_t>(device),
                      .session = task.session,
                      .submitted_ns = 0,
                      .begin_ns = 0,
                      .end_ns = 0,
                      .gang = execution.gang->number(),
                      .participant = static_cast<uint16_t>(execution.participant),
                      .name = {}};
  return [of_run = std::make_shared<CollectiveTrace>(*trace, empty)](
             const hal::CollectiveRecord& record) { of_run->Add(record); };
}

}  // namespace acceld::runtime
