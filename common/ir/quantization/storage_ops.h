#pragma once

#include <vector>

#include "common/ir/import/import_op.h"
#include "common/ir/infer/infer.h"

// Ops that move quantized elements about, or order them, without computing with the reals that
// they stand for: the same ops on the stored integers do the same.
namespace acceld::ir {

// An op with the types of its values as the program declares them.
struct TypedOp {
  const ImportedOp& op;
  std::vector<Type> operands;
  std::vector<InferContext::RegionSignature> regions;

  const std::vector<Type>& results() const { return op.result_types; }
};

// Whether `typed` is such an op.
bool RunsOnStorage(const TypedOp& typed);

// Refuses such an op when the quantizations of its operands, results and regions do not go together
// as its element types must. Element types and shapes of what is stored are not looked at.
absl::Status CheckQuantizations(const TypedOp& typed);

}  // namespace acceld::ir
