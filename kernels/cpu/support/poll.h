#pragma once

#include <cstdint>

#include "kernels/cpu/support_abi.h"

namespace acceld::kernels::cpu {

// Called by a run that has found *context->interrupted set, by generated code in particular (a
// PollFunction). Blocks while the run has to pause. Returns kOk if the run continues, kCancelled if
// it has to end.
int32_t PollInterrupts(const LaunchContext* context);

// Polls whether the run is interrupted. Blocks while it has to pause. Returns kOk if it continues,
// kCancelled if it has to end. Costs one load if the run is not interrupted; to be called at least
// after every ten milliseconds of work.
inline int32_t Poll(const LaunchContext& context) {
  if (!*context.interrupted) return static_cast<int32_t>(CodeStatus::kOk);
  return PollInterrupts(&context);
}

// Copies `size_bytes` bytes between ranges that are equal or disjoint, in pieces, with a poll
// before each. Returns a CodeStatus: kOk or kCancelled.
int32_t CopyInPieces(const LaunchContext* context, void* to, const void* from, int64_t size_bytes);

// Fills a range with zeros in the same way.
int32_t ClearInPieces(const LaunchContext* context, void* to, int64_t size_bytes);

}  // namespace acceld::kernels::cpu
