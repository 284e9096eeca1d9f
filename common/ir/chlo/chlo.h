#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/ir/builder.h"
#include "common/status.h"

// CHLO ("client HLO") ops are written out as StableHLO when a program is read; they have no kind of
// their own in ops.def. Source: the CHLO dialect of openxla/stablehlo.
namespace acceld::ir {

// Whether `name` ("chlo.erf_inv") can be expanded.
bool IsChloOp(absl::string_view name);

// Appends the ops that compute `name` of `operands` to the builder's open region and gives the
// results. UNIMPLEMENTED, naming the op, when there is no expansion for it or for these types;
// INVALID_ARGUMENT for a wrong number of operands.
absl::StatusOr<std::vector<ValueId>> ExpandChlo(FunctionBuilder& builder, absl::string_view name,
                                                absl::Span<const ValueId> operands,
                                                Location location);

}  // namespace acceld::ir
