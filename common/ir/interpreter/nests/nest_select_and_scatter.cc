#include "common/ir/interpreter/machine.h"
#include "common/ir/interpreter/nests/body.h"
#include "common/ir/interpreter/tensor.h"

namespace acceld::ir::interpreter {

// StableHLO specification, "select_and_scatter". The element chosen so far is kept if the select
// region returns true for (chosen, next); cells of padding are skipped. Sources are scattered in
// row-major order; a source whose window has only padding is dropped.
EvalResult EvalSelectAndScatter(EvalContext& c) {
  const auto& attributes = c.As<SelectAndScatterAttributes>();
  const TensorView operand(c.operand(0));
  const TensorView source(c.operand(1));
  const Scalar initial = TensorView(c.operand(2)).At(0);
  const Dims& dims = operand.type().dims;
  const size_t rank = dims.size();
  const auto& padding = attributes.padding.pairs;
  const auto& strides = attributes.window_strides;
  Dims window(rank, 1);
  if (!attributes.window_dimensions.empty()) {
    window.assign(attributes.window_dimensions.begin(), attributes.window_dimensions.end());
  }
  const Dims operand_strides = RowMajorStrides(dims);
  const int64_t window_count = NumElements(window);

  // Returns the element of the operand under a cell of a window, or -1 for padding.
  const auto element_at = [&](const Dims& position, const Dims& cell) -> int64_t {
    int64_t linear = 0;
    for (size_t d = 0; d < rank; ++d) {
      const int64_t low = padding.empty() ? 0 : padding[d].first;
      const int64_t at = position[d] * (strides.empty() ? 1 : strides[d]) + cell[d] - low;
      if (at < 0 || at >= dims[d]) return -1;
      linear += at * operand_strides[d];
    }
    return linear;
  };

  TensorBuilder result(c.result());
  const int64_t result_count = NumElements(dims);
  ACCELD_RETURN_IF_ERROR(c.machine.Charge(result_count));
  for (int64_t i = 0; i < result_count; ++i) result.Set(i, initial);
  Body select(c, c.op.regions[0], /*accumulate_wide=*/false);
  Body scatter(c, c.op.regions[1], /*accumulate_wide=*/false);
  const Dims& source_dims = source.type().dims;
  Dims position(rank, 0);
  for (int64_t i = 0, count = NumElements(source_dims); i < count;
       ++i, NextIndex(source_dims, position)) {
    ACCELD_RETURN_IF_ERROR(c.machine.Charge(window_count));
    int64_t chosen = -1;
    Dims cell(rank, 0);
    for (int64_t w = 0; w < window_count; ++w, NextIndex(window, cell)) {
      const int64_t next = element_at(position, cell);
      if (next < 0) continue;
      if (chosen >= 0) {
        const Scalar pair[] = {operand.At(chosen), operand.At(next)};
        ACCELD_ASSIGN_OR_RETURN(const absl::Span<const Scalar> keep, select.Run(pair));
        if (keep[0].integer != 0) continue;
      }
      chosen = next;
    }
    if (chosen < 0) continue;
    // The value from the source comes first.
    const Scalar pair[] = {source.At(i), result.At(chosen)};
    ACCELD_ASSIGN_OR_RETURN(const absl::Span<const Scalar> combined, scatter.Run(pair));
    result.Set(chosen, combined[0]);
  }
  return OneResult(result.Finish());
}

}  // namespace acceld::ir::interpreter
