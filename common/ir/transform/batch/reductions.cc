// Reductions, windows and sorts leave the dimension of the examples as it is.

#include <utility>

#include "common/ir/transform/batching.h"
#include "common/ir/transform/lists.h"

namespace acceld::ir {
namespace {

// An empty list stands for ones.
std::vector<int64_t> WithOne(const std::vector<int64_t>& list) {
  return list.empty() ? list : WithFirst(1, list);
}
PaddingPairs WithNone(PaddingPairs padding) {
  if (!padding.pairs.empty()) padding.pairs.insert(padding.pairs.begin(), {0, 0});
  return padding;
}

// The inputs for all examples, and the initial values, which are the same for all.
std::vector<ValueId> ReductionOperands(Batching& b) {
  std::vector<ValueId> operands;
  const size_t n = b.num_operands() / 2;
  for (size_t i = 0; i < 2 * n; ++i) {
    operands.push_back(i < n ? b.BatchedOperand(i) : b.operand(i));
  }
  return operands;
}

bool HasOwnInitialValues(const Batching& b) {
  for (size_t i = b.num_operands() / 2; i < b.num_operands(); ++i) {
    if (b.IsBatched(i)) return true;
  }
  return b.RegionsCaptureBatched();
}

}  // namespace

absl::Status BatchReduce(Batching& b) {
  if (HasOwnInitialValues(b)) return b.OneByOne();
  auto attributes = b.As<DimensionsAttributes>();
  for (int64_t& d : attributes.dimensions) ++d;
  b.SetOpWithRegions(ReductionOperands(b), std::move(attributes));
  return absl::OkStatus();
}

absl::Status BatchReduceWindow(Batching& b) {
  if (HasOwnInitialValues(b)) return b.OneByOne();
  const auto& window = b.As<WindowAttributes>();
  b.SetOpWithRegions(ReductionOperands(b),
                     WindowAttributes{.window_dimensions = WithFirst(1, window.window_dimensions),
                                      .window_strides = WithOne(window.window_strides),
                                      .base_dilations = WithOne(window.base_dilations),
                                      .window_dilations = WithOne(window.window_dilations),
                                      .padding = WithNone(window.padding)});
  return absl::OkStatus();
}

absl::Status BatchSelectAndScatter(Batching& b) {
  if (b.IsBatched(2) || b.RegionsCaptureBatched()) return b.OneByOne();
  const auto& window = b.As<SelectAndScatterAttributes>();
  b.SetOpWithRegions(
      {b.BatchedOperand(0), b.BatchedOperand(1), b.operand(2)},
      SelectAndScatterAttributes{.window_dimensions = WithOne(window.window_dimensions),
                                 .window_strides = WithOne(window.window_strides),
                                 .padding = WithNone(window.padding)});
  return absl::OkStatus();
}

absl::Status BatchSort(Batching& b) {
  if (b.RegionsCaptureBatched()) return b.OneByOne();
  auto attributes = b.As<SortAttributes>();
  if (attributes.dimension >= 0) ++attributes.dimension;
  b.SetOpWithRegions(b.BatchedOperands(), attributes);
  return absl::OkStatus();
}

namespace {

absl::Status RefuseInternal(Batching& b) { return b.Refuse("it is an op of the compiler"); }

}  // namespace

absl::Status BatchDigitSort(Batching& b) { return RefuseInternal(b); }
absl::Status BatchFusion(Batching& b) { return RefuseInternal(b); }
absl::Status BatchMergeRuns(Batching& b) { return RefuseInternal(b); }
absl::Status BatchPartialSort(Batching& b) { return RefuseInternal(b); }
absl::Status BatchSortRuns(Batching& b) { return RefuseInternal(b); }

}  // namespace acceld::ir
