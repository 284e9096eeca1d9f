// Transposes of sums over dimensions and windows, and of scatters.

#include <algorithm>
#include <utility>

#include "common/ir/transform/composites/select_and_gather.h"
#include "common/ir/transform/lists.h"
#include "common/ir/transform/reducer.h"
#include "common/ir/transform/scatter_gather.h"
#include "common/ir/transform/transposition.h"

namespace acceld::ir {

ACCELD_NOT_LINEAR(DigitSort)
ACCELD_NOT_LINEAR(MergeRuns)
ACCELD_NOT_LINEAR(PartialSort)
ACCELD_NOT_LINEAR(Sort)
ACCELD_NOT_LINEAR(SortRuns)

absl::Status TransposeReduce(Transposition& t) {
  const std::vector<int64_t>& dimensions = t.As<DimensionsAttributes>().dimensions;
  const size_t n = t.op().results.size();
  for (size_t i = 0; i < n; ++i) {
    if (!t.HasCotangent(i)) continue;
    if (ReducerOf(t.op().regions[0], i) != OpKind::kAdd) return t.Refuse("it is not a sum");
    if (t.IsLinear(i)) {
      const TensorType& type = t.operand_type(i);
      std::vector<int64_t> kept;
      for (int64_t d = 0; d < type.rank(); ++d) {
        if (std::find(dimensions.begin(), dimensions.end(), d) == dimensions.end()) {
          kept.push_back(d);
        }
      }
      t.AddCotangent(i, t.emit.Broadcast(t.cotangent(i), type.dims, std::move(kept)));
    }
    if (t.IsLinear(n + i)) {
      std::vector<int64_t> all;
      for (int64_t d = 0; d < t.result_type(i).rank(); ++d) all.push_back(d);
      t.AddCotangent(n + i, t.emit.Sum(t.cotangent(i), std::move(all)));
    }
  }
  return absl::OkStatus();
}

namespace {

int64_t At(const std::vector<int64_t>& list, int64_t d, int64_t otherwise) {
  return list.empty() ? otherwise : list[d];
}

}  // namespace

// Each element of the operand gets the cotangents of the windows in which it is: a sum over
// windows, again, of the cotangents with holes for the strides.
absl::Status TransposeReduceWindow(Transposition& t) {
  const WindowAttributes& window = t.As<WindowAttributes>();
  const size_t n = t.op().results.size();
  Emitter& e = t.emit;
  for (size_t i = 0; i < n; ++i) {
    if (!t.HasCotangent(i) || !t.IsLinear(i)) continue;
    if (ReducerOf(t.op().regions[0], i) != OpKind::kAdd) return t.Refuse("it is not a sum");
    if (t.IsLinear(n + i)) return t.Refuse("its initial value depends on linear arguments");
    const TensorType &from = t.operand_type(i), &to = t.result_type(i);
    PadAttributes pad;
    WindowAttributes back{.window_dimensions = window.window_dimensions,
                          .window_strides = window.base_dilations,
                          .window_dilations = window.window_dilations};
    for (int64_t d = 0; d < from.rank(); ++d) {
      const int64_t stride = At(window.window_strides, d, 1);
      const int64_t low = window.padding.pairs.empty() ? 0 : window.padding.pairs[d].first;
      const int64_t base = Dilated(from.dims[d], At(window.base_dilations, d, 1));
      const int64_t size = Dilated(window.window_dimensions[d], At(window.window_dilations, d, 1));
      const int64_t before = size - low - 1;
      pad.edge_padding_low.push_back(before);
      pad.edge_padding_high.push_back(base + size - 1 - Dilated(to.dims[d], stride) - before);
      pad.interior_padding.push_back(stride - 1);
    }
    const ValueId zero = e.Constant({from.dtype, {}}, 0);
    const ValueId padded = e.Op(OpKind::kPad, {t.cotangent(i), zero}, std::move(pad));
    std::vector<Region> regions;
    regions.push_back(e.Reducer(OpKind::kAdd, from.dtype));
    t.AddCotangent(i, e.OpWithRegions(OpKind::kReduceWindow, {padded, zero}, std::move(back),
                                      std::move(regions))
                          .front());
  }
  return absl::OkStatus();
}

absl::Status TransposeScatter(Transposition& t) {
  const size_t n = t.op().results.size();
  if (t.IsLinear(n)) return t.Refuse("the indices depend on linear arguments");
  for (size_t i = 0; i < n; ++i) {
    if (!t.HasCotangent(i)) continue;
    if (ReducerOf(t.op().regions[0], i) != OpKind::kAdd) return t.Refuse("it does not add");
    t.AddCotangent(i, t.cotangent(i));
    const size_t update = n + 1 + i;
    if (!t.IsLinear(update)) continue;
    t.AddCotangent(update, ReadBack(t.emit, t.cotangent(i), t.known(n), t.As<ScatterAttributes>(),
                                    t.operand_type(update).dims));
  }
  return absl::OkStatus();
}

// Which element of each window got the source, is known.
absl::Status TransposeSelectAndScatter(Transposition& t) {
  if (t.IsLinear(0) || t.IsLinear(2) || ReducerOf(t.op().regions[1]) != OpKind::kAdd) {
    return t.Refuse("it is linear only in its source, and only if it adds");
  }
  const auto& attributes = t.As<SelectAndScatterAttributes>();
  const Region& select = t.op().regions[0];
  absl::optional<OpKind> extremum;
  for (const Op& op : select.ops) {
    if (op.kind != OpKind::kCompare || op.results != select.results) continue;
    const bool in_order = op.operands == select.parameters;
    const ComparisonDirection direction = op.As<CompareAttributes>().comparison_direction;
    if (in_order && direction == ComparisonDirection::kGe) extremum = OpKind::kMaximum;
    if (in_order && direction == ComparisonDirection::kLe) extremum = OpKind::kMinimum;
  }
  if (!extremum.has_value()) return t.Refuse("it selects neither a maximum nor a minimum");
  WindowAttributes window{.window_dimensions = attributes.window_dimensions,
                          .window_strides = attributes.window_strides,
                          .padding = attributes.padding};
  if (window.window_dimensions.empty()) {
    window.window_dimensions.assign(static_cast<size_t>(t.operand_type(0).rank()), 1);
  }
  t.AddCotangent(1, SelectAndGather(t.function().transposer().differentiator(), t.emit,
                                    t.cotangent(), t.known(0), window, *extremum));
  return absl::OkStatus();
}

}  // namespace acceld::ir
