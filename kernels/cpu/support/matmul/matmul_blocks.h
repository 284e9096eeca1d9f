#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/matmul_key.h"

namespace acceld::kernels::cpu {

// A block of the output of a matrix product: some matrices of one group's batch, some rows and some
// columns. One thread computes it.
struct MatmulBlock {
  int64_t group = 0;
  int64_t first_batch = 0, batches = 1;
  int64_t row = 0, rows = 0;
  int64_t column = 0, columns = 0;
};

// The most products that one call of the library adds up for an element of a small output: where
// the library computes several partial sums (kLongSum), where it adds all products one after the
// other (kMiddleSum), and for tiny outputs (kShortSum).
inline constexpr int64_t kLongSum = 1024, kMiddleSum = 320, kShortSum = 128;

// Returns how many products one call of the library adds up for a block of `rows` x `columns`
// elements that are sums of `depth` products each: all of them, or as many as take a few
// milliseconds; for small blocks at most `longest_sum`.
int64_t DepthStep(ir::DType input, int64_t rows, int64_t columns, int64_t depth,
                  int64_t longest_sum);

// How the output of a matrix product is divided into blocks. It depends on the product alone, not
// on the number of threads, so that results do not either. Immutable.
class MatmulBlocks {
 public:
  // With `is_gram` the product is that of a matrix and its own transpose. Its blocks then cover
  // only the lower triangle of the output and squares on its diagonal. The part of a block below
  // its square (from row column + columns on) is to be copied to the other side of the diagonal.
  MatmulBlocks(const MatmulKey& key, bool is_gram);

  int64_t count() const { return groups_ * batch_blocks_ * PerBatch(); }
  // Returns the block with this index.
  MatmulBlock operator[](int64_t index) const;
  // The number of products that one call of the library adds up for each element of a block.
  int64_t depth_step() const { return depth_step_; }
  // Returns whether an element's sum takes so many calls of the library that their results have to
  // be added up as a compensated sum. Only for small outputs.
  bool adds_short_sums() const { return adds_short_sums_; }

 private:
  // Divides the output into blocks of equal size.
  void DivideEvenly(const MatmulKey& key);
  // Divides a product whose right operand is to be read once into blocks of all rows.
  void DivideThin(const MatmulKey& key);
  // Divides the lower triangle of an output of n x n elements into blocks.
  void DivideTriangle(int64_t n);
  int64_t PerBatch() const {
    return triangle_.empty() ? row_blocks_ * column_blocks_
                             : static_cast<int64_t>(triangle_.size());
  }

  int64_t groups_, batch_, m_, n_;
  int64_t batches_ = 1, rows_, columns_;  // size of a block
  int64_t batch_blocks_, row_blocks_ = 1, column_blocks_ = 1;
  int64_t depth_step_;
  bool adds_short_sums_;
  std::vector<MatmulBlock> triangle_;  // the blocks of one matrix if is_gram, else empty
};

// Returns whether the product is that of a matrix and its own transpose, and large enough that
// computing half of it pays. `same_operands` says that lhs and rhs begin at the same address.
bool IsGramMatrix(const MatmulKey& key, bool same_operands);

}  // namespace acceld::kernels::cpu
