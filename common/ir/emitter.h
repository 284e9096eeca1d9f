#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "common/ir/builder.h"

namespace acceld::ir {

// Adds ops to a function, with one short method for each common kind of op. The first error (for
// instance a result type that exceeds a limit) is kept in status(); after an error the methods add
// nothing and return meaningless ids, so that a caller needs to check only once, at the end
// (Results). Keeps a reference to the builder. Thread-compatible.
class Emitter {
 public:
  // All ops get the source location `location`.
  explicit Emitter(FunctionBuilder& builder, Location location = {})
      : builder_(builder), location_(location) {}

  const absl::Status& status() const { return status_; }
  // Returns `values`, or status() if that is an error.
  absl::StatusOr<std::vector<ValueId>> Results(std::vector<ValueId> values) const {
    if (!status_.ok()) return status_;
    return values;
  }
  // A copy: new values move the types of others.
  TensorType TypeOf(ValueId x) const { return builder_.TypeOf(x).tensor(); }

  // Whether nothing has failed so far.
  bool ok() const { return status_.ok(); }
  // Keeps the first error.
  void Fail(absl::Status status) { status_.Update(std::move(status)); }

  // Adds an op with one result. `declared` is the result type; it is needed only for those kinds
  // whose result type does not follow from the operands and attributes.
  ValueId Op(OpKind kind, std::vector<ValueId> operands, OpAttributes attributes = NoAttributes{},
             const TensorType* declared = nullptr);

  ValueId Add(ValueId a, ValueId b) { return Op(OpKind::kAdd, {a, b}); }
  ValueId Sub(ValueId a, ValueId b) { return Op(OpKind::kSubtract, {a, b}); }
  ValueId Mul(ValueId a, ValueId b) { return Op(OpKind::kMultiply, {a, b}); }
  ValueId Div(ValueId a, ValueId b) { return Op(OpKind::kDivide, {a, b}); }
  ValueId Or(ValueId a, ValueId b) { return Op(OpKind::kOr, {a, b}); }
  ValueId Xor(ValueId a, ValueId b) { return Op(OpKind::kXor, {a, b}); }
  ValueId Sqrt(ValueId x) { return Op(OpKind::kSqrt, {x}); }
  ValueId Neg(ValueId x) { return Op(OpKind::kNegate, {x}); }
  ValueId Compare(ComparisonDirection direction, ValueId a, ValueId b);
  ValueId Less(ValueId a, ValueId b) { return Compare(ComparisonDirection::kLt, a, b); }
  ValueId Select(ValueId p, ValueId a, ValueId b) { return Op(OpKind::kSelect, {p, a, b}); }
  // Shift every element of `x`, an integer tensor, by `bits`, which is less than the element's
  // width. ShiftRight is a logical shift.
  ValueId ShiftLeft(ValueId x, int64_t bits);
  ValueId ShiftRight(ValueId x, int64_t bits);

  // A tensor of which every element is `value` converted to the element type.
  ValueId Constant(const TensorType& type, double value);
  // A tensor of the (integer) type of `like`, of which every element is `value`.
  ValueId ConstantLike(ValueId like, uint64_t value);
  // A tensor of the type of `like`, of which every element is `value` converted to the element
  // type.
  ValueId Fill(ValueId like, double value) { return ok() ? Constant(TypeOf(like), value) : 0; }
  ValueId Iota(const TensorType& type, int64_t dimension);
  // A ui64 tensor of which each element is its own index in row-major order.
  ValueId LinearIndex(const Dims& dims);

  ValueId Convert(ValueId x, DType dtype);
  // Reinterprets the bits of each element as `dtype`, which has the same width.
  ValueId Bitcast(ValueId x, DType dtype);
  // Splits the bits of each element into elements of the narrower type `dtype`, the lowest bits
  // first, along a new last dimension.
  ValueId BitcastToParts(ValueId x, DType dtype);
  // As stablehlo.broadcast_in_dim: dimension i of `x` is dimension dimensions[i] of the result.
  ValueId Broadcast(ValueId x, const Dims& dims, std::vector<int64_t> dimensions = {});
  ValueId Reshape(ValueId x, Dims dims);
  ValueId Concatenate(std::vector<ValueId> xs, int64_t dimension);
  // The slice of `x` with the indices below limits[d] along each dimension d.
  ValueId SliceTo(ValueId x, const Dims& limits);
  // Element i of a vector, as a scalar.
  ValueId ElementOf(ValueId vector, int64_t i);
  // The sums of `x` over `dimensions`, which the result lacks.
  ValueId Sum(ValueId x, std::vector<int64_t> dimensions);
  // A region of two scalars of an element type, which `kind` combines: that of a reduction.
  Region Reducer(OpKind kind, DType dtype);
  // The same region, whose result says how the scalars compare.
  Region Comparator(ComparisonDirection direction, DType dtype);
  // The same region, whose result is the second scalar.
  Region Replacement(DType dtype);
  // Adds an op with regions and returns its results.
  std::vector<ValueId> OpWithRegions(OpKind kind, std::vector<ValueId> operands,
                                     OpAttributes attributes, std::vector<Region> regions,
                                     size_t num_results = 1);

 private:
  FunctionBuilder& builder_;
  Location location_;
  absl::Status status_;
};

}  // namespace acceld::ir
