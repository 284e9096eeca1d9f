#include "server/runtime/dispatch/copy_trace.h"

#include <algorithm>

namespace acceld::runtime {

void CopyTrace::Add(uint64_t session, TimePoint begin, const absl::Status& status) {
  if (trace_ == nullptr) return;
  const int64_t end_ns = std::chrono::steady_clock::now().time_since_epoch().count();
  const int64_t before_ns = last_end_ns_.exchange(end_ns, std::memory_order_relaxed);
  // If two copies end on two threads, they may be traced in the opposite order of their end times.
  const int64_t begin_ns = std::max(begin.time_since_epoch().count(), before_ns);
  trace_->Add({.kind = kind_,
               .code = static_cast<uint8_t>(status.code()),
               .track = static_cast<uint32_t>(device_),
               .session = session,
               .submitted_ns = 0,
               .begin_ns = std::min(begin_ns, end_ns),
               .end_ns = end_ns,
               .name = kind_ == SpanKind::kUpload ? "upload" : "download"});
}

}  // namespace acceld::runtime
