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

// Whether it changes between the shape of a whole value and that of one process's shard, so that a
// program with several processes cannot run as one.
constexpr bool IsShardShapeTarget(absl::string_view target) {
  return target == "SPMDFullToShardShape" || target == "SPMDShardToFullShape";
}

}  // namespace acceld::ir
