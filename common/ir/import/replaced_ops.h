#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "common/ir/builder.h"
#include "common/ir/import/import_op.h"
#include "common/status.h"

namespace acceld::ir {

// Whether ops of this name are replaced by other ops when a program is read, because ops.def has no
// kind for them: CHLO ops (chlo/chlo.h) and older spellings (dot, broadcast, cross-replica-sum).
bool IsReplacedOp(absl::string_view name);
// Returns the names of all such ops, sorted.
std::vector<absl::string_view> ReplacedOps();

// Appends the ops that replace `op` to the builder's open region and returns its results, whose
// types the caller compares with the declared types. UNIMPLEMENTED, naming the op, for types that
// are not supported; INVALID_ARGUMENT for operands or attributes that the op cannot have.
absl::StatusOr<std::vector<ValueId>> ReplaceOp(FunctionBuilder& builder, const ImportedOp& op);

}  // namespace acceld::ir
