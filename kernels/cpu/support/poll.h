#pragma once

#include <cstdint>

#include "kernels/cpu/support_abi.h"

namespace acceld::kernels::cpu {

// For a run that found its context interrupted: blocks while it is to pause, then answers kOk, or
// kCancelled when it is to end. What generated code calls.
int32_t PollInterrupts(const LaunchContext* context);

// Whether the run goes on: kOk, or kCancelled when it is to end. Blocks while it is to pause. Costs
// one load when nothing is wanted of the run, so call it at least every ten milliseconds of work.
inline int32_t Poll(const LaunchContext& context) {
  if (!*context.interrupted) return static_cast<int32_t>(CodeStatus::kOk);
  return PollInterrupts(&context);
}

// Copies between ranges that are equal or disjoint, in pieces, with a poll between them.
int32_t CopyInPieces(const LaunchContext* context, void* to, const void* from, int64_t size_bytes);

// Makes bytes zero in the same way.
int32_t ClearInPieces(const LaunchContext* context, void* to, int64_t size_bytes);

}  // namespace acceld::kernels::cpu
