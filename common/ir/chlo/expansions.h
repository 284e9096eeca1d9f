#pragma once

#include <vector>

#include "common/ir/builder.h"
#include "common/ir/import/import_op.h"
#include "common/status.h"

// CHLO ops that are more than a formula of their operands' elements.
namespace acceld::ir {

using Expansion = absl::StatusOr<std::vector<ValueId>>;

// broadcast.cc: "chlo.broadcast_X": X after both operands (three for select) were broadcast as
// NumPy does it: aligned at the last dimension, sizes of 1 repeated. Static shapes; an explicit
// `broadcast_dimensions` must say the same.
Expansion ExpandBroadcast(FunctionBuilder& builder, const ImportedOp& op);

// top_k.cc: the k largest elements along the last dimension, largest first, and their indices as
// i32; of equal ones the first. Floats in total order: NaN is above infinity.
Expansion ExpandTopK(FunctionBuilder& builder, const ImportedOp& op);
// The same where k is a second operand.
Expansion ExpandDynamicTopK(FunctionBuilder& builder, const ImportedOp& op);

// INVALID_ARGUMENT when the op has another number of operands, or one that is no tensor.
absl::Status CheckTensorOperands(const FunctionBuilder& builder, const ImportedOp& op,
                                 size_t count);

}  // namespace acceld::ir
