#pragma once

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/ir/builder.h"
#include "common/ir/emitter.h"
#include "common/ir/transform/transposer.h"

// The interface by which a rule says how a linear op is transposed.
namespace acceld::ir {

// The cotangent of the elements of a value from `start` on along `dimension`.
struct CotangentPart {
  int64_t dimension, start;
  ValueId cotangent;
};

// The transpose of one function under construction. Thread-compatible.
class FunctionTransposition {
 public:
  // Keeps references to the first two.
  FunctionTransposition(Transposer& transposer, const Function& source, const Mask& linear);

  absl::StatusOr<Function> Run();

  const Function& source() const { return source_; }
  Transposer& transposer() { return transposer_; }
  FunctionBuilder& builder() { return builder_; }

  // Whether a value of the source depends on the linear arguments.
  bool IsLinear(ValueId id) const { return is_linear_[id]; }
  Mask LinearOf(absl::Span<const ValueId> ids) const;
  // The value of the transpose that stands for `id`, which is not linear.
  ValueId KnownOf(ValueId id) const { return known_of_.at(id); }
  // The sum of the cotangents of a value so far; nullopt if it is zero.
  absl::optional<ValueId> CotangentOf(ValueId id) const;
  void AddCotangent(Emitter& e, ValueId id, ValueId cotangent);
  // Adds a cotangent of a part of a value. Parts that do not overlap are joined when all of them
  // are there, instead of being padded and added.
  void AddPart(ValueId id, const CotangentPart& part) { parts_of_[id].push_back(part); }

 private:
  absl::Status TransposeOp(const Op& op);
  // Adds what AddPart has collected to the cotangents of these values.
  void JoinParts(Emitter& e, absl::Span<const ValueId> ids);

  Transposer& transposer_;
  const Function& source_;
  FunctionBuilder builder_;
  std::vector<bool> is_linear_;                                        // by values of the source
  absl::flat_hash_map<ValueId, ValueId> known_of_;                     // by values of the source
  absl::flat_hash_map<ValueId, ValueId> cotangent_of_;                 // by values of the source
  absl::flat_hash_map<ValueId, std::vector<CotangentPart>> parts_of_;  // by values of the source
};

// The transpose of one op. Thread-compatible.
class Transposition {
 public:
  Transposition(FunctionTransposition& function, const Op& op)
      : emit(function.builder(), op.location), function_(function), op_(op) {}

  // Appends ops to the transpose.
  Emitter emit;

  FunctionTransposition& function() { return function_; }
  const Op& op() const { return op_; }
  template <typename Attributes>
  const Attributes& As() const {
    return op_.As<Attributes>();
  }
  size_t num_operands() const { return op_.operands.size(); }
  const TensorType& operand_type(size_t i) const {
    return function_.source().TensorOf(op_.operands[i]);
  }
  const TensorType& result_type(size_t i = 0) const {
    return function_.source().TensorOf(op_.results[i]);
  }
  bool IsLinear(size_t operand) const { return function_.IsLinear(op_.operands[operand]); }
  // An operand that is not linear.
  ValueId known(size_t operand) const { return function_.KnownOf(op_.operands[operand]); }
  // The cotangent of a result. A rule is called only if one of them has one; ops with one result
  // may ask without checking.
  bool HasCotangent(size_t result) const {
    return function_.CotangentOf(op_.results[result]).has_value();
  }
  ValueId cotangent(size_t result = 0) const { return *function_.CotangentOf(op_.results[result]); }
  ValueId CotangentOrZeros(size_t result);
  // Adds to the cotangent of an operand, if it is linear; does nothing for others.
  void AddCotangent(size_t operand, ValueId cotangent) {
    if (IsLinear(operand)) function_.AddCotangent(emit, op_.operands[operand], cotangent);
  }

  void AddPart(size_t operand, const CotangentPart& part) {
    if (IsLinear(operand)) function_.AddPart(op_.operands[operand], part);
  }

  // Refuses: the op is not linear, because of `why`.
  absl::Status Refuse(absl::string_view why) const;

 private:
  FunctionTransposition& function_;
  const Op& op_;
};

// Declares the rules, Transpose<Kind> for each kind of op; a missing one is a link error. A rule is
// called if an operand of its op, or a value that its regions capture, is linear.
#define ACCELD_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer, Family) \
  absl::Status Transpose##Kind(Transposition& t);
#include "common/ir/ops.def"

// Defines a rule that refuses, for an op that is linear in no operand.
#define ACCELD_NOT_LINEAR(Kind) \
  absl::Status Transpose##Kind(Transposition& t) { return t.Refuse("it is not linear"); }

}  // namespace acceld::ir
