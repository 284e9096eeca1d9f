#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "common/ir/builder.h"
#include "server/compiler/decompose/decomposition.h"

namespace acceld::compiler {

// Adds ops to a decomposition, with one short method for each common kind of op. All ops get the
// source location of the op that is being replaced. The first error (for instance a result type
// that exceeds a limit) is kept in status(); after an error the methods add nothing and return
// meaningless ids, so that a caller needs to check only once, at the end (Results). Keeps a
// reference to the decomposition's builder. Thread-compatible.
class Emitter {
 public:
  explicit Emitter(Decomposition& d) : builder_(d.builder()), location_(d.op().location) {}

  const absl::Status& status() const { return status_; }
  // Returns `values`, or status() if that is an error.
  DecompositionResult Results(std::vector<ir::ValueId> values) const {
    if (!status_.ok()) return status_;
    return values;
  }
  const ir::TensorType& TypeOf(ir::ValueId x) const { return builder_.TypeOf(x).tensor(); }

  // Adds an op with one result. `declared` is the result type; it is needed only for those kinds
  // whose result type does not follow from the operands and attributes.
  ir::ValueId Op(ir::OpKind kind, std::vector<ir::ValueId> operands,
                 ir::OpAttributes attributes = ir::NoAttributes{},
                 const ir::TensorType* declared = nullptr);

  ir::ValueId Add(ir::ValueId a, ir::ValueId b) { return Op(ir::OpKind::kAdd, {a, b}); }
  ir::ValueId Sub(ir::ValueId a, ir::ValueId b) { return Op(ir::OpKind::kSubtract, {a, b}); }
  ir::ValueId Mul(ir::ValueId a, ir::ValueId b) { return Op(ir::OpKind::kMultiply, {a, b}); }
  ir::ValueId Div(ir::ValueId a, ir::ValueId b) { return Op(ir::OpKind::kDivide, {a, b}); }
  ir::ValueId Or(ir::ValueId a, ir::ValueId b) { return Op(ir::OpKind::kOr, {a, b}); }
  ir::ValueId Xor(ir::ValueId a, ir::ValueId b) { return Op(ir::OpKind::kXor, {a, b}); }
  ir::ValueId Sqrt(ir::ValueId x) { return Op(ir::OpKind::kSqrt, {x}); }
  ir::ValueId Less(ir::ValueId a, ir::ValueId b);
  ir::ValueId Select(ir::ValueId p, ir::ValueId a, ir::ValueId b) {
    return Op(ir::OpKind::kSelect, {p, a, b});
  }
  // Shift every element of `x`, an integer tensor, by `bits`, which is less than the element's
  // width. ShiftRight is a logical shift.
  ir::ValueId ShiftLeft(ir::ValueId x, int64_t bits);
  ir::ValueId ShiftRight(ir::ValueId x, int64_t bits);

  // A tensor of which every element is `value` converted to the element type.
  ir::ValueId Constant(const ir::TensorType& type, double value);
  // A tensor of the (integer) type of `like`, of which every element is `value`.
  ir::ValueId ConstantLike(ir::ValueId like, uint64_t value);
  ir::ValueId Iota(const ir::TensorType& type, int64_t dimension);
  // A ui64 tensor of which each element is its own index in row-major order.
  ir::ValueId LinearIndex(const ir::Dims& dims);

  ir::ValueId Convert(ir::ValueId x, ir::DType dtype);
  // Reinterprets the bits of each element as `dtype`, which has the same width.
  ir::ValueId Bitcast(ir::ValueId x, ir::DType dtype);
  // Splits the bits of each element into elements of the narrower type `dtype`, the lowest bits
  // first, along a new last dimension.
  ir::ValueId BitcastToParts(ir::ValueId x, ir::DType dtype);
  // As stablehlo.broadcast_in_dim: dimension i of `x` is dimension dimensions[i] of the result.
  ir::ValueId Broadcast(ir::ValueId x, const ir::Dims& dims, std::vector<int64_t> dimensions = {});
  ir::ValueId Reshape(ir::ValueId x, ir::Dims dims);
  ir::ValueId Concatenate(std::vector<ir::ValueId> xs, int64_t dimension);
  // The slice of `x` with the indices below limits[d] along each dimension d.
  ir::ValueId SliceTo(ir::ValueId x, const ir::Dims& limits);
  // Element i of a vector, as a scalar.
  ir::ValueId ElementOf(ir::ValueId vector, int64_t i);
  // The sums of `x` over `dimensions`, which the result lacks.
  ir::ValueId Sum(ir::ValueId x, std::vector<int64_t> dimensions);

 private:
  ir::FunctionBuilder& builder_;
  ir::Location location_;
  absl::Status status_;
};

}  // namespace acceld::compiler
