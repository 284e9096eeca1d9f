#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "common/ir/builder.h"
#include "server/compiler/decompose/decomposition.h"

namespace acceld::compiler {

// Short ways to add ops to a decomposition. The first error (a type past the limits) is kept; what
// is added after it is not, and the ids given then mean nothing. Thread-compatible.
class Emitter {
 public:
  explicit Emitter(Decomposition& d) : builder_(d.builder()), location_(d.op().location) {}

  const absl::Status& status() const { return status_; }
  // The values, if all went well.
  DecompositionResult Results(std::vector<ir::ValueId> values) const {
    if (!status_.ok()) return status_;
    return values;
  }
  const ir::TensorType& TypeOf(ir::ValueId x) const { return builder_.TypeOf(x).tensor(); }

  // An op with one result; `declared` where its type does not follow from the rest.
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
  // Shifts by a constant below the width.
  ir::ValueId ShiftLeft(ir::ValueId x, int64_t bits);
  ir::ValueId ShiftRight(ir::ValueId x, int64_t bits);  // logical

  ir::ValueId Constant(const ir::TensorType& type, double value);
  // An integer of the type of `like`, on all its elements.
  ir::ValueId ConstantLike(ir::ValueId like, uint64_t value);
  ir::ValueId Iota(const ir::TensorType& type, int64_t dimension);
  // The row-major number of each element, as ui64.
  ir::ValueId LinearIndex(const ir::Dims& dims);

  ir::ValueId Convert(ir::ValueId x, ir::DType dtype);
  // To another type of the same width.
  ir::ValueId Bitcast(ir::ValueId x, ir::DType dtype);
  // To parts of it, lowest first, along a new last dimension.
  ir::ValueId BitcastToParts(ir::ValueId x, ir::DType dtype);
  ir::ValueId Broadcast(ir::ValueId x, const ir::Dims& dims, std::vector<int64_t> dimensions = {});
  ir::ValueId Reshape(ir::ValueId x, ir::Dims dims);
  ir::ValueId Concatenate(std::vector<ir::ValueId> xs, int64_t dimension);
  // The first elements along each dimension.
  ir::ValueId SliceTo(ir::ValueId x, const ir::Dims& limits);
  // Element i of a vector, as a scalar.
  ir::ValueId ElementOf(ir::ValueId vector, int64_t i);
  // Sums over the given dimensions.
  ir::ValueId Sum(ir::ValueId x, std::vector<int64_t> dimensions);

 private:
  ir::FunctionBuilder& builder_;
  ir::Location location_;
  absl::Status status_;
};

}  // namespace acceld::compiler
