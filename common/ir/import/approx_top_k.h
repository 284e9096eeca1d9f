#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "common/ir/builder.h"
#include "common/ir/import/import_op.h"
#include "common/status.h"

namespace acceld::ir {

// The targets of the custom calls that JAX makes of lax.approx_max_k and lax.approx_min_k. The
// second one, for symbolic sizes, has k as its last operand.
inline constexpr absl::string_view kApproxTopK = "ApproxTopK";
inline constexpr absl::string_view kDynamicApproxTopK = "stablehlo.dynamic_approx_top_k";

// Replaces the custom call `op` by a stable sort of its inputs along one dimension, with the
// function that the call names, and the first elements of the result. This finds all of the
// elements exactly, so it meets every recall target. Source: F. Chern et al., "TPU-KNN", 2022;
// XLA's fallback for devices other than TPUs.
absl::StatusOr<std::vector<ValueId>> ReplaceApproxTopK(FunctionBuilder& builder,
                                                       const ImportedOp& op);

}  // namespace acceld::ir
