#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "common/ir/builder.h"
#include "common/ir/import/import_op.h"
#include "common/status.h"

namespace acceld::ir {

// The targets of the custom calls that JAX makes of lax.approx_max_k and lax.approx_min_k; the
// second has k as its last operand, for symbolic sizes.
inline constexpr absl::string_view kApproxTopK = "ApproxTopK";
inline constexpr absl::string_view kDynamicApproxTopK = "stablehlo.dynamic_approx_top_k";

// The call's inputs, sorted along one dimension by the function that it names, as far as its
// results reach: all that is asked for is found, so every recall target is met. Of equal elements
// the first. Source: F. Chern et al., "TPU-KNN", 2022; XLA's fallback for devices other than TPUs.
absl::StatusOr<std::vector<ValueId>> ReplaceApproxTopK(FunctionBuilder& builder,
                                                       const ImportedOp& op);

}  // namespace acceld::ir
