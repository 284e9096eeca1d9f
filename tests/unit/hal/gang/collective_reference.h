#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "kernels/ir/collective.h"

// What collectives give, written index by index as the StableHLO specification has it.
namespace acceld::testing {

// A tensor of i32, row-major.
struct Tensor {
  ir::Dims dims;
  std::vector<int32_t> values;

  explicit Tensor(ir::Dims its_dims)
      : dims(std::move(its_dims)),
        values(static_cast<size_t>(
            std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>()))) {}
  friend bool operator==(const Tensor&, const Tensor&) = default;

  ir::TensorType type() const { return {ir::DType::kI32, dims}; }
  ir::Dims IndexOf(size_t position) const {
    ir::Dims index(dims.size(), 0);
    for (size_t d = dims.size(); d-- > 0;) {
      index[d] = static_cast<int64_t>(position) % dims[d];
      position /= static_cast<size_t>(dims[d]);
    }
    return index;
  }
  int32_t& At(const ir::Dims& index) {
    int64_t position = 0;
    for (size_t d = 0; d < dims.size(); ++d) position = position * dims[d] + index[d];
    return values[static_cast<size_t>(position)];
  }
};

// Element i is first + i, so that tensors with distant `first` have no value in common.
inline Tensor Counting(const ir::Dims& dims, int32_t first) {
  Tensor tensor(dims);
  std::iota(tensor.values.begin(), tensor.values.end(), first);
  return tensor;
}

inline Tensor PartOf(Tensor whole, int64_t dimension, size_t count, size_t index) {
  const auto d = static_cast<size_t>(dimension);
  ir::Dims dims = whole.dims;
  dims[d] /= static_cast<int64_t>(count);
  Tensor part(dims);
  for (size_t i = 0; i < part.values.size(); ++i) {
    ir::Dims at = part.IndexOf(i);
    at[d] += static_cast<int64_t>(index) * dims[d];
    part.values[i] = whole.At(at);
  }
  return part;
}

inline Tensor Concatenated(const std::vector<Tensor>& parts, int64_t dimension) {
  const auto d = static_cast<size_t>(dimension);
  ir::Dims dims = parts[0].dims;
  dims[d] *= static_cast<int64_t>(parts.size());
  Tensor whole(dims);
  for (size_t p = 0; p < parts.size(); ++p) {
    for (size_t i = 0; i < parts[p].values.size(); ++i) {
      ir::Dims at = parts[p].IndexOf(i);
      at[d] += static_cast<int64_t>(p) * parts[p].dims[d];
      whole.At(at) = parts[p].values[i];
    }
  }
  return whole;
}

inline Tensor SumOf(const std::vector<Tensor>& tensors) {
  Tensor sum = tensors[0];
  for (size_t k = 1; k < tensors.size(); ++k) {
    for (size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += tensors[k].values[i];
  }
  return sum;
}

// Returns the result of member `member` of a group whose members bring `operands`. Reductions are
// sums.
inline Tensor ResultOf(const kernels::Collective& collective, const std::vector<Tensor>& operands,
                       size_t member) {
  using Kind = kernels::Collective::Kind;
  const auto parts = [&] {
    std::vector<Tensor> list;
    for (const Tensor& operand : operands) {
      list.push_back(PartOf(operand, collective.dimension, operands.size(), member));
    }
    return list;
  };
  switch (collective.kind) {
    case Kind::kAllGather:
      return Concatenated(operands, collective.dimension);
    case Kind::kAllReduce:
      return SumOf(operands);
    case Kind::kAllToAll:
      return Concatenated(parts(), collective.concat_dimension);
    case Kind::kBroadcast:
    case Kind::kPermute:
      return operands[0];
    case Kind::kReduceScatter:
      return SumOf(parts());
  }
  return operands[0];
}

// Returns the results of all participants, whose operands are given. Those without a source get
// zeros.
inline std::vector<Tensor> ResultsOf(const kernels::Collective& collective,
                                     const std::vector<Tensor>& operands) {
  std::vector<Tensor> results(operands.size(), Tensor(operands[0].dims));
  for (const std::vector<int64_t>& group : collective.groups) {
    std::vector<Tensor> brought;
    for (const int64_t number : group) brought.push_back(operands[static_cast<size_t>(number)]);
    for (size_t i = 0; i < group.size(); ++i) {
      if (collective.kind == kernels::Collective::Kind::kPermute && i == 0) continue;
      results[static_cast<size_t>(group[i])] = ResultOf(collective, brought, i);
    }
  }
  return results;
}

}  // namespace acceld::testing
