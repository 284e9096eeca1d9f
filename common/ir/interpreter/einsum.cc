#include "common/ir/einsum.h"

#include <algorithm>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "common/ir/interpreter/machine.h"
#include "common/ir/interpreter/products.h"
#include "common/ir/interpreter/tensor.h"

namespace acceld::ir::interpreter {
namespace {

using Labels = EinsumLabels::Labels;

Scalar One(DType dtype) {
  if (IsComplex(dtype)) return OfComplex({1, 0});
  return IsFloat(dtype) ? OfReal(1) : OfInteger(1);
}

// A factor, with the strides that map the positions of the labels to its element.
struct Factor {
  TensorView view;
  Dims strides;  // one for each label: the sum over the dimensions with this label

  Factor(const Literal& literal, const Labels& own, const Labels& all)
      : view(literal), strides(all.size(), 0) {
    const Dims of_dims = RowMajorStrides(literal.type().dims);
    for (size_t d = 0; d < own.size(); ++d) {
      strides[std::find(all.begin(), all.end(), own[d]) - all.begin()] += of_dims[d];
    }
  }
};

EvalResult Evaluate(EvalContext& c) {
  std::vector<int64_t> ranks;
  for (size_t i = 0; i < c.operands.size(); ++i) ranks.push_back(c.operand(i).type().rank());
  ACCELD_ASSIGN_OR_RETURN(const EinsumLabels einsum,
                          ReadEinsum(c.As<EinsumAttributes>().einsum_config, ranks));
  // The labels of the result, then those that are summed over.
  Labels labels = einsum.result;
  const Labels summed = einsum.Summed();
  labels.insert(labels.end(), summed.begin(), summed.end());
  absl::flat_hash_map<int, int64_t> sizes;
  std::vector<Factor> factors;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    const Labels& own = einsum.operands[i];
    for (size_t d = 0; d < own.size(); ++d) sizes[own[d]] = c.operand(i).type().dims[d];
    factors.emplace_back(c.operand(i), own, labels);
  }
  Dims dims;
  for (int label : labels) dims.push_back(sizes[label]);

  const DType dtype = c.result().dtype;
  const Arithmetic arithmetic = ArithmeticOf(dtype, dtype, dtype);
  TensorBuilder result(c.result());
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return OneResult(result.Finish());
  int64_t count = 1;
  for (int64_t dim : dims) {
    if (__builtin_mul_overflow(count, dim, &count)) count = std::numeric_limits<int64_t>::max();
  }
  ACCELD_RETURN_IF_ERROR(c.machine.Charge(count));
  const int64_t terms = count / c.result().num_elements();
  Dims index(dims.size(), 0);
  Scalar sum;
  for (int64_t i = 0; i < count; ++i, NextIndex(dims, index)) {
    Scalar product[] = {One(dtype), One(dtype)};
    for (size_t f = 0; f < factors.size(); ++f) {
      product[f] = FactorAt(factors[f].view, LinearIndex(factors[f].strides, index), arithmetic);
    }
    sum = MultiplyAdd(arithmetic, i % terms == 0 ? Scalar() : sum, product[0], product[1]);
    if (i % terms == terms - 1) result.Set(i / terms, sum);
  }
  return OneResult(result.Finish());
}

}  // namespace

// Products of all elements whose labels are in the same positions, summed in row-major order.
EvalResult EvalEinsum(EvalContext& c) { return Evaluate(c); }
EvalResult EvalUnaryEinsum(EvalContext& c) { return Evaluate(c); }

// result[b..., i..., j..., k...] = operand[b..., i..., index[b..., j...], k...], the index clamped.
EvalResult EvalTorchIndexSelect(EvalContext& c) {
  const auto& [dim, batch_dims] = c.As<TorchIndexSelectAttributes>();
  const TensorView operand(c.operand(0)), indices(c.operand(1));
  const Dims& dims = operand.type().dims;
  const Dims strides = RowMajorStrides(dims);
  const Dims index_strides = RowMajorStrides(indices.type().dims);
  const auto index_rank = static_cast<int64_t>(index_strides.size());
  const TensorType& type = c.result();
  ACCELD_RETURN_IF_ERROR(c.machine.Charge(type.num_elements()));
  TensorBuilder result(type);
  Dims at(type.dims.size(), 0);
  for (int64_t i = 0, count = type.num_elements(); i < count; ++i, NextIndex(type.dims, at)) {
    Dims from(at.begin(), at.begin() + batch_dims);
    from.insert(from.end(), at.begin() + dim, at.begin() + dim + index_rank - batch_dims);
    const int64_t selected = indices.IndexAt(LinearIndex(index_strides, from));
    Dims source(at.begin(), at.begin() + dim);
    source.push_back(std::clamp<int64_t>(selected, 0, dims[dim] - 1));
    source.insert(source.end(), at.begin() + dim + index_rank - batch_dims, at.end());
    std::copy_n(operand.BytesAt(LinearIndex(strides, source)), StorageBytesOf(type.dtype),
                result.BytesAt(i));
  }
  return OneResult(result.Finish());
}

}  // namespace acceld::ir::interpreter
