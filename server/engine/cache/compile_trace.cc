#include "server/engine/cache/compile_trace.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace acceld::engine {
namespace {

int64_t Ns(std::chrono::steady_clock::time_point time) { return time.time_since_epoch().count(); }

}  // namespace

void TraceCompile(absl::string_view program_name, uint64_t session,
                  std::chrono::steady_clock::time_point begin,
                  absl::Span<const compiler::CompileStep> steps, const absl::Status& status,
                  observability::TraceRing& trace) {
  if (!trace.enabled()) return;
  const auto thread = static_cast<uint32_t>(syscall(SYS_gettid));
  for (const compiler::CompileStep& step : steps) {
    trace.Add({.kind = SpanKind::kCompileStep,
               .code = 0,
               .track = thread,
               .session = session,
               .submitted_ns = 0,
               .begin_ns = Ns(step.begin),
               .end_ns = Ns(step.end),
               .name = step.name});
  }
  trace.Add({.kind = SpanKind::kCompile,
             .code = static_cast<uint8_t>(status.code()),
             .track = thread,
             .session = session,
             .submitted_ns = 0,
             .begin_ns = Ns(begin),
             .end_ns = Ns(std::chrono::steady_clock::now()),
             .name = program_name});
}

}  // namespace acceld::engine
