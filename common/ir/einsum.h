#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/ir/types/type.h"
#include "common/status.h"

namespace acceld::ir {

// The labels of an Einstein summation, one for each dimension of each operand and of the result.
// Dimensions with the same label have the same size and the same index; labels that the result
// lacks are summed over. Sources: StableHLO, "einsum" and "unary_einsum"; NumPy, `einsum`.
struct EinsumLabels {
  using Labels = std::vector<int>;  // the letter's code; larger numbers for the dimensions of "..."
  std::vector<Labels> operands;
  Labels result;

  // Returns the labels that are summed over, in the order of their first appearance.
  Labels Summed() const;
};

// Parses a text like "ab,bc->ac" for operands of these ranks. Labels are ASCII letters. "..."
// stands for the dimensions without a letter; they are matched between operands from the last one
// on. INVALID_ARGUMENT, with the text, for anything else, and for a label that only the result has
// or that it has twice.
absl::StatusOr<EinsumLabels> ReadEinsum(absl::string_view config, absl::Span<const int64_t> ranks);

}  // namespace acceld::ir
