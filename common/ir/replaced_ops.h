#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "common/ir/builder.h"
#include "common/ir/import_op.h"
#include "common/status.h"

namespace acceld::ir {

// Ops of programs that are other ops when a program runs in one process on one device: those of
// CHLO (chlo/chlo.h), older spellings (dot, broadcast), and what asks about other devices
// (partition_id, sharding constraints).
bool IsReplacedOp(absl::string_view name);
// The names of all of them, sorted.
std::vector<absl::string_view> ReplacedOps();

// Appends what stands for `op` to the builder's open region and gives its results, whose types the
// caller compares with the declared ones. UNIMPLEMENTED naming the op for types it does not have;
// INVALID_ARGUMENT for operands or attributes that it cannot have.
absl::StatusOr<std::vector<ValueId>> ReplaceOp(FunctionBuilder& builder, const ImportedOp& op);

// The CHLO op that a custom call stands for, as XLA's plugins see them: target "mhlo.erf", the op's
// attributes in `mhlo.attributes`. False, and `op` unchanged, for any other op.
absl::StatusOr<bool> UnwrapChloCall(ImportedOp& op);

// The same for what JAX writes where the sizes of a window are symbolic: a custom call
// @stablehlo.dynamic_reduce_window, whose reducer is a function. Becomes the op of that name, with
// a region that calls the function.
absl::StatusOr<bool> UnwrapDynamicCall(FunctionBuilder& builder, ImportedOp& op);

}  // namespace acceld::ir
