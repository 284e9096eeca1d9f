#include "server/runtime/schedule/run_limits.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "server/runtime/task.h"

namespace acceld::runtime {
namespace {

// How long an execution that was ended because of a stall has to end before the next one is.
constexpr std::chrono::seconds kEnding{1};

}  // namespace

RunLimits::TimePoint RunLimits::NextMaxRun() const {
  TimePoint next = TimePoint::max();
  for (const std::unique_ptr<ComputeStream>& stream : streams_.all()) {
    if (stream->tasks.empty() || stream->is_paused) continue;
    const Task& task = *stream->tasks.front();
    if (task.max_run.count() == 0 || task.is_cancelled()) continue;
    next = std::min(next, stream->slice_began + (task.max_run - stream->ran_before));
  }
  return next;
}

void RunLimits::EndPastMaxRun(TimePoint now, Ended& ended) {
  for (const std::unique_ptr<ComputeStream>& stream : streams_.all()) {
    if (stream->tasks.empty()) continue;
    Task& task = *stream->tasks.front();
    if (task.max_run.count() == 0 || task.is_cancelled() ||
        stream->TimeOnDevice(now) < task.max_run) {
      continue;
    }
    ended.emplace_back(task.shared_from_this(), task.max_run_error);
    task.max_run = std::chrono::nanoseconds(0);
  }
}

RunLimits::TimePoint RunLimits::NextStall() const {
  TimePoint next = TimePoint::max();
  if (stall_timeout_.count() == 0) return next;
  for (const std::unique_ptr<ComputeStream>& stream : streams_.all()) {
    if (stream->tasks.empty() || stream->is_paused || !stream->tasks.front()->is_short()) continue;
    next = std::min(next, stream->slice_began + (stall_timeout_ - stream->ran_before));
  }
  return next == TimePoint::max() ? next : std::max(next, last_stall_ + kEnding);
}

void RunLimits::EndStall(TimePoint now, Ended& ended) {
  last_stall_ = now;
  std::chrono::nanoseconds longest = stall_timeout_;
  Task* cause = nullptr;
  for (const std::unique_ptr<ComputeStream>& stream : streams_.all()) {
    if (stream->tasks.empty() || stream->is_paused) continue;
    Task& task = *stream->tasks.front();
    const std::chrono::nanoseconds took = stream->TimeOnDevice(now);
    if (took <= longest || task.is_short() || task.is_cancelled()) continue;
    longest = took;
    cause = &task;
  }
  if (cause == nullptr) return;
  ended.emplace_back(cause->shared_from_this(),
                     absl::ResourceExhaustedError(absl::StrCat(
                         "it has had the device for ",
                         std::chrono::duration_cast<std::chrono::milliseconds>(longest).count(),
                         " ms, where it cannot give way, and short executions of others did not "
                         "end within ",
                         stall_timeout_.count(), " ms (stall-timeout)")));
}

}  // namespace acceld::runtime
