#include "kernels/cpu/support/matmul/thin_matmul.h"

#include <algorithm>
#include <bit>

#include "common/ceil_divide.h"
#include "kernels/cpu/support/matmul/element_rows.h"
#include "kernels/cpu/support/matmul/thin_tiles.h"
#include "kernels/cpu/support/poll.h"
#include "kernels/cpu/support/scratchpad.h"

namespace acceld::kernels::cpu {
namespace {

constexpr int64_t kMostRows = 16;
constexpr int64_t kSeveralRows = 4, kSmallMatrix = 1 << 15;
// The products that are added up one after the other. Longer sums are made of several such sums, as
// the error of a sum grows with the number of consecutive additions.
constexpr int64_t kShortSum = 32;
// The same for right operands whose columns are consecutive in memory, for each element of a
// vector.
constexpr int64_t kDotDepth = 1024;
// Longer sums have so many parts that adding these loses more than the library's sums do.
constexpr int64_t kMostDepth = 4096, kMostDotDepth = 1 << 16;
// The bytes of the right operand that are worth a task of their own: about 10 us.
constexpr int64_t kTaskBytes = 256 << 10;
// A few milliseconds.
constexpr int64_t kProductsBetweenPolls = int64_t{1} << 22;

bool LiesByColumns(const MatmulKey& key) {
  return key.rhs_stride(2) != 1 && key[MatmulKey::kN] > 1;
}

// A block of a product, with right operands of elements T (thin_tiles.h). Each part of the right
// operand is read for all matrices of the block before the next part, as the matrices may lie side
// by side in memory.
template <typename T>
class ThinProduct {
 public:
  ThinProduct(const LaunchContext& context, const MatmulKey& key, const MatmulBlock& block,
              const T* lhs, const T* rhs, void* out)
      : context_(context),
        key_(key),
        tiles_(ThinTilesOfThisCpu<T>()),
        batches_(block.batches),
        rows_(key[MatmulKey::kM]),
        columns_(block.columns),
        depth_(key[MatmulKey::kK]),
        lhs_(lhs),
        rhs_(rhs),
        out_(static_cast<char*>(out)) {}

  absl::Status Run() {
    const int64_t n = key_[MatmulKey::kN];
    if (key_.output_dtype() == ir::DType::kF32) {
      sums_ = reinterpret_cast<float*>(out_);
      row_step_ = n;
      batch_step_ = rows_ * n;
      return Multiply();
    }
    thread_local Scratchpad memory;
    row_step_ = columns_;
    batch_step_ = rows_ * columns_;
    sums_ = static_cast<float*>(memory.Reserve(batches_ * batch_step_ * sizeof(float)));
    if (sums_ == nullptr) return NoMemory();
    ACCELD_RETURN_IF_ERROR(Multiply());
    const int64_t out_bytes = ir::StorageBytesOf(key_.output_dtype());
    for (int64_t row = 0; row < batches_ * rows_; ++row) {
      RoundRow(key_.output_dtype(), sums_ + row * columns_, columns_, out_ + row * n * out_bytes);
    }
    return absl::OkStatus();
  }

 private:
  // Some rows of the left operand, and which functions multiply them.
  struct Group {
    int64_t first, rows;  // of the product
    int choice;           // of kThinRows
    int64_t offset;       // of the copy [k][kThinRows[choice]] in that of the matrix
  };
  static constexpr int kMaxGroups = kMostRows / kThinRows[kThinRowChoices - 1];

  static absl::Status NoMemory() {
    return absl::ResourceExhaustedError("matmul: no memory for its left operand or its sums");
  }

  // Reserves memory for a copy of the left operand, and for others behind it.
  float* Reserve(int64_t elements) const {
    thread_local Scratchpad memory;
    return static_cast<float*>(memory.Reserve(elements * sizeof(float)));
  }

  absl::Status WaitWhilePaused() const {
    const bool goes_on = Poll(context_) == static_cast<int32_t>(CodeStatus::kOk);
    return goes_on ? absl::OkStatus() : absl::CancelledError("");
  }

  absl::Status Multiply() { return LiesByColumns(key_) ? RunDots() : RunColumns(); }

  static float Widen(float x) { return x; }
  static float Widen(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

  // For columns of the right operand whose elements are consecutive.
  absl::Status RunDots() {
    float* const packed = Reserve(batches_ * rows_ * depth_);
    if (packed == nullptr) return NoMemory();
    for (int64_t b = 0; b < batches_; ++b) {
      for (int64_t row = 0; row < rows_; ++row) {
        const T* const from = lhs_ + b * key_.lhs_stride(0) + row * key_.lhs_stride(1);
        float* const to = packed + (b * rows_ + row) * depth_;
        for (int64_t k = 0; k < depth_; ++k) to[k] = Widen(from[k * key_.lhs_stride(2)]);
      }
    }
    const int64_t column_step = key_.rhs_stride(2);
    const int64_t at_once = std::clamp<int64_t>(
        kProductsBetweenPolls / (batches_ * rows_ * depth_) / 8 * 8, 8, kCachedColumns);
    for (int64_t column = 0; column < columns_; column += at_once) {
      const int64_t count = std::min(at_once, columns_ - column);
      for (int64_t k = 0; k < depth_; k += kDotDepth) {
        ACCELD_RETURN_IF_ERROR(WaitWhilePaused());
        for (int64_t b = 0; b < batches_; ++b) {
          const T* const right = rhs_ + b * key_.rhs_stride(0) + column * column_step + k;
          for (int64_t row = 0; row < rows_; row += ThinTiles<T>::kMaxDotRows) {
            tiles_.dots(std::min(ThinTiles<T>::kMaxDotRows, rows_ - row),
                        std::min(kDotDepth, depth_ - k), packed + (b * rows_ + row) * depth_ + k,
                        depth_, right, column_step, count, k > 0,
                        sums_ + b * batch_step_ + row * row_step_ + column, row_step_);
          }
        }
      }
    }
    return absl::OkStatus();
  }

  // Divides the rows into groups. Returns the number of rows that their functions take in all.
  int64_t DivideRows() {
    int64_t taken = 0;
    for (int64_t first = 0; first < rows_; first += groups_[num_groups_++].rows) {
      const int64_t rows = std::min(rows_ - first, kThinRows[kThinRowChoices - 1]);
      int choice = 0;
      while (kThinRows[choice] < rows) ++choice;
      groups_[num_groups_] = {first, rows, choice, taken * depth_};
      taken += kThinRows[choice];
    }
    return taken;
  }

  // Copies each group's elements of a column of lhs next to each other, with zeros where a group
  // has fewer rows than its function takes.
  void Pack(const T* lhs, float* to) const {
    const int64_t row_step = key_.lhs_stride(1), column_step = key_.lhs_stride(2);
    for (int g = 0; g < num_groups_; ++g) {
      const T* const from = lhs + groups_[g].first * row_step;
      const int64_t step = kThinRows[groups_[g].choice];
      for (int64_t k = 0; k < depth_; ++k, to += step) {
        for (int64_t i = 0; i < step; ++i) {
          to[i] = i < groups_[g].rows ? Widen(from[i * row_step + k * column_step]) : 0;
        }
      }
    }
  }

  // For rows of the right operand whose elements are consecutive: strips of columns, each from its
  // first row to its last one.
  absl::Status RunColumns() {
    taken_rows_ = DivideRows();
    const int64_t packed_size = RoundUp(taken_rows_ * depth_, 16);
    const int64_t strip_size = taken_rows_ * ThinTiles<T>::kMaxColumns;
    float* const packed = Reserve(batches_ * (packed_size + strip_size));
    if (packed == nullptr) return NoMemory();
    for (int64_t b = 0; b < batches_; ++b) {
      Pack(lhs_ + b * key_.lhs_stride(0), packed + b * packed_size);
    }
    float* const strip = packed + batches_ * packed_size;
    // All groups go over the same strip, whose width is that of the group with most rows.
    const int64_t widest = tiles_.widths[groups_[0].choice];
    for (int64_t column = 0; column < columns_;) {
      int64_t width = widest;
      while (width > tiles_.lanes && column + width > columns_) width /= 2;
      // The last strip may overlap the one before.
      const int64_t first = std::min(column, columns_ - width);
      std::fill_n(strip, batches_ * strip_size, 0.0F);
      ACCELD_RETURN_IF_ERROR(SumStrip(packed, packed_size, first, width, strip));
      for (int64_t b = 0; b < batches_; ++b) {
        for (int64_t row = 0; row < rows_; ++row) {
          std::copy_n(strip + b * strip_size + row * ThinTiles<T>::kMaxColumns, width,
                      sums_ + b * batch_step_ + row * row_step_ + first);
        }
      }
      column = first + width;
    }
    return absl::OkStatus();
  }

  // Adds the products of the columns [first, first + width) to the sums `strip`, of all matrices.
  absl::Status SumStrip(const float* packed, int64_t packed_size, int64_t first, int64_t width,
                        float* strip) const {
    const int64_t step = key_.rhs_stride(1);
    const int64_t polled =
        std::max<int64_t>(kProductsBetweenPolls / (batches_ * rows_ * width), kShortSum);
    for (int64_t k = 0, next_poll = 0; k < depth_; k += kShortSum) {
      if (k >= next_poll) {
        ACCELD_RETURN_IF_ERROR(WaitWhilePaused());
        next_poll = k + polled;
      }
      const int64_t count = std::min(kShortSum, depth_ - k);
      for (int64_t b = 0; b < batches_; ++b) {
        const T* const top = rhs_ + b * key_.rhs_stride(0) + first;
        const T* const from = top + k * step;
        // Behind the last rows follow the first ones of the next strip.
        const T* const ahead = k + 2 * kShortSum <= depth_     ? from + kShortSum * step
                               : first + 2 * width <= columns_ ? top + width
                                                               : from;
        for (int g = 0; g < num_groups_; ++g) {
          const Group& group = groups_[g];
          int tile = 0;
          while (tile < 3 && tiles_.widths[group.choice] >> tile > width) ++tile;
          const int64_t columns = std::max(tiles_.widths[group.choice] >> tile, tiles_.lanes);
          const float* const left =
              packed + b * packed_size + group.offset + k * kThinRows[group.choice];
          float* const sums = strip + (b * taken_rows_ + group.first) * ThinTiles<T>::kMaxColumns;
          for (int64_t j = 0; j < width; j += columns) {
            tiles_.columns[group.choice][tile](count, left, from + j, ahead + j, step, sums + j);
          }
        }
      }
    }
    return absl::OkStatus();
  }

  // Columns that all matrices and rows are multiplied with before the next ones are: they stay in a
  // cache.
  static constexpr int64_t kCachedColumns = 16;

  const LaunchContext& context_;
  const MatmulKey& key_;
  const ThinTiles<T>& tiles_;
  const int64_t batches_, rows_, columns_, depth_;
  const T* const lhs_;
  const T* const rhs_;
  char* const out_;
  float* sums_ = nullptr;
  int64_t row_step_ = 0, batch_step_ = 0;  // of sums_
  Group groups_[kMaxGroups];
  int num_groups_ = 0;
  int64_t taken_rows_ = 0;
};

template <typename T>
absl::Status RunAs(const LaunchContext& context, const MatmulKey& key, const MatmulBlock& block,
                   const void* lhs, const void* rhs, void* out) {
  return ThinProduct<T>(context, key, block, static_cast<const T*>(lhs), static_cast<const T*>(rhs),
                        out)
      .Run();
}

}  // namespace

bool IsThinMatmul(const MatmulKey& key) {
  using ir::DType;
  const DType input = key.input_dtype(), output = key.output_dtype();
  if (input != DType::kF32 && input != DType::kBF16) return false;
  if (output != DType::kF32 && output != input) return false;
  // Small matrices stay in a cache, so several rows are multiplied faster by tiles.
  if (input == DType::kF32 && key[MatmulKey::kM] >= kSeveralRows &&
      key[MatmulKey::kN] * key[MatmulKey::kK] < kSmallMatrix) {
    return false;
  }
  if (key[MatmulKey::kK] > (LiesByColumns(key) ? kMostDotDepth : kMostDepth)) return false;
  // A column has at least as many elements as the longest vectors, and so has a sum of dots.
  constexpr int64_t kLeast = 16;
  return key[MatmulKey::kM] <= kMostRows && key[MatmulKey::kN] >= kLeast &&
         key[MatmulKey::kK] >= (LiesByColumns(key) ? kLeast : 2) &&
         (!LiesByColumns(key) || key.rhs_stride(1) == 1);
}

bool IsInterleaved(const MatmulKey& key) {
  return key[MatmulKey::kBatch] > 1 && key.rhs_stride(0) > 0 &&
         key.rhs_stride(0) < std::max(key.rhs_stride(1), key.rhs_stride(2));
}

int64_t ThinMatmulColumns(const MatmulKey& key) {
  const int64_t column_bytes = key[MatmulKey::kK] * ir::StorageBytesOf(key.input_dtype());
  return std::max<int64_t>(kTaskBytes / column_bytes, 16);
}

absl::Status RunThinMatmul(const LaunchContext& context, const MatmulKey& key,
                           const MatmulBlock& block, const void* lhs, const void* rhs, void* out) {
  return key.input_dtype() == ir::DType::kBF16 ? RunAs<uint16_t>(context, key, block, lhs, rhs, out)
                                               : RunAs<float>(context, key, block, lhs, rhs, out);
}

}  // namespace acceld::kernels::cpu
