#include "tests/unit/kernels/attention_cases.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"

namespace acceld::kernels {
namespace {

using ir::DType;

// Operands row-major, as [batch, heads, rows, columns].
AttentionShape Plain(DType dtype, std::vector<int64_t> batch, int64_t queries, int64_t keys,
                     int64_t depth, int64_t features) {
  AttentionShape shape{.dtype = dtype,
                       .output_dtype = dtype,
                       .batch = std::move(batch),
                       .queries = queries,
                       .keys = keys,
                       .depth = depth,
                       .features = features};
  const auto lay = [&](AttentionOperand& operand, int64_t rows, int64_t columns) {
    operand.row_stride = columns;
    operand.column_stride = 1;
    operand.batch_strides.assign(shape.batch.size(), 0);
    int64_t stride = rows * columns;
    for (size_t d = shape.batch.size(); d-- > 0; stride *= shape.batch[d]) {
      operand.batch_strides[d] = stride;
    }
  };
  lay(shape.query, queries, depth);
  lay(shape.key, keys, depth);
  lay(shape.value, keys, features);
  lay(shape.output, queries, features);
  shape.scale = 1 / std::sqrt(static_cast<double>(depth));
  return shape;
}

// A mask or bias for each query and key, the same for all of the batch.
AttentionOperand Shared(const AttentionShape& shape) {
  return {.offset = 0,
          .batch_strides = std::vector<int64_t>(shape.batch.size(), 0),
          .row_stride = shape.keys,
          .column_stride = 1};
}

}  // namespace

std::vector<AttentionCase> AttentionCases() {
  std::vector<AttentionCase> cases;
  for (const DType dtype : {DType::kF32, DType::kBF16, DType::kF16}) {
    const auto add = [&](std::string name, AttentionShape shape, double density = 0.7) {
      cases.push_back({absl::StrCat(ir::DTypeName(dtype), " ", name), std::move(shape), density});
    };
    for (const int64_t width : {16, 64, 80, 128, 256}) {
      add(absl::StrCat("width ", width), Plain(dtype, {2}, 70, 100, width, width));
    }
    add("odd sizes", Plain(dtype, {1, 3}, 37, 41, 23, 51));
    // What follows is the same for both narrow floats.
    if (dtype == DType::kF16) continue;
    add("wide keys and narrow values", Plain(dtype, {2}, 65, 65, 192, 24));
    add("one query", Plain(dtype, {3}, 1, 130, 64, 64));
    add("a few queries", Plain(dtype, {2}, 20, 90, 128, 128));
    add("a few wide queries", Plain(dtype, {1}, 9, 50, 200, 200));
    // So many that blocks of threads are larger.
    if (dtype == DType::kBF16) add("many queries", Plain(dtype, {512}, 128, 16, 128, 128));
    for (const int64_t shift : {0, 30, -20}) {
      AttentionShape causal = Plain(dtype, {2}, 150, 140, 32, 32);
      causal.last_key = AttentionBound{1, shift};
      causal.fill = -INFINITY;
      add(absl::StrCat("causal ", shift), causal);
      // Rows of nothing but the fill take all values alike, those of skipped blocks, too.
      causal.fill = -1e9;
      add(absl::StrCat("causal ", shift, " with a finite fill"), causal);
    }
    {
      AttentionShape window = Plain(dtype, {1}, 150, 300, 64, 64);
      window.first_key = AttentionBound{1, 40};
      window.last_key = AttentionBound{1, 90};
      window.fill = -1e30;
      add("window", window);
      window.last_key = AttentionBound{0, 160};  // the last rows have no keys
      add("window with an end", window);
    }
    {
      AttentionShape masked = Plain(dtype, {2}, 33, 70, 64, 64);
      masked.masks = {{.at = Shared(masked)}};
      masked.fill = -INFINITY;
      add("mask", masked);
      add("mask of nothing", masked, 0);
      masked.fill = -1e9;
      add("mask of nothing with a finite fill", masked, 0);
      masked.masks.push_back({.at = Shared(masked), .keeps_when = false});
      masked.masks[1].at.row_stride = 0;  // of keys alone
      masked.last_key = AttentionBound{1, 0};
      add("two masks and causal", masked);
    }
    for (const DType bias : {DType::kF32, DType::kBF16}) {
      AttentionShape biased = Plain(dtype, {2, 2}, 40, 50, 32, 32);
      biased.bias = AttentionShape::Bias{.at = Shared(biased), .dtype = bias, .score_dtype = bias};
      biased.bias->at.batch_strides[1] = 40 * 50;
      add(absl::StrCat("bias ", ir::DTypeName(bias)), biased);
    }
    {
      // [batch, rows, heads, columns], with two heads of queries for each of keys.
      AttentionShape grouped = Plain(dtype, {2, 2, 2}, 48, 64, 32, 32);
      grouped.query = {0, {48 * 128, 64, 32}, 128, 1};
      grouped.output = grouped.query;
      grouped.key = {0, {64 * 64, 32, 0}, 64, 1};
      grouped.value = grouped.key;
      add("grouped heads", grouped);
      // All three in one, one element too far for vectors, and keys in columns.
      AttentionShape together = Plain(dtype, {2}, 48, 48, 32, 32);
      together.query = {1, {48 * 100}, 100, 1};
      together.key = {0, {48 * 32}, 1, 48};
      together.value = {64, {48 * 100}, 100, 1};
      together.output = {0, {48 * 32}, 1, 48};
      together.output_dtype = DType::kF32;
      add("unaligned and transposed", together);
    }
  }
  return cases;
}

int64_t ReachOf(const AttentionShape& shape, const AttentionOperand& operand, int64_t rows,
                int64_t columns) {
  int64_t last =
      operand.offset + (rows - 1) * operand.row_stride + (columns - 1) * operand.column_stride;
  for (size_t d = 0; d < shape.batch.size(); ++d) {
    last += (shape.batch[d] - 1) * operand.batch_strides[d];
  }
  return last + 1;
}

}  // namespace acceld::kernels
