#include <algorithm>

#include "server/compiler/spmd/indexed_op.h"
#include "server/compiler/spmd/neutral_element.h"
#include "server/compiler/spmd/rules/rules.h"

// Reductions, windows, scatters and sorts.
namespace acceld::compiler::spmd {
namespace {

// Keeps the dimensions along which each window is one element.
template <typename Attributes>
std::vector<bool> WindowedDimensions(const Attributes& a, int64_t rank) {
  std::vector<bool> windowed(static_cast<size_t>(rank));
  const auto is_one = [](const std::vector<int64_t>& list, size_t i) {
    return i >= list.size() || list[i] == 1;
  };
  for (size_t i = 0; i < windowed.size(); ++i) {
    const bool is_padded =
        i < a.padding.pairs.size() && a.padding.pairs[i] != std::pair<int64_t, int64_t>(0, 0);
    windowed[i] = is_padded || !is_one(a.window_dimensions, i) || !is_one(a.window_strides, i);
  }
  return windowed;
}

std::vector<bool> Only(int64_t dimension, int64_t rank) {
  std::vector<bool> flags(static_cast<size_t>(rank));
  flags[static_cast<size_t>(dimension < 0 ? dimension + rank : dimension)] = true;
  return flags;
}

class ScatterRule {
 public:
  explicit ScatterRule(const RuleContext& context)
      : context_(context),
        numbers_(context.As<ir::ScatterAttributes>().scatter_dimension_numbers),
        inputs_(context.op.results.size()),
        indices_(context.operand(inputs_)),
        updates_(context.operand(inputs_ + 1)) {}

  // Those of which each update has all, except where indices move updates, since then the elements
  // that stay within the operand are used; and those of which it has one element that an index
  // names.
  void AddOperandDimensions() {
    size_t window = 0;
    for (int64_t i = 0; i < context_.operand(0).rank(); ++i) {
      if (Has(numbers_.input_batching_dims, i)) continue;
      const int64_t size = context_.operand(0).dims[static_cast<size_t>(i)];
      const bool is_moved = Has(numbers_.scatter_dims_to_operand_dims, i);
      int64_t of_updates = -1;
      if (!Has(numbers_.inserted_window_dims, i)) {
        of_updates = numbers_.update_window_dims[window++];
      }
      const int64_t window_size =
          of_updates < 0 ? 1 : updates_.dims[static_cast<size_t>(of_updates)];
      if (is_moved && window_size == 1 && MayShiftIndices(indices_.dtype)) {
        SetOperands(i, context_.rule.Add(size, /*is_reduction=*/false, /*is_indexed=*/true));
      } else if (!is_moved && of_updates >= 0 && window_size == size) {
        const int factor = context_.rule.Add(size);
        SetOperands(i, factor);
        SetUpdates(of_updates, factor);
      }
    }
  }

  // Batches, and the other dimensions of the indices, along which the updates of one operand are
  // combined.
  void AddUpdateDimensions() {
    int64_t of_updates = 0;
    for (int64_t i = 0; i < indices_.rank(); ++i) {
      if (i == numbers_.index_vector_dim) continue;
      while (Has(numbers_.update_window_dims, of_updates)) ++of_updates;
      const auto& batching = numbers_.scatter_indices_batching_dims;
      const auto batch = std::find(batching.begin(), batching.end(), i);
      const bool is_batch = batch != batching.end();
      if (is_batch || IsSplittableScatter(context_.function, context_.op)) {
        const int factor = context_.rule.Add(indices_.dims[static_cast<size_t>(i)], !is_batch);
        context_.rule.operands[inputs_][static_cast<size_t>(i)] = {factor};
        SetUpdates(of_updates, factor);
        if (is_batch) {
          const auto number = static_cast<size_t>(batch - batching.begin());
          SetOperands(numbers_.input_batching_dims[number], factor);
        }
      }
      ++of_updates;
    }
  }

 private:
  static bool Has(const std::vector<int64_t>& list, int64_t value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  }

  void SetOperands(int64_t dimension, int factor) {
    for (size_t k = 0; k < inputs_; ++k) {
      context_.rule.operands[k][static_cast<size_t>(dimension)] = {factor};
      context_.rule.results[k][static_cast<size_t>(dimension)] = {factor};
    }
  }
  void SetUpdates(int64_t dimension, int factor) {
    for (size_t k = 0; k < inputs_; ++k) {
      context_.rule.operands[inputs_ + 1 + k][static_cast<size_t>(dimension)] = {factor};
    }
  }

  const RuleContext& context_;
  const ir::ScatterDimensionNumbers& numbers_;
  const size_t inputs_;
  const ir::TensorType& indices_;
  const ir::TensorType& updates_;
};

}  // namespace

void DigitSortFactors(const RuleContext&) {}
void MergeRunsFactors(const RuleContext&) {}
void PartialSortFactors(const RuleContext&) {}
void SortRunsFactors(const RuleContext&) {}

void DynamicUpdateSliceFactors(const RuleContext& context) {
  const ir::Dims& dims = context.result().dims;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (context.operand(1).dims[i] != dims[i]) continue;
    context.Keep(static_cast<int64_t>(i), static_cast<int64_t>(i));
    context.rule.operands[1][i] = context.rule.operands[0][i];
  }
}

void ReduceFactors(const RuleContext& context) {
  const auto& reduced = context.As<ir::DimensionsAttributes>().dimensions;
  const size_t inputs = context.op.results.size();
  const bool may_split = IsSplittableReduction(context.function, context.op,
                                               context.constants[context.op.operands[inputs]]);
  size_t result = 0;
  for (size_t i = 0; i < context.operand(0).dims.size(); ++i) {
    const bool is_reduced =
        std::find(reduced.begin(), reduced.end(), static_cast<int64_t>(i)) != reduced.end();
    if (is_reduced && !may_split) continue;
    const int factor = context.rule.Add(context.operand(0).dims[i], is_reduced);
    for (size_t k = 0; k < inputs; ++k) {
      context.rule.operands[k][i] = {factor};
      if (!is_reduced) context.rule.results[k][result] = {factor};
    }
    if (!is_reduced) ++result;
  }
}

void ReduceWindowFactors(const RuleContext& context) {
  const auto& window = context.As<ir::WindowAttributes>();
  std::vector<bool> blocked = WindowedDimensions(window, context.result().rank());
  for (size_t i = 0; i < blocked.size(); ++i) {
    const auto is_dilated = [&](const std::vector<int64_t>& list) {
      return i < list.size() && list[i] != 1;
    };
    if (is_dilated(window.base_dilations) || is_dilated(window.window_dilations)) blocked[i] = true;
  }
  for (size_t i = 0; i < blocked.size(); ++i) {
    if (blocked[i]) continue;
    const int factor = context.rule.Add(context.result().dims[i]);
    for (size_t k = 0; k < context.op.results.size(); ++k) {
      context.rule.operands[k][i] = {factor};
      context.rule.results[k][i] = {factor};
    }
  }
}

void ScatterFactors(const RuleContext& context) {
  ScatterRule rule(context);
  rule.AddOperandDimensions();
  rule.AddUpdateDimensions();
}

void SelectAndScatterFactors(const RuleContext& context) {
  const std::vector<bool> blocked =
      WindowedDimensions(context.As<ir::SelectAndScatterAttributes>(), context.result().rank());
  for (size_t i = 0; i < blocked.size(); ++i) {
    if (blocked[i]) continue;
    const int factor = context.rule.Add(context.result().dims[i]);
    context.rule.operands[0][i] = {factor};
    context.rule.operands[1][i] = {factor};
    context.rule.results[0][i] = {factor};
  }
}

void SortFactors(const RuleContext& context) {
  context.KeepAll(Only(context.As<ir::SortAttributes>().dimension, context.result().rank()));
}

}  // namespace acceld::compiler::spmd
