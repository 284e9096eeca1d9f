#pragma once

#include <vector>

#include "common/ir/import/import_op.h"
#include "common/ir/infer/infer.h"

// Ops that only move or order quantized elements, and do not compute with the real numbers that
// these represent. Such an op can be applied to the stored integers instead.
namespace acceld::ir {

// An op with the types of its values that the program declares.
struct TypedOp {
  const ImportedOp& op;
  std::vector<Type> operands;
  std::vector<InferContext::RegionSignature> regions;

  const std::vector<Type>& results() const { return op.result_types; }
};

// Whether `typed` can be applied to the stored integers.
bool RunsOnStorage(const TypedOp& typed);

// For an op with RunsOnStorage: returns an error if the quantizations of its operands, results and
// regions differ where the op's rule requires equal element types. Shapes and element types of the
// stored values are not checked.
absl::Status CheckQuantizations(const TypedOp& typed);

}  // namespace acceld::ir
