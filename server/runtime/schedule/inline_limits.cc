#include "server/runtime/schedule/inline_limits.h"

namespace acceld::runtime {

bool InlineLimits::IsVeryShort(const Task& task, bool awaited) const {
  const Execution* const execution = task.execution();
  if (execution == nullptr) return task.upload()->size_bytes <= very_short_bytes;
  const hal::Executable& executable = *execution->executable->executable;
  const std::chrono::nanoseconds cost = task.ExpectedRun();
  const std::chrono::nanoseconds max_cost = awaited ? awaited_run : very_short_run;
  if (!executable.steady || cost.count() == 0 || cost > max_cost) return false;
  int64_t size_bytes = executable.arena_bytes;
  for (const auto& output : task.outputs) size_bytes += output->type()->size_bytes();
  return size_bytes <= (awaited ? awaited_bytes : very_short_bytes);
}

bool InlineLimits::MayDispatchInline(const Task& task, int device) const {
  const Execution* const execution = task.execution();
  if (execution == nullptr) return IsVeryShort(task, false);
  if (execution->executable == nullptr || execution->host != nullptr) return false;
  for (const auto& input : execution->inputs) {
    if (input->device() != device) return false;
  }
  if (execution->gang != nullptr) return IsVeryShort(task, false);
  return execution->awaited || IsVeryShort(task, false);
}

}  // namespace acceld::runtime
