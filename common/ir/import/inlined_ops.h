#pragma once

#include <algorithm>
#include <iterator>

#include "absl/strings/string_view.h"

namespace acceld::ir {

// Ops whose one region runs exactly once, where the op stands, on the op's operands. A reader reads
// the ops of the region into the region around it, with the operands under the names of the
// parameters:
//   sdy.manual_computation  computes on one device's part of values, which on the only device of a
//                           mesh is all of them
//   stablehlo.async_start   may compute later, up to its async_done, or at once
inline constexpr absl::string_view kInlinedOps[] = {"sdy.manual_computation",
                                                    "stablehlo.async_start"};

inline bool IsInlinedOp(absl::string_view name) {
  return std::find(std::begin(kInlinedOps), std::end(kInlinedOps), name) != std::end(kInlinedOps);
}

// The end of what async_start began, as the table of ops names it (Importer::Import).
inline constexpr absl::string_view kAsyncDone = "stablehlo.async_done";

}  // namespace acceld::ir
