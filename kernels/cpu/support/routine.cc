#include "kernels/cpu/support/routine.h"

#include <new>

#include "absl/strings/str_cat.h"
#include "kernels/cpu/routine_key.h"
#include "kernels/cpu/support/routines/routine_run.h"
#include "kernels/cpu/support_state.h"

namespace acceld::kernels::cpu {
namespace {

using RoutineImplementation = absl::Status (*)(const RoutineRun&);

constexpr RoutineImplementation kImplementations[] = {
#define ACCELD_ROUTINE(Kind, name, signature, parameters) Run##Kind,
#include "kernels/ir/routines.def"
};

}  // namespace

int32_t RunRoutine(const LaunchContext* context, const int64_t* descriptor, void* const* places) {
  absl::Status status;
  try {
    const RoutineRun run = ReadRoutine(context, descriptor, places);
    status = kImplementations[static_cast<int>(run.routine)](run);
    if (!status.ok()) status = Annotate(status, NameOf(run.routine));
  } catch (const std::bad_alloc&) {
    status = absl::ResourceExhaustedError("no memory for the workspace of a routine");
  }
  if (status.ok()) return static_cast<int32_t>(CodeStatus::kOk);
  if (absl::IsCancelled(status)) return static_cast<int32_t>(CodeStatus::kCancelled);
  RunState::Of(context).Fail(std::move(status));
  return static_cast<int32_t>(CodeStatus::kFailed);
}

}  // namespace acceld::kernels::cpu
