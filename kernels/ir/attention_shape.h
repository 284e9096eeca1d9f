#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/ir/types/type.h"

namespace acceld::kernels {

// Where an operand of attention has its elements: rows and columns for each of the batch. In
// elements; a stride is 0 where the same element serves all.
struct AttentionOperand {
  int64_t offset = 0;  // of the first, from the beginning of the place
  std::vector<int64_t> batch_strides;
  int64_t row_stride = 0, column_stride = 0;
  friend bool operator==(const AttentionOperand&, const AttentionOperand&) = default;
};

// For query i keys up to, or from, row_step * i + offset.
struct AttentionBound {
  int64_t row_step = 0;  // 0 or 1
  int64_t offset = 0;
  friend bool operator==(const AttentionBound&, const AttentionBound&) = default;
};

// Scaled dot-product attention. For each of the batch, query i and key j:
//
//   s[i, j] = scale * sum over d of query[i, d] * key[j, d]        in f32 or finer
//   s[i, j] = score_dtype(s[i, j] + bias[i, j])                    with a bias
//   s[i, j] = fill                                                 where the masks say so
//   p[i, j] = exp(s[i, j] - max over j of s[i, j])
//   output[i, f] = sum over j of p[i, j] * value[j, f] / sum over j of p[i, j]
//
// A row whose scores are all -infinity, or one of them +infinity or NaN, is NaN. Where p is 0
// because of a bound, value may count or not: 0 * infinity is then 0.
struct AttentionShape {
  // Every element that is true, or false, keeps its score; the others get the fill.
  struct Mask {
    AttentionOperand at;  // i1; rows are queries, columns are keys
    bool keeps_when = true;
    friend bool operator==(const Mask&, const Mask&) = default;
  };
  struct Bias {
    AttentionOperand at;  // rows are queries, columns are keys
    ir::DType dtype = ir::DType::kF32;
    ir::DType score_dtype = ir::DType::kF32;  // what scores are rounded to behind it
    friend bool operator==(const Bias&, const Bias&) = default;
  };

  ir::DType dtype = ir::DType::kF32;  // of query, key and value
  ir::DType output_dtype = ir::DType::kF32;
  std::vector<int64_t> batch;  // sizes; outermost first
  int64_t queries = 1, keys = 1, depth = 1, features = 1;
  AttentionOperand query, key;     // columns are the depth
  AttentionOperand value, output;  // columns are features
  double scale = 1;
  std::optional<Bias> bias;
  std::vector<Mask> masks;
  std::optional<AttentionBound> last_key, first_key;  // the keys that keep their scores
  double fill = 0;

  bool has_fill() const { return !masks.empty() || last_key.has_value() || first_key.has_value(); }
  int64_t batches() const {
    int64_t product = 1;
    for (const int64_t size : batch) product *= size;
    return product;
  }
  friend bool operator==(const AttentionShape&, const AttentionShape&) = default;
};

}  // namespace acceld::kernels
