#include "kernels/cpu/support/matmul/matmul_blocks.h"

#include <algorithm>
#include <cmath>

#include "common/ceil_divide.h"
#include "kernels/cpu/support/matmul/matmul_primitives.h"
#include "kernels/cpu/support/matmul/thin_matmul.h"

namespace acceld::kernels::cpu {
namespace {

// The size of blocks of the output: large enough that packing the operands again for each costs
// little, small enough that there are many.
constexpr int64_t kBlockRows = 256;
constexpr int64_t kBlockColumns = 512;
// The least multiplications of a separate task: about 50 us.
constexpr double kMinBlockWork = 3e6;
// The library's kernels take this many columns at a time.
constexpr int64_t kColumnStep = 64;

// `extent` in equal pieces of at most about `target`, each a multiple of `step`.
int64_t PieceOf(int64_t extent, int64_t target, int64_t step) {
  const int64_t pieces = CeilDivide(extent, target);
  return std::min(extent, RoundUp(CeilDivide(extent, pieces), step));
}

// The multiplications that take the library a few milliseconds. Types narrower than f32 are faster.
constexpr double kPieceWork = 6e8, kNarrowPieceWork = 4 * kPieceWork;
// The bytes of operands that take as long to read.
constexpr double kPieceBytes = 64 << 20;
constexpr int64_t kLargestSmallOutput = 256 * 256;
// The most parts of a sum that the library adds up itself. Of more parts, compensated sums are
// computed.
constexpr int64_t kFewParts = 8;
constexpr int64_t kFewColumns = 48;
constexpr int64_t kWidenedDepth = 512;
// The size of outputs that stay in the first-level cache, so that adding to them costs little.
constexpr int64_t kTinyOutput = 1 << 13;

// Groups of fewer are divided, so that there are tasks for several threads.
constexpr int64_t kFewGroups = 4;

// The library adds up sums of at most this many products one after the other. XLA cuts some of
// these sums in halves.
constexpr int64_t kShortDepth = 512, kHalvedDepth = 384;

// Returns the most products that one call of the library may add up for an element. The error of a
// sum grows with the number of products that the library adds one after the other. For long sums it
// computes several partial sums, except if it goes down the columns of lhs, or for a vector; it
// computes few for few columns. If a sum has many parts, the parts may be longer, as their errors
// compensate for each other. For tiny outputs, and for some with a few columns more than the
// library's kernels process at a time, XLA uses shorter sums.
int64_t LongestSum(const MatmulKey& key) {
  const int64_t columns = key[MatmulKey::kN], depth = key[MatmulKey::kK];
  const bool is_short = depth <= kShortDepth;
  if (key.lhs_stride(2) == 1 && columns <= kFewColumns && is_short) {
    return columns > 32 ? 64 : 128;
  }
  const auto of_many = static_cast<int64_t>(2 * std::sqrt(static_cast<double>(depth)));
  const bool has_one_sum = key.lhs_stride(2) != 1 || std::min(key[MatmulKey::kM], columns) == 1;
  int64_t least = has_one_sum ? kMiddleSum : kLongSum;
  if (key[MatmulKey::kM] * columns <= kTinyOutput && (has_one_sum || is_short)) {
    least = std::clamp(depth / kFewParts, kShortSum, kMiddleSum);
  } else if (has_one_sum ? is_short : depth <= kHalvedDepth) {
    least = kShortDepth / 2;
  }
  if (kColumnStep < columns && columns <= kColumnStep * 3 / 2) {
    least = std::min(least, columns <= kColumnStep * 5 / 4 ? 64 : kShortSum);
  }
  return std::clamp(of_many, least, kLongSum);
}

double WorkOf(const MatmulKey& key) {
  return static_cast<double>(key[MatmulKey::kM]) * static_cast<double>(key[MatmulKey::kN]) *
         static_cast<double>(key[MatmulKey::kK]);
}

}  // namespace

MatmulBlocks::MatmulBlocks(const MatmulKey& key, bool is_gram)
    : groups_(key[MatmulKey::kGroups]),
      batch_(key[MatmulKey::kBatch]),
      m_(key[MatmulKey::kM]),
      n_(key[MatmulKey::kN]),
      rows_(m_),
      columns_(n_),
      batch_blocks_(batch_) {
  if (is_gram) {
    DivideTriangle(n_);
  } else if (IsThinMatmul(key)) {
    DivideThin(key);
  } else if (const double work = WorkOf(key); work < 2 * kMinBlockWork) {
    batches_ = std::min<int64_t>(batch_, std::max<int64_t>(1, kMinBlockWork / work));
    batch_blocks_ = CeilDivide(batch_, batches_);
  } else {
    DivideEvenly(key);
  }
  const bool widens = IsWidened(key.input_dtype());
  depth_step_ = DepthStep(
      widens ? ir::DType::kF32 : key.input_dtype(), triangle_.empty() ? rows_ : 2 * kBlockRows,
      triangle_.empty() ? columns_ : triangle_[0].columns, key[MatmulKey::kK], LongestSum(key));
  // The copies of operands that are widened are to stay in the second-level cache.
  if (widens) depth_step_ = PieceOf(key[MatmulKey::kK], std::min(depth_step_, kWidenedDepth), 64);
  // There is no memory for incomplete sums of several matrices.
  if (!widens && batches_ > 1 && ir::BitsOf(key.output_dtype()) < 32)
    depth_step_ = key[MatmulKey::kK];
  adds_short_sums_ = CeilDivide(key[MatmulKey::kK], depth_step_) > kFewParts &&
                     batches_ * rows_ * columns_ <= kLargestSmallOutput && triangle_.empty();
}

int64_t DepthStep(ir::DType input, int64_t rows, int64_t columns, int64_t depth,
                  int64_t longest_sum) {
  const double work = input == ir::DType::kF32 ? kPieceWork : kNarrowPieceWork;
  const auto bytes = static_cast<double>(ir::StorageBytesOf(input));
  const double most = std::min(work / (static_cast<double>(rows) * static_cast<double>(columns)),
                               kPieceBytes / (static_cast<double>(rows + columns) * bytes));
  int64_t step = std::max<int64_t>(static_cast<int64_t>(most), 64);
  const bool rounds = input != ir::DType::kI8;
  if (rounds && rows * columns <= kLargestSmallOutput) step = std::min(step, longest_sum);
  return PieceOf(depth, step, 64);
}

void MatmulBlocks::DivideThin(const MatmulKey& key) {
  const int64_t columns = ThinMatmulColumns(key);
  if (IsInterleaved(key)) {
    // The matrices of the batch are read together, as they lie side by side in memory.
    batches_ = batch_;
    batch_blocks_ = 1;
    if (key.rhs_stride(2) != 1) {
      columns_ = PieceOf(n_, std::max<int64_t>(columns / batch_, 1), 16);
      column_blocks_ = CeilDivide(n_, columns_);
    } else if (groups_ < kFewGroups && columns < batch_ * n_) {
      batches_ = CeilDivide(batch_, 2);
      batch_blocks_ = CeilDivide(batch_, batches_);
    }
  } else if (columns >= 2 * n_) {
    batches_ = std::min(batch_, columns / n_);
    batch_blocks_ = CeilDivide(batch_, batches_);
  } else {
    columns_ = PieceOf(n_, columns, kColumnStep);
    column_blocks_ = CeilDivide(n_, columns_);
  }
}

void MatmulBlocks::DivideEvenly(const MatmulKey& key) {
  rows_ = PieceOf(m_, kBlockRows, 16);
  columns_ = PieceOf(n_, kBlockColumns, 16);
  // A product of few rows or columns has few such blocks. They are made smaller as long as each is
  // worth a task: first narrower, as then rhs is still packed only once.
  const double per_task = WorkOf(key) / kMinBlockWork;
  const auto blocks = [&] { return CeilDivide(m_, rows_) * CeilDivide(n_, columns_); };
  const auto wanted = static_cast<int64_t>(std::min(per_task, 16.0));
  while (blocks() * 2 <= wanted && columns_ > 2 * kColumnStep) {
    columns_ = PieceOf(n_, columns_ / 2, kColumnStep);
  }
  while (blocks() * 2 <= wanted && rows_ > 2 * kColumnStep) {
    rows_ = PieceOf(m_, rows_ / 2, 16);
  }
  row_blocks_ = CeilDivide(m_, rows_);
  column_blocks_ = CeilDivide(n_, columns_);
}

// Divides the triangle into strips of columns from the diagonal down, so that rhs is packed once
// for many rows. The longest strips come first.
void MatmulBlocks::DivideTriangle(int64_t n) {
  const int64_t strip = n >= 2048 ? 256 : n >= 512 ? 128 : 64;
  const int64_t height = 2 * kBlockRows;
  for (int64_t column = 0; column < n; column += strip) {
    const int64_t columns = std::min(strip, n - column);
    for (int64_t row = column; row < n; row += height) {
      triangle_.push_back(
          {.row = row, .rows = std::min(height, n - row), .column = column, .columns = columns});
    }
  }
}

MatmulBlock MatmulBlocks::operator[](int64_t index) const {
  const int64_t within = index % PerBatch();
  const int64_t of_batch = index / PerBatch();
  MatmulBlock block;
  if (triangle_.empty()) {
    block.row = within / column_blocks_ * rows_;
    block.rows = std::min(rows_, m_ - block.row);
    block.column = within % column_blocks_ * columns_;
    block.columns = std::min(columns_, n_ - block.column);
  } else {
    block = triangle_[within];
  }
  block.group = of_batch / batch_blocks_;
  block.first_batch = of_batch % batch_blocks_ * batches_;
  block.batches = std::min(batches_, batch_ - block.first_batch);
  return block;
}

bool IsGramMatrix(const MatmulKey& key, bool same_operands) {
  return same_operands && key[MatmulKey::kM] == key[MatmulKey::kN] && key[MatmulKey::kM] >= 128 &&
         key[MatmulKey::kK] >= 64 && WorkOf(key) >= 2 * kMinBlockWork &&
         key[MatmulKey::kLhsGroupStride] == key[MatmulKey::kRhsGroupStride] &&
         key.lhs_stride(0) == key.rhs_stride(0) && key.lhs_stride(1) == key.rhs_stride(2) &&
         key.lhs_stride(2) == key.rhs_stride(1);
}

}  // namespace acceld::kernels::cpu
