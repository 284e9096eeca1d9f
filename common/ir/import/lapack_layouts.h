#pragma once

#include <cstdint>
#include <vector>

#include "common/ir/builder.h"
#include "common/ir/import/import_op.h"
#include "common/status.h"

// The layouts of custom calls of LAPACK's functions (targets lapack_*_ffi). Such a function is
// handed bytes: it takes matrices as column-major and everything else, batches too, as row-major.
// An operand or result that the call lays out so, as JAX does, is the matrix itself; for any other
// layout the same bytes are another matrix. Values here have no layouts, so these are written as
// transposes and reshapes around the call, and a call without layouts is of the matrices
// themselves.
namespace acceld::ir {

// Minor-to-major orders of dimensions; empty lists where the call gives none or is no such call.
struct LapackLayouts {
  std::vector<std::vector<int64_t>> operands, results;
  int64_t matrix_rank = 0;  // of a matrix with its batch
};

// Reads the attributes operand_layouts and result_layouts. INVALID_ARGUMENT for what is not one
// permutation for each operand or result.
absl::StatusOr<LapackLayouts> ReadLapackLayouts(const FunctionBuilder& builder,
                                                const ImportedOp& op);

// What the function finds in its operands, and what the program finds in the results of the
// function. Values in a usual layout are given back as they are. UNIMPLEMENTED for others whose
// size is dynamic.
absl::StatusOr<std::vector<ValueId>> LayOutOperands(FunctionBuilder& builder,
                                                    const LapackLayouts& layouts,
                                                    std::vector<ValueId> operands,
                                                    Location location);
absl::StatusOr<std::vector<ValueId>> LayOutResults(FunctionBuilder& builder,
                                                   const LapackLayouts& layouts,
                                                   std::vector<ValueId> results, Location location);

}  // namespace acceld::ir
