#include "common/ir/interpreter/machine.h"
#include "common/ir/interpreter/products.h"
#include "common/ir/interpreter/tensor.h"

namespace acceld::ir::interpreter {
namespace {

// One operand of a product, with its dimensions in three groups: batching, free and contracting.
struct Side {
  Dims batch_strides, free_strides, contracting_strides;
  Dims batch_dims, free_dims, contracting_dims;

  Side(const Dims& dims, const std::vector<int64_t>& batching,
       const std::vector<int64_t>& contracting) {
    const Dims strides = RowMajorStrides(dims);
    for (int64_t d : batching) {
      batch_dims.push_back(dims[d]);
      batch_strides.push_back(strides[d]);
    }
    for (int64_t d : contracting) {
      contracting_dims.push_back(dims[d]);
      contracting_strides.push_back(strides[d]);
    }
    for (size_t d = 0; d < dims.size(); ++d) {
      const auto dim = static_cast<int64_t>(d);
      if (PositionIn(batching, dim) >= 0 || PositionIn(contracting, dim) >= 0) continue;
      free_dims.push_back(dims[d]);
      free_strides.push_back(strides[d]);
    }
  }
};

// Returns the positions, with these strides, of all indices of `dims` in row-major order.
std::vector<int64_t> Offsets(const Dims& dims, const Dims& strides) {
  std::vector<int64_t> offsets;
  Dims index(dims.size(), 0);
  for (int64_t i = 0, count = NumElements(dims); i < count; ++i, NextIndex(dims, index)) {
    offsets.push_back(LinearIndex(strides, index));
  }
  return offsets;
}

}  // namespace

// StableHLO specification, "dot_general". Products are summed in the row-major order of the
// contracting dimensions as listed; narrow integers are widened before they are multiplied. An
// empty contraction gives zeros.
EvalResult EvalDotGeneral(EvalContext& c) {
  const auto& numbers = c.As<DotGeneralAttributes>().dot_dimension_numbers;
  const TensorView lhs(c.operand(0));
  const TensorView rhs(c.operand(1));
  const Side left(lhs.type().dims, numbers.lhs_batching_dimensions,
                  numbers.lhs_contracting_dimensions);
  const Side right(rhs.type().dims, numbers.rhs_batching_dimensions,
                   numbers.rhs_contracting_dimensions);
  const Arithmetic arithmetic = ArithmeticOf(lhs.type().dtype, rhs.type().dtype, c.result().dtype);

  const int64_t contracted = NumElements(left.contracting_dims);
  TensorBuilder result(c.result());
  ACCELD_RETURN_IF_ERROR(c.machine.Charge(c.result().num_elements()));
  if (c.result().num_elements() == 0 || contracted == 0) return OneResult(result.Finish());

  const std::vector<int64_t> left_batch = Offsets(left.batch_dims, left.batch_strides);
  const std::vector<int64_t> right_batch = Offsets(right.batch_dims, right.batch_strides);
  const std::vector<int64_t> left_free = Offsets(left.free_dims, left.free_strides);
  const std::vector<int64_t> right_free = Offsets(right.free_dims, right.free_strides);
  const std::vector<int64_t> left_inner = Offsets(left.contracting_dims, left.contracting_strides);
  const std::vector<int64_t> right_inner =
      Offsets(right.contracting_dims, right.contracting_strides);

  int64_t out = 0;
  for (size_t batch = 0; batch < left_batch.size(); ++batch) {
    for (int64_t row : left_free) {
      for (int64_t column : right_free) {
        ACCELD_RETURN_IF_ERROR(c.machine.Charge(contracted));
        Scalar sum;
        for (int64_t k = 0; k < contracted; ++k) {
          sum = MultiplyAdd(
              arithmetic, sum, FactorAt(lhs, left_batch[batch] + row + left_inner[k], arithmetic),
              FactorAt(rhs, right_batch[batch] + column + right_inner[k], arithmetic));
        }
        result.Set(out++, FinishedSum(lhs.type().dtype, rhs.type().dtype, c.result().dtype, sum));
      }
    }
  }
  return OneResult(result.Finish());
}

}  // namespace acceld::ir::interpreter
