#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "common/ir/builder.h"
#include "common/ir/import/import_op.h"
#include "common/status.h"

namespace acceld::ir {

// Ops of programs that are other ops when a program runs in one process on one device: those of
// CHLO (chlo/chlo.h), older spellings (dot, broadcast), collectives (collectives.h), and what asks
// about other devices (partition_id, sharding constraints).
bool IsReplacedOp(absl::string_view name);
// The names of all of them, sorted.
std::vector<absl::string_view> ReplacedOps();

// Appends what stands for `op` to the builder's open region and gives its results, whose types the
// caller compares with the declared ones. UNIMPLEMENTED naming the op for types it does not have;
// INVALID_ARGUMENT for operands or attributes that it cannot have.
absl::StatusOr<std::vector<ValueId>> ReplaceOp(FunctionBuilder& builder, const ImportedOp& op);

}  // namespace acceld::ir
