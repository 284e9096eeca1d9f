#pragma once

#include <algorithm>
#include <iterator>

#include "absl/strings/string_view.h"

namespace acceld::ir {

// Ops with one region, which runs exactly once, with the op's operands as its parameters. A reader
// appends the ops of this region to the region around it and uses the operands for the parameters:
//  sdy.named_computation  a group of ops with a name
//  stablehlo.async_start  may compute at once or later, until its async_done
inline constexpr absl::string_view kInlinedOps[] = {"sdy.named_computation",
                                                    "stablehlo.async_start"};

inline bool IsInlinedOp(absl::string_view name) {
  return std::find(std::begin(kInlinedOps), std::end(kInlinedOps), name) != std::end(kInlinedOps);
}

// The op that waits for the result of an async_start (Importer::Import).
inline constexpr absl::string_view kAsyncDone = "stablehlo.async_done";

}  // namespace acceld::ir
