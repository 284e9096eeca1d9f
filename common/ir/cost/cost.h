#pragma once

#include "absl/strings/string_view.h"
#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::ir {

// How much work a program is. Counts, as doubles because a program of a few ops may do more than
// any integer holds.
struct Cost {
  double flops = 0;            // arithmetic on single elements, of integers too; a fused
                               // multiply-add is two
  double transcendentals = 0;  // exp, sin, sqrt and the like on single elements
  double bytes_accessed = 0;   // read and written by all ops

  Cost& operator+=(const Cost& other);
  Cost operator*(double times) const;
  friend bool operator==(const Cost&, const Cost&) = default;
};

// The cost of one run of `entry`, which is verified and static (specialize.h), op by op as the
// program is written: before anything is fused, so bytes that never leave a register count, too.
// Of branches each count is that of the one that has most of it. Custom calls and host callbacks
// count the bytes of their operands and results only.
//
// Counts are those of XLA's HloCostAnalysis, which JAX reports for its own platforms, except:
//   - A loop counts as often as it turns where that can be read off the program (trip_count.h).
//     Other loops count once, as all do in XLA.
//   - CHLO ops count as the ops that they are imported as: erf is arithmetic here. XLA expands
//     functions of complex numbers, which are one operation here.
//   - The logarithms of transforms over several dimensions are added.
//   - Bytes are a few percent fewer where XLA puts reshapes before broadcasts.
//
// NOT_FOUND when there is no such function. Takes about as long as walking the program once.
absl::StatusOr<Cost> CostOf(const Module& module, absl::string_view entry);

}  // namespace acceld::ir
