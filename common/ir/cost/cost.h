#pragma once

#include "absl/strings/string_view.h"
#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::ir {

// The amount of work of a program. The counts are doubles because a short program may perform more
// operations than any integer can hold.
struct Cost {
  double flops = 0;            // arithmetic on single elements, of integers too; a fused
                               // multiply-add is two
  double transcendentals = 0;  // exp, sin, sqrt and the like on single elements
  double bytes_accessed = 0;   // read and written by all ops

  Cost& operator+=(const Cost& other);
  Cost operator*(double times) const;
  friend bool operator==(const Cost&, const Cost&) = default;
};

// Returns the cost of one run of `entry`, which must be verified and static (specialize.h). Ops
// count as the program is written, before any fusion, so bytes that will never leave a register
// count, too. Of branches, the largest value of each count is taken. Custom calls and host
// callbacks count the bytes of their operands and results only.
//
// Counts are those of XLA's HloCostAnalysis, which JAX reports for its own platforms, except:
//  - A loop counts as often as it iterates if the number can be derived from the program
//    (trip_count.h). Other loops count once, as all loops do in XLA.
//  - CHLO ops count as the ops that they are imported as: erf is arithmetic here. XLA expands
//    functions of complex numbers, which are one operation here.
//  - The logarithms of transforms over several dimensions are added.
//  - Bytes are a few percent fewer where XLA puts reshapes before broadcasts.
//
// NOT_FOUND when there is no such function. Takes about as long as visiting each op of the program
// once.
absl::StatusOr<Cost> CostOf(const Module& module, absl::string_view entry);

}  // namespace acceld::ir
