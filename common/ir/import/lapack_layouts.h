#pragma once

#include <cstdint>
#include <vector>

#include "common/ir/builder.h"
#include "common/ir/import/import_op.h"
#include "common/status.h"

// The layouts of custom calls of LAPACK functions (targets lapack_*_ffi). Such a function reads and
// writes bytes: matrices in column-major order and everything else, also batches, in row-major
// order. An operand or result with these layouts, which JAX uses, is the matrix itself; with
// another layout the same bytes are another matrix. As values have no layouts here, other layouts
// are expressed by transposes and reshapes around the call. A call without layouts takes the
// matrices themselves.
namespace acceld::ir {

// The orders of dimensions, from minor to major. The lists are empty where the call has no layouts,
// and for other ops.
struct LapackLayouts {
  std::vector<std::vector<int64_t>> operands, results;
  int64_t matrix_rank = 0;  // of a matrix with its batch dimensions
};

// Reads the attributes operand_layouts and result_layouts. INVALID_ARGUMENT when they are not one
// permutation for each operand or result.
absl::StatusOr<LapackLayouts> ReadLapackLayouts(const FunctionBuilder& builder,
                                                const ImportedOp& op);

// LayOutOperands returns the values that the function sees in its operands' bytes; LayOutResults
// those that the program sees in the results' bytes. Values in a usual layout are returned as they
// are. UNIMPLEMENTED for other layouts of values whose size is dynamic.
absl::StatusOr<std::vector<ValueId>> LayOutOperands(FunctionBuilder& builder,
                                                    const LapackLayouts& layouts,
                                                    std::vector<ValueId> operands,
                                                    Location location);
absl::StatusOr<std::vector<ValueId>> LayOutResults(FunctionBuilder& builder,
                                                   const LapackLayouts& layouts,
                                                   std::vector<ValueId> results, Location location);

}  // namespace acceld::ir
