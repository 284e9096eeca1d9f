#pragma once

#include <vector>

#include "common/ir/builder.h"
#include "common/ir/import/import_op.h"
#include "common/status.h"

// Expansions of the CHLO ops that are not formulas of the elements of their operands (formulas.h).
namespace acceld::ir {

using Expansion = absl::StatusOr<std::vector<ValueId>>;

// In broadcast.cc: "chlo.broadcast_X", which applies X after its operands (two, or three for
// select) were broadcast as in NumPy: dimensions are aligned from the last one on, and sizes of 1
// are repeated. Shapes must be static. An explicit `broadcast_dimensions` must mean the same.
Expansion ExpandBroadcast(FunctionBuilder& builder, const ImportedOp& op);

// In top_k.cc: the k largest elements along the last dimension, largest first, and their indices as
// i32. Equal elements keep their order. Floats are in total order: NaN is above infinity.
Expansion ExpandTopK(FunctionBuilder& builder, const ImportedOp& op);
// The same for an op whose second operand is k.
Expansion ExpandDynamicTopK(FunctionBuilder& builder, const ImportedOp& op);

// INVALID_ARGUMENT when the op has another number of operands, or an operand that is not a tensor.
absl::Status CheckTensorOperands(const FunctionBuilder& builder, const ImportedOp& op,
                                 size_t count);

}  // namespace acceld::ir
