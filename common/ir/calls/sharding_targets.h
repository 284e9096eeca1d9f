#pragma once

#include "absl/strings/string_view.h"

namespace acceld::ir {

// Whether a custom call with this target says only where a value lies (on which devices, in which
// layout) and gives its operands as they are where one process runs the program. These are the
// targets that JAX and XLA's partitioners write.
constexpr bool IsPlacementTarget(absl::string_view target) {
  return target == "LayoutConstraint" || target == "Sharding" || target == "SPMDFullToShardShape" ||
         target == "SPMDShardToFullShape" || target == "annotate_device_placement" ||
         target == "xla.sdy.FuncResultSharding";
}

// Whether a custom call with this target is written for XLA's older partitioner (GSPMD), or by an
// export of JAX that had to do without Shardy's ops.
constexpr bool IsOldPartitionerTarget(absl::string_view target) {
  return target == "Sharding" || target == "SPMDFullToShardShape" ||
         target == "SPMDShardToFullShape" || target == "xla.sdy.FuncResultSharding";
}

}  // namespace acceld::ir
