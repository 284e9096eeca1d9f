#pragma once

#include <vector>

#include "absl/types/span.h"
#include "common/ir/module.h"
#include "common/status.h"

// Infers the result types of operations. There is one rule for each name in the column Infer of
// ops.def. It follows the "Constraints" of the op in the StableHLO specification and refuses
// operands and attributes that violate them, with the op and the values in the message.
namespace acceld::ir {

// The input of an inference rule.
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
  // The result types that the producer of the program declared; empty if there are none. Ops whose
  // result types do not follow from the rest need them (convert, bitcast_convert, reshape,
  // broadcast_in_dim, iota, custom_call, rng, rng_bit_generator and most dynamic ops); dot_general
  // and convolution take their element type from them. Other ops ignore them, and the caller
  // compares.
  absl::Span<const Type> declared;
  // For Call and Composite: the signature of the callee; nullptr if it is unknown.
  const RegionSignature* callee = nullptr;

  const TensorType& operand(int i) const { return operands[i].tensor(); }
  template <typename Attributes>
  const Attributes& As() const {
    return std::get<Attributes>(attributes);
  }
};

// Checks the numbers of operands and regions, the element types of operands, and the op's rule.
// Returns the result types, which are valid (ValidateType). Dynamic dimensions of operands make
// dynamic dimensions of results.
absl::StatusOr<std::vector<Type>> InferResultTypes(const InferContext& context);

// Returns an error if the declared result types differ from the inferred types in number or are not
// compatible with them (IsCompatible).
absl::Status CheckDeclaredTypes(OpKind kind, absl::Span<const Type> declared,
                                absl::Span<const Type> inferred);

}  // namespace acceld::ir
