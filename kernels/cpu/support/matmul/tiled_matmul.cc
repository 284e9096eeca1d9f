#include "kernels/cpu/support/matmul/tiled_matmul.h"

#include <algorithm>

#include "kernels/cpu/support/matmul/product_tiles.h"
#include "kernels/cpu/support/poll.h"
#include "kernels/cpu/support/result.h"
#include "kernels/cpu/support/routines/wide_vectors.h"
#include "kernels/cpu/support/scratchpad.h"

namespace acceld::kernels::cpu {
namespace {

// The multiplications of small products, of small ones for which tiles are less suitable, and of
// large ones.
constexpr double kSmallWork = 1e6, kVerySmallWork = 2.5e5, kLargeWork = 6e6;
constexpr int64_t kFewColumns = 48, kVeryFewColumns = 16;
// A right operand with consecutive columns is used as it is for few rows, if its columns are not
// short. For many rows it is worth being transposed.
constexpr int64_t kFewRows = 6, kManyRows = 24, kShortColumn = 24;

bool SuitsVectors(int64_t rows, int64_t depth) { return rows < kFewRows && depth >= kShortColumn; }

// The longest sums. Longer ones would have so many partial sums that adding these loses more than
// the library does.
constexpr int64_t kMostDepth = 4096;
// The rows of lhs that are multiplied with all tiles before the next rows are: few enough to stay
// in the first-level cache.
constexpr int64_t kMostRows = 64, kLeastRows = 8, kCachedElements = 4096;

// The products between two polls: a few milliseconds.
constexpr int64_t kProductsBetweenPolls = int64_t{1} << 22;

// Returns the most products of an element that are added up one after the other.
int64_t LongestSum(int64_t depth) { return depth <= 64 ? 16 : depth <= 256 ? 32 : kLongestSum; }

typedef float Vector __attribute__((vector_size(32), aligned(alignof(float)), may_alias));
constexpr int64_t kLanes = 8;

// Computes out[i * out_step] = sum over k < depth of lhs[i * row_step + k] * right[k], by several
// vectors of partial sums, which start anew after kBlock products.
ACCELD_WIDE_VECTORS
void MultiplyVector(int64_t rows, int64_t depth, const float* lhs, int64_t row_step,
                    const float* right, float* out, int64_t out_step) {
  constexpr int64_t kVectors = 4, kStep = kVectors * kLanes, kBlock = 128 * kStep;
  for (int64_t row = 0; row < rows; ++row) {
    const float* const left = lhs + row * row_step;
    float total = 0;
    for (int64_t first = 0; first < depth; first += kBlock) {
      const int64_t end = std::min(depth, first + kBlock);
      Vector sums[kVectors] = {};
      int64_t k = first;
      for (; k + kStep <= end; k += kStep) {
#pragma GCC unroll 4
        for (int64_t v = 0; v < kVectors; ++v) {
          sums[v] += *reinterpret_cast<const Vector*>(left + k + v * kLanes) *
                     *reinterpret_cast<const Vector*>(right + k + v * kLanes);
        }
      }
      for (int64_t v = 0; k + kLanes <= end; k += kLanes, ++v) {
        sums[v] += *reinterpret_cast<const Vector*>(left + k) *
                   *reinterpret_cast<const Vector*>(right + k);
      }
      float rest = 0;
      for (; k < end; ++k) rest += left[k] * right[k];
      const Vector s = (sums[0] + sums[1]) + (sums[2] + sums[3]);
      total += (((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))) + rest;
    }
    out[row * out_step] = total;
  }
}

// Computes the product of one matrix of the batch.
class TiledProduct {
 public:
  TiledProduct(const LaunchContext& context, const MatmulKey& key, int64_t rows)
      : context_(context),
        rows_(rows),
        columns_(key[MatmulKey::kN]),
        depth_(key[MatmulKey::kK]),
        lhs_row_step_(key.lhs_stride(1)),
        lhs_column_step_(key.lhs_stride(2)),
        rhs_row_step_(key.rhs_stride(1)),
        rhs_column_step_(key.rhs_stride(2)) {}

  absl::Status Run(const float* lhs, const float* rhs, float* out) const {
    if (columns_ >= kMinTileColumns) {
      const bool lies_by_columns = rhs_row_step_ == 1 && rhs_column_step_ != 1;
      if (lies_by_columns && SuitsVectors(rows_, depth_)) return RunRows(lhs, rhs, out);
      return RunTiles(lhs, rhs, out);
    }
    if (lhs_column_step_ == 1 || depth_ == 1) return RunColumns(lhs, rhs, out);
    if (rows_ >= kMinTileColumns) return RunTransposed(lhs, rhs, out);
    return RunElements(lhs, rhs, out);
  }

 private:
  static float* Reserve(int64_t elements) {
    thread_local Scratchpad memory;
    return static_cast<float*>(memory.Reserve(elements * sizeof(float)));
  }

  static absl::Status NoMemory() {
    return absl::ResourceExhaustedError("matmul: no memory for its right operand");
  }

  // Computes out[i * out_step] = row i of a matrix, whose elements are consecutive in memory, times
  // a vector.
  absl::Status MultiplyByVector(int64_t rows, const float* matrix, int64_t row_step,
                                const float* vector, int64_t step, float* out,
                                int64_t out_step) const {
    if (step != 1) {
      float* const copy = Reserve(depth_);
      if (copy == nullptr) return NoMemory();
      for (int64_t k = 0; k < depth_; ++k) copy[k] = vector[k * step];
      vector = copy;
    }
    const int64_t at_once = std::max<int64_t>(kProductsBetweenPolls / depth_, 1);
    for (int64_t row = 0; row < rows; row += at_once) {
      ACCELD_RETURN_IF_ERROR(WaitWhilePaused());
      MultiplyVector(std::min(at_once, rows - row), depth_, matrix + row * row_step, row_step,
                     vector, out + row * out_step, out_step);
    }
    return absl::OkStatus();
  }

  // Computes the product column by column.
  absl::Status RunColumns(const float* lhs, const float* rhs, float* out) const {
    for (int64_t column = 0; column < columns_; ++column) {
      ACCELD_RETURN_IF_ERROR(MultiplyByVector(rows_, lhs, lhs_row_step_,
                                              rhs + column * rhs_column_step_, rhs_row_step_,
                                              out + column, columns_));
    }
    return absl::OkStatus();
  }

  // Computes the product row by row.
  absl::Status RunRows(const float* lhs, const float* rhs, float* out) const {
    for (int64_t row = 0; row < rows_; ++row) {
      ACCELD_RETURN_IF_ERROR(MultiplyByVector(columns_, rhs, rhs_column_step_,
                                              lhs + row * lhs_row_step_, lhs_column_step_,
                                              out + row * columns_, 1));
    }
    return absl::OkStatus();
  }

  // Computes the product by tiles of several rows and whole vectors of columns. If the columns are
  // not neighbours in memory, rhs is transposed first.
  absl::Status RunTiles(const float* lhs, const float* rhs, float* out) const {
    int64_t rhs_row_step = rhs_row_step_;
    if (rhs_column_step_ != 1) {
      float* const copy = Reserve(depth_ * columns_);
      if (copy == nullptr) return NoMemory();
      // Copies a cache line of each row at a time.
      constexpr int64_t kLine = 16;
      for (int64_t first = 0; first < columns_; first += kLine) {
        const int64_t end = std::min(columns_, first + kLine);
        for (int64_t k = 0; k < depth_; ++k) {
          for (int64_t column = first; column < end; ++column) {
            copy[k * columns_ + column] = rhs[k * rhs_row_step_ + column * rhs_column_step_];
          }
        }
      }
      rhs = copy;
      rhs_row_step = columns_;
    }
    const SumLoop sum{depth_, lhs_column_step_, rhs_row_step};
    const ProductTiles& tiles = ProductTilesOf(columns_);
    const int64_t at_once =
        std::clamp(kCachedElements / depth_ / kLeastRows * kLeastRows, kLeastRows, kMostRows);
    for (int64_t first = 0; first < rows_; first += at_once) {
      const float* lefts[kMostRows];
      float* outs[kMostRows];
      const int64_t count = std::min(at_once, rows_ - first);
      for (int64_t i = 0; i < count; ++i) {
        lefts[i] = lhs + (first + i) * lhs_row_step_;
        outs[i] = out + (first + i) * columns_;
      }
      RunProduct(tiles, {&sum, 1}, absl::MakeConstSpan(lefts, count), rhs, columns_,
                 /*add=*/false, outs, LongestSum(depth_));
    }
    return absl::OkStatus();
  }

  // Computes the product of the transposed operands, whose right one has consecutive rows.
  absl::Status RunTransposed(const float* lhs, const float* rhs, float* out) const {
    float* transposed = out;
    if (columns_ > 1) {
      transposed = Reserve(columns_ * rows_);
      if (transposed == nullptr) return NoMemory();
    }
    const float* lefts[kMinTileColumns];
    float* outs[kMinTileColumns];
    for (int64_t column = 0; column < columns_; ++column) {
      lefts[column] = rhs + column * rhs_column_step_;
      outs[column] = transposed + column * rows_;
    }
    for (int64_t first = 0; first < depth_; first += kMostDepth) {
      ACCELD_RETURN_IF_ERROR(WaitWhilePaused());
      const SumLoop sum{std::min(kMostDepth, depth_ - first), rhs_row_step_, lhs_column_step_};
      RunProduct(ProductTilesOf(rows_), {&sum, 1}, absl::MakeConstSpan(lefts, columns_),
                 lhs + first * lhs_column_step_, rows_, /*add=*/first > 0, outs,
                 LongestSum(depth_));
      for (int64_t column = 0; column < columns_; ++column) {
        lefts[column] += sum.count * rhs_row_step_;
      }
    }
    for (int64_t row = 0; row < rows_ && columns_ > 1; ++row) {
      for (int64_t column = 0; column < columns_; ++column) {
        out[row * columns_ + column] = transposed[column * rows_ + row];
      }
    }
    return absl::OkStatus();
  }

  // Computes the product element by element, for products with few elements.
  absl::Status RunElements(const float* lhs, const float* rhs, float* out) const {
    for (int64_t row = 0; row < rows_; ++row) {
      for (int64_t column = 0; column < columns_; ++column) {
        ACCELD_RETURN_IF_ERROR(WaitWhilePaused());
        double sum = 0;
        for (int64_t k = 0; k < depth_; ++k) {
          sum += static_cast<double>(lhs[row * lhs_row_step_ + k * lhs_column_step_]) *
                 static_cast<double>(rhs[k * rhs_row_step_ + column * rhs_column_step_]);
        }
        out[row * columns_ + column] = static_cast<float>(sum);
      }
    }
    return absl::OkStatus();
  }

  absl::Status WaitWhilePaused() const {
    const bool goes_on = Poll(context_) == static_cast<int32_t>(CodeStatus::kOk);
    return goes_on ? absl::OkStatus() : absl::CancelledError("");
  }

  const LaunchContext& context_;
  const int64_t rows_, columns_, depth_;
  const int64_t lhs_row_step_, lhs_column_step_, rhs_row_step_, rhs_column_step_;
};

}  // namespace

bool IsTiledMatmul(const MatmulKey& key) {
  const int64_t columns = key[MatmulKey::kN], depth = key[MatmulKey::kK];
  if (key.input_dtype() != ir::DType::kF32 || key.output_dtype() != ir::DType::kF32) return false;
  const bool is_by_rows = key.lhs_stride(2) == 1 || depth == 1;
  if (columns < kMinTileColumns) {
    return depth <= kProductsBetweenPolls && (is_by_rows || key.lhs_stride(1) == 1);
  }
  if (depth > kMostDepth) return false;
  const double work = static_cast<double>(key[MatmulKey::kM]) * static_cast<double>(columns) *
                      static_cast<double>(depth);
  const int64_t rows = key[MatmulKey::kM];
  const bool lies_by_columns = key.rhs_stride(2) != 1;
  const bool suits =
      key[MatmulKey::kBatch] == 1 &&
      (lies_by_columns ? rows >= kManyRows || SuitsVectors(rows, depth) : rows >= kFewRows);
  if (work < (suits ? kSmallWork : kVerySmallWork)) return true;
  return is_by_rows && columns <= (work < kLargeWork ? kFewColumns : kVeryFewColumns);
}

absl::Status RunTiledMatmul(const LaunchContext& context, const MatmulKey& key,
                            const MatmulBlock& block, const float* lhs, const float* rhs,
                            float* out) {
  const TiledProduct product(context, key, block.rows);
  for (int64_t b = 0; b < block.batches; ++b) {
    ACCELD_RETURN_IF_ERROR(product.Run(lhs + b * key.lhs_stride(0), rhs + b * key.rhs_stride(0),
                                       out + b * key[MatmulKey::kM] * key[MatmulKey::kN]));
  }
  return absl::OkStatus();
}

}  // namespace acceld::kernels::cpu
