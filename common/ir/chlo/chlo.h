#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "common/ir/builder.h"
#include "common/ir/import/import_op.h"
#include "common/status.h"

// Replaces CHLO ("client HLO") ops by StableHLO ops when a program is read; CHLO ops are no kinds
// of ops.def. Source: the CHLO dialect of openxla/stablehlo.
namespace acceld::ir {

// Whether the op `name` ("chlo.erf_inv") can be expanded.
bool IsChloOp(absl::string_view name);
// Returns the names of all ops that can be expanded, sorted.
std::vector<absl::string_view> ChloOps();

// Appends ops that compute `op` to the builder's open region and returns the results. The caller
// compares their types with the declared types. UNIMPLEMENTED, naming the op, when it cannot be
// expanded, or not for these types; INVALID_ARGUMENT for operands or attributes that it cannot
// have.
absl::StatusOr<std::vector<ValueId>> ExpandChlo(FunctionBuilder& builder, const ImportedOp& op);

}  // namespace acceld::ir
