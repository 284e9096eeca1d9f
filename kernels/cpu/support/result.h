#pragma once

#include <utility>

#include "kernels/cpu/run_state.h"
#include "kernels/cpu/support_abi.h"

namespace acceld::kernels::cpu {

// Converts `status` to the CodeStatus that generated code gets. Errors other than CANCELLED are
// recorded in the context's RunState.
inline int32_t ResultOf(const LaunchContext* context, absl::Status status) {
  if (status.ok()) return static_cast<int32_t>(CodeStatus::kOk);
  if (absl::IsCancelled(status)) return static_cast<int32_t>(CodeStatus::kCancelled);
  RunState::Of(context).Fail(std::move(status));
  return static_cast<int32_t>(CodeStatus::kFailed);
}

}  // namespace acceld::kernels::cpu
