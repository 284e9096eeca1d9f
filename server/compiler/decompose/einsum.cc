#include "common/ir/einsum.h"

#include <algorithm>
#include <utility>

#include "common/ir/emitter.h"
#include "server/compiler/decompose/decomposition.h"

// Einstein summation as diagonals, sums, one product and a transpose. Sources: StableHLO, "einsum"
// and "unary_einsum".
namespace acceld::compiler {
namespace {

using ir::OpKind;
using ir::ValueId;
using Labels = ir::EinsumLabels::Labels;

bool Contains(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

int64_t PositionOf(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) - labels.begin();
}

// A tensor and the label of each of its dimensions.
struct Factor {
  ValueId value;
  Labels labels;
};

// Returns `x` with its dimensions permuted as by stablehlo.transpose.
Factor Transposed(ir::Emitter& e, const Factor& x, const std::vector<int64_t>& permutation) {
  Factor out{x.value, {}};
  for (int64_t d : permutation) out.labels.push_back(x.labels[d]);
  if (!std::is_sorted(permutation.begin(), permutation.end())) {
    out.value = e.Op(OpKind::kTranspose, {x.value}, ir::TransposeAttributes{permutation});
  }
  return out;
}

Factor WithLabels(ir::Emitter& e, const Factor& x, const Labels& labels) {
  std::vector<int64_t> permutation;
  for (int label : labels) permutation.push_back(PositionOf(x.labels, label));
  return Transposed(e, x, permutation);
}

// Replaces two dimensions with the same label by one, keeping the elements at which their indices
// are equal, until all labels differ. For that the two dimensions, of size n, are moved to the end
// and joined into one of size n * n; the wanted elements are n + 1 apart there, a strided slice.
Factor Diagonal(ir::Emitter& e, Factor x) {
  for (size_t d = 0; d < x.labels.size();) {
    const int label = x.labels[d];
    const auto twin = std::find(x.labels.begin() + d + 1, x.labels.end(), label);
    if (twin == x.labels.end() || !e.status().ok()) {
      ++d;
      continue;
    }
    const auto first = static_cast<int64_t>(d), second = twin - x.labels.begin();
    std::vector<int64_t> permutation;
    for (int64_t i = 0; i < static_cast<int64_t>(x.labels.size()); ++i) {
      if (i != first && i != second) permutation.push_back(i);
    }
    permutation.insert(permutation.end(), {first, second});
    x = Transposed(e, x, permutation);
    if (!e.status().ok()) return x;
    x.labels.pop_back();
    ir::Dims dims = e.TypeOf(x.value).dims;
    const int64_t size = dims.back();
    dims.pop_back();
    dims.back() = size * size;
    ir::SliceAttributes slice;
    slice.start_indices.assign(dims.size(), 0);
    slice.limit_indices.assign(dims.begin(), dims.end());
    slice.strides.assign(dims.size(), 1);
    slice.strides.back() = size + 1;
    x.value = e.Op(OpKind::kSlice, {e.Reshape(x.value, std::move(dims))}, std::move(slice));
    d = 0;
  }
  return x;
}

// Returns `x` summed over the dimensions for whose label `keep` is false.
template <typename Keep>
Factor SumOthers(ir::Emitter& e, Factor x, Keep keep) {
  std::vector<int64_t> dimensions;
  Labels kept;
  for (size_t d = 0; d < x.labels.size(); ++d) {
    if (keep(x.labels[d])) {
      kept.push_back(x.labels[d]);
    } else {
      dimensions.push_back(static_cast<int64_t>(d));
    }
  }
  if (!dimensions.empty()) x.value = e.Sum(x.value, std::move(dimensions));
  x.labels = std::move(kept);
  return x;
}

Factor Product(ir::Emitter& e, const Factor& lhs, const Factor& rhs, const Labels& result,
               const ir::TensorType& type) {
  ir::DotGeneralAttributes dot;
  ir::DotDimensionNumbers& numbers = dot.dot_dimension_numbers;
  Labels batch, lhs_free, rhs_free;
  for (size_t d = 0; d < lhs.labels.size(); ++d) {
    const int label = lhs.labels[d];
    const auto l = static_cast<int64_t>(d), r = PositionOf(rhs.labels, label);
    if (!Contains(rhs.labels, label)) {
      lhs_free.push_back(label);
    } else if (Contains(result, label)) {
      batch.push_back(label);
      numbers.lhs_batching_dimensions.push_back(l);
      numbers.rhs_batching_dimensions.push_back(r);
    } else {
      numbers.lhs_contracting_dimensions.push_back(l);
      numbers.rhs_contracting_dimensions.push_back(r);
    }
  }
  for (int label : rhs.labels) {
    if (!Contains(lhs.labels, label)) rhs_free.push_back(label);
  }
  Labels labels = std::move(batch);
  labels.insert(labels.end(), lhs_free.begin(), lhs_free.end());
  labels.insert(labels.end(), rhs_free.begin(), rhs_free.end());
  ir::TensorType declared{type.dtype, {}};
  for (int label : labels) declared.dims.push_back(type.dims[PositionOf(result, label)]);
  return {e.Op(OpKind::kDotGeneral, {lhs.value, rhs.value}, std::move(dot), &declared),
          std::move(labels)};
}

absl::StatusOr<ir::EinsumLabels> LabelsOf(const Decomposition& d) {
  std::vector<int64_t> ranks;
  for (size_t i = 0; i < d.op().operands.size(); ++i) ranks.push_back(d.OperandType(i).rank());
  return ir::ReadEinsum(d.As<ir::EinsumAttributes>().einsum_config, ranks);
}

}  // namespace

DecompositionResult DecomposeEinsum(Decomposition& d) {
  ACCELD_ASSIGN_OR_RETURN(const ir::EinsumLabels einsum, LabelsOf(d));
  ir::Emitter e = d.Emit();
  std::vector<Factor> factors;
  for (size_t i = 0; i < 2; ++i) {
    factors.push_back(SumOthers(e, Diagonal(e, {d.operand(i), einsum.operands[i]}), [&](int label) {
      return Contains(einsum.result, label) || Contains(einsum.operands[1 - i], label);
    }));
  }
  const Factor product = Product(e, factors[0], factors[1], einsum.result, d.ResultType(0));
  return e.Results({WithLabels(e, product, einsum.result).value});
}

DecompositionResult DecomposeUnaryEinsum(Decomposition& d) {
  ACCELD_ASSIGN_OR_RETURN(const ir::EinsumLabels einsum, LabelsOf(d));
  ir::Emitter e = d.Emit();
  const Factor sum = SumOthers(e, Diagonal(e, {d.operand(0), einsum.operands[0]}),
                               [&](int label) { return Contains(einsum.result, label); });
  return e.Results({WithLabels(e, sum, einsum.result).value});
}

}  // namespace acceld::compiler
