#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "common/ir/builder.h"
#include "common/ir/import/import_op.h"
#include "common/status.h"

// CHLO ("client HLO") ops are written out as StableHLO when a program is read; they have no kind of
// their own in ops.def. Source: the CHLO dialect of openxla/stablehlo.
namespace acceld::ir {

// Whether `name` ("chlo.erf_inv") can be expanded.
bool IsChloOp(absl::string_view name);
// The names of all that can, sorted.
std::vector<absl::string_view> ChloOps();

// Appends the ops that compute `op` to the builder's open region and gives the results, whose types
// the caller compares with the declared ones. UNIMPLEMENTED, naming the op, when there is no
// expansion for it or for these types; INVALID_ARGUMENT for operands or attributes that it cannot
// have.
absl::StatusOr<std::vector<ValueId>> ExpandChlo(FunctionBuilder& builder, const ImportedOp& op);

}  // namespace acceld::ir
