#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/matmul_key.h"

namespace acceld::kernels::cpu {

// A part of the output of a matrix product that one thread computes.
struct MatmulBlock {
  int64_t first_batch = 0, batches = 1;
  int64_t row = 0, rows = 0;
  int64_t column = 0, columns = 0;
};

// The most products that the library adds up in one call for an element of a small output: where it
// has several sums at work (kLongSum), where it adds all products one after the other
// (kMiddleSum), and for outputs that are tiny (kShortSum).
inline constexpr int64_t kLongSum = 1024, kMiddleSum = 320, kShortSum = 128;

// How long the sums of one call of the library are, of a block of `rows` x `columns` elements that
// are sums of `depth` products each: all of it, or a part that takes a few milliseconds; of a small
// block `longest_sum` at most.
int64_t DepthStep(ir::DType input, int64_t rows, int64_t columns, int64_t depth,
                  int64_t longest_sum);

// How the output of a matrix product is cut into blocks. It depends on the product alone, not on
// the number of threads, so that results do not either. Immutable.
class MatmulBlocks {
 public:
  // With `is_gram` the product is one of a matrix and its own transpose: its blocks cover no more
  // than the lower triangle of the output and the squares on its diagonal. What a block has below
  // its square (from row column + columns on) is to be copied to the other side of the diagonal.
  MatmulBlocks(const MatmulKey& key, bool is_gram);

  int64_t count() const { return batch_blocks_ * PerBatch(); }
  MatmulBlock operator[](int64_t index) const;
  // Sums of a block are added up in steps of this many products.
  int64_t depth_step() const { return depth_step_; }
  // There are so many steps, for small outputs, that their sums are to be added up without loss.
  bool adds_short_sums() const { return adds_short_sums_; }

 private:
  void CutEvenly(const MatmulKey& key);
  void CutTriangle(int64_t n);
  int64_t PerBatch() const {
    return triangle_.empty() ? row_blocks_ * column_blocks_
                             : static_cast<int64_t>(triangle_.size());
  }

  int64_t batch_, m_, n_;
  int64_t batches_ = 1, rows_, columns_;  // of one block
  int64_t batch_blocks_, row_blocks_ = 1, column_blocks_ = 1;
  int64_t depth_step_;
  bool adds_short_sums_;
  std::vector<MatmulBlock> triangle_;  // of one matrix, for Gram matrices
};

// Whether the product is one of a matrix and its own transpose, so large that computing half of it
// pays. `same_operands`: lhs and rhs begin at the same address.
bool IsGramMatrix(const MatmulKey& key, bool same_operands);

}  // namespace acceld::kernels::cpu
