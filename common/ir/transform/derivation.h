#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "common/ir/builder.h"
#include "common/ir/emitter.h"
#include "common/ir/transform/differentiate.h"

// The interface by which a rule says how an op is differentiated.
namespace acceld::ir {

// The derivative of one function under construction. It has two parts, the known one and the linear
// one, each of which has its builder; where values and tangents are computed together both are the
// same. Thread-compatible.
class FunctionDerivation {
 public:
  enum class Mode { kTogether, kSplit };
  // Keeps references to the first two.
  FunctionDerivation(Differentiator& differentiator, const Function& source, const Mask& active,
                     Mode mode);

  // Differentiates all ops of the source.
  absl::Status Run();
  JvpFunction FinishTogether();
  LinearizedFunction FinishSplit();

  Mode mode() const { return mode_; }
  const Function& source() const { return source_; }
  Differentiator& differentiator() { return differentiator_; }
  FunctionBuilder& known() { return known_; }
  FunctionBuilder& linear() { return mode_ == Mode::kSplit ? linear_ : known_; }

  // The value in the known part that stands for `id`, a value of the source.
  ValueId KnownOf(ValueId id) const { return known_of_.at(id); }
  std::vector<ValueId> KnownOf(absl::Span<const ValueId> ids) const;
  // The tangent in the linear part of a value of the source; nullopt if it is zero.
  absl::optional<ValueId> TangentOf(ValueId id) const;
  bool IsActive(ValueId id) const { return tangent_of_.contains(id); }
  // Whether an op, or the function's results, use the value.
  bool IsUsed(ValueId id) const { return used_[id]; }
  // The value of a constant of the source; nullptr for other values and for captured ones.
  const Literal* ConstantOf(ValueId id) const;
  Mask ActiveOf(absl::Span<const ValueId> ids) const;
  void SetKnown(ValueId id, ValueId value) { known_of_[id] = value; }
  void SetTangent(ValueId id, ValueId tangent) { tangent_of_[id] = tangent; }
  // The value in the linear part that stands for a value of the known part.
  ValueId InLinear(ValueId known);

 private:
  absl::Status Differentiate(const Op& op);
  // Gives the linear part, which is otherwise done, copies of the constants among the residuals,
  // and removes these from the parameters and from `residuals_`.
  void CopyConstantsToLinear(Region& linear);
  Mask ActiveResults() const { return ActiveOf(source_.body.results); }

  Differentiator& differentiator_;
  const Function& source_;
  const Mode mode_;
  FunctionBuilder known_, linear_;
  absl::flat_hash_map<ValueId, ValueId> known_of_, tangent_of_;  // by values of the source
  absl::flat_hash_map<ValueId, ValueId> in_linear_;              // by values of the known part
  std::vector<bool> used_;                                       // by values of the source
  absl::flat_hash_map<ValueId, const Literal*> constants_;       // of the source
  std::vector<ValueId> residuals_;                               // values of the known part
};

// The derivative of one op. For ops other than those of the family Structure, the known part has
// the op already. Tangents that a rule does not set are zero. Thread-compatible.
class Derivation {
 public:
  Derivation(FunctionDerivation& function, const Op& op)
      : known(function.known(), op.location),
        linear(function.linear(), op.location),
        function_(function),
        op_(op) {}

  // Append ops to the two parts.
  Emitter known, linear;

  FunctionDerivation& function() { return function_; }
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

  // Values of the known part.
  ValueId operand(size_t i) const { return function_.KnownOf(op_.operands[i]); }
  ValueId result(size_t i = 0) const { return function_.KnownOf(op_.results[i]); }
  // Values of the linear part. An operand that is not active has no tangent;
  // TangentOrZeros gives zeros for it.
  bool IsActive(size_t operand) const { return function_.IsActive(op_.operands[operand]); }
  ValueId tangent(size_t operand) const { return *function_.TangentOf(op_.operands[operand]); }
  ValueId TangentOrZeros(size_t operand);
  ValueId InLinear(ValueId known_value) { return function_.InLinear(known_value); }

  // The value of an operand that is a constant of the function; nullptr for others.
  const Literal* constant(size_t operand) const {
    return function_.ConstantOf(op_.operands[operand]);
  }

  // Whether anything uses a result.
  bool IsUsed(size_t result) const { return function_.IsUsed(op_.results[result]); }
  // Makes `value` stand for a result in the known part, instead of the op's own.
  void ReplaceResult(size_t result, ValueId value) {
    function_.SetKnown(op_.results[result], value);
  }

  // Returns a copy of the op in the linear part, an op with one result and without regions, with
  // the tangents of the operands `linear_operands`, and with the others as they are.
  ValueId CopyForTangents(std::initializer_list<size_t> linear_operands);
  // Returns copies of the op's regions for an op of the linear part.
  std::vector<Region> CopyRegions();
  // Adds `value` to the tangent of a result; the first one sets it.
  void AddTangent(ValueId value, size_t result = 0);
  // Adds the tangent of an operand multiplied by `factor`, a value of the known part.
  void AddScaled(size_t operand, ValueId factor) {
    AddTangent(linear.Mul(tangent(operand), InLinear(factor)));
  }
  // Refuses: the op has no derivative, because of `why`.
  absl::Status Refuse(absl::string_view why) const;
  // The first error of either emitter.
  absl::Status status() const { return known.ok() ? linear.status() : known.status(); }

 private:
  FunctionDerivation& function_;
  const Op& op_;
};

// Declares the rules, Derive<Kind> for each kind of op; a missing one is a link error. A rule is
// called if an operand of its op, or a value that its regions capture, is active. Rules of the
// family Structure also make the known part of their ops.
#define ACCELD_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer, Family) \
  absl::Status Derive##Kind(Derivation& d);
#include "common/ir/ops.def"

}  // namespace acceld::ir
