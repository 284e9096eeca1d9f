#include <numeric>

#include "common/ir/interpreter/body.h"
#include "common/ir/interpreter/machine.h"
#include "common/ir/interpreter/tensor.h"

namespace acceld::ir::interpreter {
namespace {

// Sorts positions along one line of the operands by the comparator of a sort op. A merge sort of
// our own: a comparator from a program may fail, and need not be a strict weak order.
class LineSorter {
 public:
  LineSorter(EvalContext& c, std::vector<TensorView>& views)
      : body_(c, c.op.regions[0], /*accumulate_wide=*/false),
        views_(views),
        arguments_(2 * views.size()) {}

  // Element i of the line is element `base + i * stride` of the operands.
  absl::StatusOr<std::vector<int64_t>> Sort(int64_t base, int64_t stride, int64_t size) {
    std::vector<int64_t> order(size);
    std::iota(order.begin(), order.end(), 0);
    std::vector<int64_t> merged(size);
    for (int64_t run = 1; run < size; run *= 2) {
      for (int64_t low = 0; low < size; low += 2 * run) {
        const int64_t middle = std::min(low + run, size);
        const int64_t high = std::min(low + 2 * run, size);
        for (int64_t left = low, right = middle, out = low; out < high; ++out) {
          bool take_right = left == middle;
          if (left < middle && right < high) {
            // The right one goes first only when it is less: equal elements keep their order.
            ACCELD_ASSIGN_OR_RETURN(
                take_right, IsLess(base + order[right] * stride, base + order[left] * stride));
          }
          merged[out] = take_right ? order[right++] : order[left++];
        }
      }
      std::swap(order, merged);
    }
    return order;
  }

 private:
  absl::StatusOr<bool> IsLess(int64_t a, int64_t b) {
    for (size_t k = 0; k < views_.size(); ++k) {
      arguments_[2 * k] = views_[k].At(a);
      arguments_[2 * k + 1] = views_[k].At(b);
    }
    ACCELD_ASSIGN_OR_RETURN(const absl::Span<const Scalar> result, body_.Run(arguments_));
    return result[0].integer != 0;
  }

  Body body_;
  std::vector<TensorView>& views_;
  std::vector<Scalar> arguments_;
};

// The first `limit` elements of each sorted line.
EvalResult SortLines(EvalContext& c, int64_t dimension, int64_t limit) {
  const Dims& dims = c.operand(0).type().dims;
  const int64_t size = dims[dimension];
  const int64_t stride = RowMajorStrides(dims)[dimension];

  std::vector<TensorView> views;
  std::vector<TensorBuilder> results;
  for (size_t k = 0; k < c.operands.size(); ++k) {
    views.emplace_back(c.operand(k));
    results.emplace_back(c.result(k));
  }
  LineSorter sorter(c, views);
  Dims line_dims = dims;
  line_dims[dimension] = 1;
  const Dims strides = RowMajorStrides(dims);
  const Dims result_strides = RowMajorStrides(c.result().dims);
  Dims index(dims.size(), 0);
  for (int64_t line = 0, lines = size == 0 ? 0 : NumElements(line_dims); line < lines;
       ++line, NextIndex(line_dims, index)) {
    const int64_t base = LinearIndex(strides, index);
    ACCELD_ASSIGN_OR_RETURN(const std::vector<int64_t> order, sorter.Sort(base, stride, size));
    for (size_t k = 0; k < views.size(); ++k) {
      const int64_t bytes = StorageBytesOf(views[k].type().dtype);
      for (int64_t i = 0; i < limit; ++i) {
        std::copy_n(
            views[k].BytesAt(base + order[i] * stride), bytes,
            results[k].BytesAt(LinearIndex(result_strides, index) + i * result_strides[dimension]));
      }
    }
  }
  std::vector<Value> values;
  for (TensorBuilder& result : results) values.push_back(result.Finish());
  return values;
}

}  // namespace

// StableHLO specification, "sort"; always stable.
EvalResult EvalSort(EvalContext& c) {
  const Dims& dims = c.operand(0).type().dims;
  const auto rank = static_cast<int64_t>(dims.size());
  if (rank == 0) return c.OperandValues();
  int64_t dimension = c.As<SortAttributes>().dimension;
  if (dimension < 0) dimension += rank;
  return SortLines(c, dimension, dims[dimension]);
}

EvalResult EvalPartialSort(EvalContext& c) {
  const auto& attributes = c.As<PartialSortAttributes>();
  return SortLines(c, attributes.dimension, attributes.limit);
}

}  // namespace acceld::ir::interpreter
