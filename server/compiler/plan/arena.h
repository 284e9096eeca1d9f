#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/status.h"

namespace acceld::compiler {

// A temporary that exists from step `first` to step `last`, both included.
struct Interval {
  int64_t size_bytes = 0;
  int32_t first = 0, last = 0;
};

struct ArenaLayout {
  std::vector<int64_t> offsets;  // by interval
  int64_t size_bytes = 0;
  // What exists at the same time, at most: no layout is smaller.
  int64_t live_bytes = 0;
};

// Places intervals in one block so that two that exist at the same time never overlap: in order of
// their first step, each in the smallest gap that holds it; and where that leaves gaps, and they
// are not too many, in order of their sizes, or of how long they exist, each as low as it can be
// (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020): the
// smallest of these. Offsets are multiples of kernels::kBufferAlignment. RESOURCE_EXHAUSTED past
// 2^60 bytes.
absl::StatusOr<ArenaLayout> LayOutArena(absl::Span<const Interval> intervals);

}  // namespace acceld::compiler
