#include "kernels/cpu/support/routine.h"

#include <new>

#include "absl/strings/str_cat.h"
#include "kernels/cpu/routine_key.h"
#include "kernels/cpu/support/result.h"
#include "kernels/cpu/support/routines/routine_run.h"

namespace acceld::kernels::cpu {
namespace {

using RoutineImplementation = absl::Status (*)(const RoutineRun&);

constexpr RoutineImplementation kImplementations[] = {
#define ACCELD_ROUTINE(Kind, name, signature, parameters) Run##Kind,
#include "kernels/ir/routines.def"
};

bool HasResults(const RoutineRun& run) {
  for (const RoutineBuffer& result : run.results) {
    if (result.size_bytes() > 0) return true;
  }
  return false;
}

}  // namespace

int32_t RunRoutine(const LaunchContext* context, const int64_t* descriptor,
                   void* const* addresses) {
  absl::Status status;
  try {
    const RoutineRun run = ReadRoutine(context, descriptor, addresses);
#if !defined(NDEBUG) || defined(ACCELD_ADDRESS_SANITIZER)
    CheckRun(run);
#endif
    // If the items are empty, the batch may have any number of them.
    if (HasResults(run)) status = kImplementations[static_cast<int>(run.routine)](run);
    if (!status.ok()) status = Annotate(status, NameOf(run.routine));
  } catch (const std::bad_alloc&) {
    status = absl::ResourceExhaustedError("no memory for the workspace of a routine");
  }
  return ResultOf(context, std::move(status));
}

}  // namespace acceld::kernels::cpu
