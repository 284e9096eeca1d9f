#pragma once

#include <vector>

#include "absl/types/span.h"
#include "common/ir/module.h"
#include "common/status.h"

// Result types of operations. One rule per Infer column of ops.def, in infer_<group>.cc; each
// follows the "Constraints" of its op in the StableHLO specification and refuses operands and
// attributes that break them, naming the op and the values.
namespace acceld::ir {

// What an inference rule may look at.
struct InferContext {
  OpKind kind;
  const OpAttributes& attributes;
  absl::Span<const Type> operands;
  // Parameter and result types of each region, in order.
  struct RegionSignature {
    std::vector<Type> parameters;
    std::vector<Type> results;
  };
  absl::Span<const RegionSignature> regions;
  // The types that the producer declared. Empty where none were given. Ops whose result type does
  // not follow from the rest (reshape, broadcast_in_dim, iota, convert, bitcast_convert,
  // custom_call, reduce_precision's siblings) require it; the others ignore it, and the caller
  // compares.
  absl::Span<const Type> declared;
  // For Call and Composite: the signature of the callee, nullptr when unknown.
  const RegionSignature* callee = nullptr;

  const TensorType& operand(int i) const { return operands[i].tensor(); }
  template <typename Attributes>
  const Attributes& As() const {
    return std::get<Attributes>(attributes);
  }
};

// Checks operand and region counts, operand type classes and the op's rule; gives the result types.
// Result types are valid (ValidateType). Dynamic dimensions of operands give dynamic dimensions.
absl::StatusOr<std::vector<Type>> InferResultTypes(const InferContext& context);

// Refuses declared result types that differ from the inferred ones in number, or are not compatible
// with them (IsCompatible).
absl::Status CheckDeclaredTypes(OpKind kind, absl::Span<const Type> declared,
                                absl::Span<const Type> inferred);

}  // namespace acceld::ir
