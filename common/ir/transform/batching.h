#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/ir/builder.h"
#include "common/ir/emitter.h"
#include "common/ir/transform/batcher.h"

// The interface by which a rule says how an op is batched.
namespace acceld::ir {

// Repeats `value` along a new first dimension.
ValueId ForAll(Emitter& e, ValueId value, int64_t size);

// The batched form of one function under construction. Thread-compatible.
class FunctionBatching {
 public:
  // Keeps references to the first two.
  FunctionBatching(Batcher& batcher, const Function& source, const Mask& batched);

  absl::StatusOr<BatchedFunction> Run();

  const Function& source() const { return source_; }
  Batcher& batcher() { return batcher_; }
  FunctionBuilder& builder() { return builder_; }
  int64_t size() const { return batcher_.size(); }

  bool IsBatched(ValueId id) const { return is_batched_[id]; }
  Mask BatchedOf(absl::Span<const ValueId> ids) const;
  // The value that stands for `id`, a value of the source.
  ValueId ValueOf(ValueId id) const { return value_of_.at(id); }
  std::vector<ValueId> ValuesOf(absl::Span<const ValueId> ids) const;
  void Set(ValueId id, ValueId value, bool batched) {
    value_of_[id] = value;
    is_batched_[id] = batched;
  }
  // The type with the dimension of the examples before the others.
  TensorType BatchedType(const TensorType& type) const;
  // `value`, of a type of one example, for all examples.
  ValueId ForAll(Emitter& e, ValueId value) const { return ir::ForAll(e, value, size()); }

 private:
  Batcher& batcher_;
  const Function& source_;
  FunctionBuilder builder_;
  std::vector<bool> is_batched_;                    // by values of the source
  absl::flat_hash_map<ValueId, ValueId> value_of_;  // by values of the source
};

// The batched form of one op. Thread-compatible.
class Batching {
 public:
  Batching(FunctionBatching& function, const Op& op)
      : emit(function.builder(), op.location), function_(function), op_(op) {}

  // Appends ops to the batched function.
  Emitter emit;

  FunctionBatching& function() { return function_; }
  const Op& op() const { return op_; }
  int64_t size() const { return function_.size(); }
  template <typename Attributes>
  const Attributes& As() const {
    return op_.As<Attributes>();
  }
  size_t num_operands() const { return op_.operands.size(); }
  // The types of one example.
  const TensorType& operand_type(size_t i) const {
    return function_.source().TensorOf(op_.operands[i]);
  }
  const TensorType& result_type(size_t i = 0) const {
    return function_.source().TensorOf(op_.results[i]);
  }
  TensorType BatchedResultType(size_t i = 0) const { return function_.BatchedType(result_type(i)); }

  bool IsBatched(size_t operand) const { return function_.IsBatched(op_.operands[operand]); }
  // An operand as it is, and with the dimension of the examples in any case.
  ValueId operand(size_t i) const { return function_.ValueOf(op_.operands[i]); }
  ValueId BatchedOperand(size_t i) {
    return IsBatched(i) ? operand(i) : function_.ForAll(emit, operand(i));
  }
  std::vector<ValueId> BatchedOperands();
  // Sets a result, which is batched.
  void SetResult(ValueId value, size_t result = 0) {
    function_.Set(op_.results[result], value, /*batched=*/true);
  }
  // Adds the op with these operands and attributes and without regions as the only result.
  void SetOp(std::vector<ValueId> operands, OpAttributes attributes) {
    const TensorType type = BatchedResultType();
    SetResult(emit.Op(op_.kind, std::move(operands), std::move(attributes), &type));
  }
  // Adds the op with a copy of its regions, which must not capture batched values; all its results.
  void SetOpWithRegions(std::vector<ValueId> operands, OpAttributes attributes);
  bool RegionsCaptureBatched() const;

  // Computes one example after the other, in a loop.
  absl::Status OneByOne();

  absl::Status Refuse(absl::string_view why) const;

 private:
  FunctionBatching& function_;
  const Op& op_;
};

// Declares the rules, Batch<Kind> for each kind of op; a missing one is a link error. A rule is
// called if an operand of its op, or a value that its regions capture, is batched. It sets all
// results.
#define ACCELD_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer, Family) \
  absl::Status Batch##Kind(Batching& b);
#include "common/ir/ops.def"

}  // namespace acceld::ir
