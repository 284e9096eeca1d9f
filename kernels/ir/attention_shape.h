#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/ir/types/type.h"

namespace acceld::kernels {

// The memory layout of one operand of attention: a matrix of rows and columns for each batch index.
// The offset and the strides are in elements. A stride is 0 where the operand is broadcast.
struct AttentionOperand {
  int64_t offset = 0;  // of the first element, from the start of the buffer
  std::vector<int64_t> batch_strides;
  int64_t row_stride = 0, column_stride = 0;
  friend bool operator==(const AttentionOperand&, const AttentionOperand&) = default;
};

// The last (or first) key that query i attends to: row_step * i + offset, inclusive.
struct AttentionBound {
  int64_t row_step = 0;  // 0 or 1
  int64_t offset = 0;
  friend bool operator==(const AttentionBound&, const AttentionBound&) = default;
};

// Scaled dot-product attention: sizes, element types, strides, masks and scalars. For each batch
// index, query i and key j:
//
//   s[i, j] = scale * sum over d of query[i, d] * key[j, d]        in f32 or wider
//   s[i, j] = score_dtype(s[i, j] + bias[i, j])                    only with a bias
//   s[i, j] = fill                                                 if a mask or a bound excludes it
//   p[i, j] = exp(s[i, j] - max over j of s[i, j])
//   output[i, f] = sum over j of p[i, j] * value[j, f] / sum over j of p[i, j]
//
// An output row is NaN if all its scores are -infinity or any of them is +infinity or NaN. Where
// p[i, j] is 0 because first_key or last_key excludes key j, an implementation may skip the term
// p[i, j] * value[j, f], so that 0 * infinity is 0 there.
struct AttentionShape {
  // A mask of type i1. Scores for which the mask element equals `keeps_when` are kept; the others
  // are replaced by `fill`.
  struct Mask {
    AttentionOperand at;  // rows are queries, columns are keys
    bool keeps_when = true;
    friend bool operator==(const Mask&, const Mask&) = default;
  };
  // A bias that is added to the scores.
  struct Bias {
    AttentionOperand at;  // rows are queries, columns are keys
    ir::DType dtype = ir::DType::kF32;
    ir::DType score_dtype = ir::DType::kF32;  // scores are rounded to it after the bias is added
    friend bool operator==(const Bias&, const Bias&) = default;
  };

  ir::DType dtype = ir::DType::kF32;  // of query, key and value
  ir::DType output_dtype = ir::DType::kF32;
  std::vector<int64_t> batch;  // sizes of the batch dimensions, outermost first
  // The numbers of queries and keys for each batch index, and of elements of a query or key, and of
  // a value.
  int64_t queries = 1, keys = 1, depth = 1, features = 1;
  AttentionOperand query, key;     // columns are the depth
  AttentionOperand value, output;  // columns are features
  double scale = 1;
  std::optional<Bias> bias;
  std::vector<Mask> masks;
  std::optional<AttentionBound> last_key, first_key;  // other keys' scores are replaced by `fill`
  double fill = 0;

  // Whether a score may be replaced by `fill`.
  bool has_fill() const { return !masks.empty() || last_key.has_value() || first_key.has_value(); }
  // The product of the batch sizes.
  int64_t batches() const {
    int64_t product = 1;
    for (const int64_t size : batch) product *= size;
    return product;
  }
  friend bool operator==(const AttentionShape&, const AttentionShape&) = default;
};

}  // namespace acceld::kernels
