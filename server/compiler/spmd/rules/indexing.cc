#include <algorithm>

#include "server/compiler/spmd/indexed_op.h"
#include "server/compiler/spmd/neutral_element.h"
#include "server/compiler/spmd/rules/rules.h"

// Ops that move elements, or make them from indices.
namespace acceld::compiler::spmd {

void BitcastConvertFactors(const RuleContext& context) {
  // With another number of dimensions, the last one of the longer shape is within an element.
  const auto rank =
      static_cast<int64_t>(std::min(context.operand(0).dims.size(), context.result().dims.size()));
  for (int64_t i = 0; i < rank; ++i) context.Keep(i, i);
}

void BroadcastInDimFactors(const RuleContext& context) {
  const auto& to = context.As<ir::BroadcastInDimAttributes>().broadcast_dimensions;
  const ir::Dims& dims = context.result().dims;
  for (size_t i = 0; i < to.size(); ++i) {
    const bool is_kept = context.operand(0).dims[i] == dims[static_cast<size_t>(to[i])];
    if (is_kept) context.Keep(static_cast<int64_t>(i), to[i]);
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    if (context.rule.results[0][i].empty())
      context.rule.results[0][i] = {context.rule.Add(dims[i])};
  }
}

void ConcatenateFactors(const RuleContext& context) {
  const auto along = static_cast<size_t>(context.As<ir::DimensionAttributes>().dimension);
  const ir::Dims& dims = context.result().dims;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i == along) continue;
    const int factor = context.rule.Add(dims[i]);
    for (DimensionFactors& operand : context.rule.operands) operand[i] = {factor};
    context.rule.results[0][i] = {factor};
  }
}

void DynamicSliceFactors(const RuleContext& context) {
  for (int64_t i = 0; i < context.result().rank(); ++i) {
    const auto at = static_cast<size_t>(i);
    if (context.operand(0).dims[at] == context.result().dims[at]) context.Keep(i, i);
  }
}

// Batches of index vectors, the dimensions of the operand of which each slice has all, and those of
// which it has one element that an index names.
void GatherFactors(const RuleContext& context) {
  const ir::GatherDimensionNumbers& numbers = context.As<ir::GatherAttributes>().dimension_numbers;
  const auto& slice_sizes = context.As<ir::GatherAttributes>().slice_sizes;
  const auto has = [](const std::vector<int64_t>& list, int64_t value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  };
  const bool may_sum =
      MayShiftIndices(context.operand(1).dtype) && MayHaveParts(context.result().dtype);
  size_t offset = 0;
  for (int64_t i = 0; i < context.operand(0).rank(); ++i) {
    if (has(numbers.operand_batching_dims, i)) continue;
    const auto at = static_cast<size_t>(i);
    const int64_t size = context.operand(0).dims[at];
    const bool is_collapsed = has(numbers.collapsed_slice_dims, i);
    if (!is_collapsed) {
      const int64_t to = numbers.offset_dims[offset++];
      if (slice_sizes[at] == size) context.Keep(i, to);
    }
    const bool is_indexed = has(numbers.start_index_map, i) && slice_sizes[at] == 1 && size > 1;
    if (is_indexed && may_sum) {
      context.rule.operands[0][at] = {
          context.rule.Add(size, /*is_reduction=*/true, /*is_indexed=*/true)};
    }
  }
  int64_t result = 0;
  for (int64_t i = 0; i < context.operand(1).rank(); ++i) {
    if (i == numbers.index_vector_dim) continue;
    while (has(numbers.offset_dims, result)) ++result;
    const int factor = context.rule.Add(context.operand(1).dims[static_cast<size_t>(i)]);
    context.rule.operands[1][static_cast<size_t>(i)] = {factor};
    context.rule.results[0][static_cast<size_t>(result++)] = {factor};
    const auto batch = std::find(numbers.start_indices_batching_dims.begin(),
                                 numbers.start_indices_batching_dims.end(), i);
    if (batch == numbers.start_indices_batching_dims.end()) continue;
    const int64_t of_operand = numbers.operand_batching_dims[static_cast<size_t>(
        batch - numbers.start_indices_batching_dims.begin())];
    context.rule.operands[0][static_cast<size_t>(of_operand)] = {factor};
  }
}

void IotaFactors(const RuleContext& context) { context.KeepAll(); }

void PadFactors(const RuleContext& context) {
  const auto& pad = context.As<ir::PadAttributes>();
  for (int64_t i = 0; i < context.result().rank(); ++i) {
    const auto at = static_cast<size_t>(i);
    const bool is_kept = pad.edge_padding_low[at] == 0 && pad.edge_padding_high[at] == 0 &&
                         pad.interior_padding[at] == 0;
    if (is_kept) context.Keep(i, i);
  }
}

// Divides the dimensions of both shapes into common factors, from major to minor, as long as one of
// the two current sizes divides the other. Dimensions behind the first that has no common factor
// are not divided.
void ReshapeFactors(const RuleContext& context) {
  const ir::Dims& from = context.operand(0).dims;
  const ir::Dims& to = context.result().dims;
  if (context.result().num_elements() == 0) return;
  size_t i = 0;
  size_t j = 0;
  int64_t a = from.empty() ? 1 : from[0];
  int64_t b = to.empty() ? 1 : to[0];
  while (i < from.size() && j < to.size()) {
    const int64_t size = std::min(a, b);
    if (a % size != 0 || b % size != 0) break;
    if (size > 1) {
      const int factor = context.rule.Add(size);
      context.rule.operands[0][i].push_back(factor);
      context.rule.results[0][j].push_back(factor);
    }
    a /= size;
    b /= size;
    if (a == 1 && ++i < from.size()) a = from[i];
    if (b == 1 && ++j < to.size()) b = to[j];
  }
}

// Each process reverses its shard, and processes exchange shards (Exchange::Mirror).
void ReverseFactors(const RuleContext& context) { context.KeepAll(); }

void SliceFactors(const RuleContext& context) { DynamicSliceFactors(context); }

void TransposeFactors(const RuleContext& context) {
  const auto& permutation = context.As<ir::TransposeAttributes>().permutation;
  for (size_t i = 0; i < permutation.size(); ++i) {
    context.Keep(permutation[i], static_cast<int64_t>(i));
  }
}

}  // namespace acceld::compiler::spmd
