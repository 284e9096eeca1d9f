#include "common/check.h"
#include "kernels/cpu/support/routines/routine_run.h"
#include "kernels/ir/plan.h"

#if defined(ACCELD_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace acceld::kernels::cpu {
namespace {

ir::TensorType TypeOf(const RoutineBuffer& buffer) {
  return {buffer.dtype, ir::Dims(buffer.dims.begin(), buffer.dims.end())};
}

void CheckMemory(const RoutineBuffer& buffer) {
  if (buffer.size_bytes() == 0) return;
  ACCELD_CHECK(buffer.data != nullptr);
  ACCELD_CHECK(reinterpret_cast<uintptr_t>(buffer.data) % kBufferAlignment == 0);
#if defined(ACCELD_ADDRESS_SANITIZER)
  ACCELD_CHECK(__asan_region_is_poisoned(buffer.data, static_cast<size_t>(buffer.size_bytes())) ==
               nullptr);
#endif
}

// Checks that a result and another buffer share no bytes. A result may coincide entirely with an
// operand.
void CheckOverlap(const RoutineBuffer& result, const RoutineBuffer& other, bool is_operand) {
  if (is_operand && result.data == other.data) return;
  ACCELD_CHECK(result.data + result.size_bytes() <= other.data ||
               other.data + other.size_bytes() <= result.data);
}

}  // namespace

void CheckRun(const RoutineRun& run) {
  RoutineCall call{run.routine, run.parameters, {}, {}};
  for (const RoutineBuffer& operand : run.operands) call.operands.push_back(TypeOf(operand));
  for (const RoutineBuffer& result : run.results) call.results.push_back(TypeOf(result));
  ACCELD_CHECK(CheckRoutine(call).ok());
  ACCELD_CHECK(BatchRankOf(call) == run.batch_rank);
  for (const RoutineBuffer& operand : run.operands) CheckMemory(operand);
  for (size_t i = 0; i < run.results.size(); ++i) {
    CheckMemory(run.results[i]);
    if (run.results[i].size_bytes() == 0) continue;
    for (const RoutineBuffer& operand : run.operands) {
      if (operand.size_bytes() > 0) CheckOverlap(run.results[i], operand, /*is_operand=*/true);
    }
    for (size_t j = 0; j < i; ++j) {
      if (run.results[j].size_bytes() > 0) {
        CheckOverlap(run.results[i], run.results[j], /*is_operand=*/false);
      }
    }
  }
}

}  // namespace acceld::kernels::cpu
