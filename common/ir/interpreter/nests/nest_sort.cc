#include <algorithm>
#include <numeric>

#include "common/ir/interpreter/machine.h"
#include "common/ir/interpreter/nests/body.h"
#include "common/ir/interpreter/tensor.h"

namespace acceld::ir::interpreter {
namespace {

// Sorts positions along one line of the operands by the comparator of a sort op. This is a merge
// sort, because std::sort cannot be used: a comparator from a program may fail, and need not be a
// strict weak order.
class LineSorter {
 public:
  LineSorter(EvalContext& c, std::vector<TensorView>& views)
      : body_(c, c.op.regions[0], /*accumulate_wide=*/false),
        views_(views),
        arguments_(2 * views.size()) {}

  // Element i of the line is element `base + i * stride` of the operands. The input consists of
  // sorted runs of `sorted` elements, which are merged to runs of `wanted` elements, a power of two
  // times as many.
  absl::StatusOr<std::vector<int64_t>> Sort(int64_t base, int64_t stride, int64_t size,
                                            int64_t sorted, int64_t wanted) {
    std::vector<int64_t> order(size);
    std::iota(order.begin(), order.end(), 0);
    std::vector<int64_t> merged(size);
    for (int64_t run = sorted; run < std::min(size, wanted); run *= 2) {
      for (int64_t low = 0; low < size; low += 2 * run) {
        const int64_t middle = std::min(low + run, size);
        const int64_t high = std::min(low + 2 * run, size);
        for (int64_t left = low, right = middle, out = low; out < high; ++out) {
          bool take_right = left == middle;
          if (left < middle && right < high) {
            // The right element goes first only when it is less, so that equal elements keep their
            // order.
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

struct LineSort {
  int64_t dimension;
  int64_t sorted = 1, wanted = 0;  // lengths of sorted runs, before and after
  int64_t keep = 0;                // how many elements of each run to keep
};

EvalResult SortLines(EvalContext& c, const LineSort& sort) {
  const Dims& dims = c.operand(0).type().dims;
  const int64_t size = dims[sort.dimension];
  const int64_t stride = RowMajorStrides(dims)[sort.dimension];

  std::vector<TensorView> views;
  std::vector<TensorBuilder> results;
  for (size_t k = 0; k < c.operands.size(); ++k) {
    views.emplace_back(c.operand(k));
    results.emplace_back(c.result(k));
  }
  LineSorter sorter(c, views);
  Dims line_dims = dims;
  line_dims[sort.dimension] = 1;
  const Dims strides = RowMajorStrides(dims);
  const Dims result_strides = RowMajorStrides(c.result().dims);
  Dims index(dims.size(), 0);
  for (int64_t line = 0, lines = size == 0 ? 0 : NumElements(line_dims); line < lines;
       ++line, NextIndex(line_dims, index)) {
    const int64_t base = LinearIndex(strides, index);
    ACCELD_ASSIGN_OR_RETURN(const std::vector<int64_t> order,
                            sorter.Sort(base, stride, size, sort.sorted, sort.wanted));
    int64_t to = LinearIndex(result_strides, index);
    for (int64_t i = 0; i < size; ++i) {
      if (i % sort.wanted >= sort.keep) continue;
      for (size_t k = 0; k < views.size(); ++k) {
        std::copy_n(views[k].BytesAt(base + order[i] * stride),
                    StorageBytesOf(views[k].type().dtype), results[k].BytesAt(to));
      }
      to += result_strides[sort.dimension];
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
  const int64_t size = std::max<int64_t>(dims[dimension], 1);
  return SortLines(c, {.dimension = dimension, .wanted = size, .keep = size});
}

EvalResult EvalPartialSort(EvalContext& c) {
  const auto& attributes = c.As<PartialSortAttributes>();
  const int64_t size = std::max<int64_t>(c.operand(0).type().dims[attributes.dimension], 1);
  return SortLines(c,
                   {.dimension = attributes.dimension, .wanted = size, .keep = attributes.limit});
}

EvalResult EvalSortRuns(EvalContext& c) {
  const auto& attributes = c.As<SortRunsAttributes>();
  return SortLines(c, {.dimension = 1, .wanted = attributes.run, .keep = attributes.keep});
}

EvalResult EvalMergeRuns(EvalContext& c) {
  const int64_t run = c.As<MergeRunsAttributes>().run;
  return SortLines(c, {.dimension = 1, .sorted = run, .wanted = 2 * run, .keep = 2 * run});
}

namespace {

// Rotates an unsigned integer of this width by one digit.
int64_t RotatedByDigit(int64_t key, int bits) {
  const auto digit = static_cast<uint64_t>(key) & 255;
  return static_cast<int64_t>(static_cast<uint64_t>(key) >> 8 | digit << (bits - 8));
}

}  // namespace

EvalResult EvalDigitSort(EvalContext& c) {
  const auto& attributes = c.As<DigitSortAttributes>();
  const Dims& dims = c.operand(0).type().dims;
  const int64_t length = dims[1];
  const int bits = BitsOf(c.operand(0).type().dtype);
  std::vector<TensorView> views;
  std::vector<TensorBuilder> results;
  for (size_t k = 0; k < c.operands.size(); ++k) views.emplace_back(c.operand(k));
  for (size_t k = 0; k < c.op.results.size(); ++k) results.emplace_back(c.result(k));
  TensorBuilder& starts = results.back();
  const int64_t columns = starts.type().dims[2];
  for (int64_t row = 0; row < dims[0]; ++row) {
    std::vector<int64_t> by_digit[256];  // positions
    for (int64_t i = 0; i < length; ++i) {
      const Scalar key = views[0].At(row * length + i);
      by_digit[key.integer & 255].push_back(i);
    }
    int64_t to = row * length;
    for (int64_t digit = 0; digit < 256; ++digit) {
      const std::vector<int64_t>& positions = by_digit[digit];
      for (int64_t column = 0; column < columns; ++column) {
        const auto before =
            std::lower_bound(positions.begin(), positions.end(), column * attributes.tile);
        starts.Set((row * 256 + digit) * columns + column, OfInteger(before - positions.begin()));
      }
      for (const int64_t position : positions) {
        const int64_t from = row * length + position;
        results[0].Set(to, OfInteger(RotatedByDigit(views[0].At(from).integer, bits)));
        if (views.size() > 1) results[1].Set(to, views[1].At(from));
        ++to;
      }
    }
  }
  std::vector<Value> values;
  for (TensorBuilder& result : results) values.push_back(result.Finish());
  return values;
}

}  // namespace acceld::ir::interpreter
