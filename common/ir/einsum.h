#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/ir/types/type.h"
#include "common/status.h"

namespace acceld::ir {

// The labels of an Einstein summation, one for each dimension: dimensions with the same label have
// one size and run together; a label that the result lacks is summed over. Sources: StableHLO,
// "einsum" and "unary_einsum"; NumPy, `einsum`.
struct EinsumLabels {
  using Labels = std::vector<int>;  // a letter's code, or above all letters for one under "..."
  std::vector<Labels> operands;
  Labels result;

  // Those that are summed over, by their first appearance.
  Labels Summed() const;
};

// Reads "ab,bc->ac" for operands of these ranks. Labels are ASCII letters. "..." stands for the
// dimensions that the letters leave, the last one the same in all operands. INVALID_ARGUMENT with
// the text for anything else, a label that only the result has or that it has twice.
absl::StatusOr<EinsumLabels> ReadEinsum(absl::string_view config, absl::Span<const int64_t> ranks);

}  // namespace acceld::ir
