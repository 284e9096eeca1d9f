#include <cmath>

#include "kernels/cpu/support/routines/blocked/blocked.h"

namespace acceld::kernels::cpu {
namespace {

// About the number of columns that are factored at once; rounded up to whole panels. Large
// matrices, which do not stay in a near cache, have larger blocks, so that they are traversed less
// often.
constexpr int64_t kBlock = 64, kLargeBlock = 128;
constexpr int64_t kLargeSize = 1536;

// The right-looking factorization: a block of columns is factored, then its product is subtracted
// from all columns after it. A thread factors the next block right after the subtraction from that,
// while other threads still subtract from the columns after it. For the upper triangle, "columns"
// means rows.
template <typename T>
class Factorization {
 public:
  Factorization(bool lower, int64_t n, T* a)
      : kernels_(MicroKernelsOf<T>()),
        lower_(lower),
        n_(n),
        a_(a),
        block_(RoundUp(std::min(n < kLargeSize ? kBlock : kLargeBlock, n), kernels_.columns)) {
    const int64_t depth = std::min(block_, RoundUp(n, kernels_.rows));
    const int64_t panels = depth * RoundUp(n, kernels_.columns);
    thread_local Scratchpad memory;
    memory_ = &memory;
    panels_[0] = ReserveElements<T>(memory, n > block_ ? 2 * panels : panels);
    panels_[1] = panels_[0] + panels;
  }
  ~Factorization() { memory_->Trim(); }

  absl::StatusOr<int32_t> Run(const RoutineRun& run) {
    FactorBlock(0);
    for (int64_t first = 0; info_ == 0 && first + block_ < n_; first += block_) {
      const int64_t behind = first + block_;
      const int64_t blocks = (n_ - behind + block_ - 1) / block_;
      const double work = static_cast<double>(block_ * block_) * static_cast<double>(n_ - behind);
      ACCELD_RETURN_IF_ERROR(run.ForEach(blocks, work, [&](int64_t i) {
        SubtractFrom(behind + i * block_, first);
        if (i == 0) FactorBlock(behind);
        return absl::OkStatus();
      }));
    }
    return info_;
  }

 private:
  // Returns a view of L from the element (row, column) on. If the upper triangle is stored, the
  // view is transposed.
  MatrixView<T> Lower(int64_t row, int64_t column) const {
    const MatrixView<T> all{a_, n_, 1};
    return (lower_ ? all : all.Transposed()).From(row, column);
  }
  // The packed copy of the block that begins at column `first`, from the diagonal on: transposed,
  // in panels with `depth` rows each. There are two copies, used alternately.
  T* PanelsOf(int64_t first) const { return panels_[first / block_ % 2]; }
  // Returns the strip of a block's panels that begins at row `row` of L.
  const T* Strip(int64_t first, int64_t depth, int64_t row) const {
    const int64_t width = kernels_.columns, offset = row - first;
    return PanelsOf(first) + offset / width * width * depth + offset % width;
  }

  void FactorBlock(int64_t first) {
    const int64_t size = std::min(block_, n_ - first), width = kernels_.columns;
    const int64_t depth = RoundUp(size, kernels_.rows), rows = n_ - first;
    T* const panels = PanelsOf(first);
    for (int64_t row = 0; row < rows; row += width) {
      T* const panel = panels + row * depth;
      LoadPart(first, row, size, panel);
      std::fill(panel + size * width, panel + depth * width, T(0));
    }
    // Left of the diagonal, the contents of the panels are meaningless.
    for (int64_t k = 0; k < depth; k += kernels_.rows) {
      T triangle[MicroKernels<T>::kMaxRows * MicroKernels<T>::kMaxRows];
      const int64_t columns = std::min(kernels_.rows, size - k);
      if (!FactorTriangle(first, depth, k, columns, triangle)) return;
      const T* const strip = Strip(first, depth, first + k);
      for (int64_t row = k / width * width; row < rows; row += width) {
        kernels_.solve_strip(k, strip, width, triangle, /*unit=*/false, panels + row * depth);
      }
      T* const diagonal = panels + k / width * width * depth + k * width + k % width;
      for (int64_t j = 0; j < columns; ++j) {
        diagonal[j * width + j] = triangle[j * kernels_.rows + j];
      }
    }
    for (int64_t row = 0; row < rows; row += width) {
      StorePart(first, row, size, panels + row * depth);
    }
  }

  // Load and store a panel: the rows of L from `first` + `row` on, on the `size` columns of the
  // block.
  void LoadPart(int64_t first, int64_t row, int64_t size, T* panel) const {
    const int64_t width = kernels_.columns, count = std::min(width, n_ - first - row);
    const MatrixView<T> part = Lower(first + row, first).Transposed();
    if (row >= size) {
      LoadPanel<T>({part.data, part.row_step, part.column_step}, size, count, width, panel);
      return;
    }
    std::fill_n(panel, size * width, T(0));
    ForEachInBlocks(count, size, [&](int64_t j, int64_t k) {
      if (k <= row + j) panel[k * width + j] = *part.At(k, j);
    });
  }
  void StorePart(int64_t first, int64_t row, int64_t size, const T* panel) const {
    const int64_t width = kernels_.columns, count = std::min(width, n_ - first - row);
    const MatrixView<T> part = Lower(first + row, first).Transposed();
    if (row >= size) return StorePanel(panel, size, count, width, part);
    ForEachInBlocks(count, size, [&](int64_t j, int64_t k) {
      if (k <= row + j) *part.At(k, j) = panel[k * width + j];
    });
  }

  // Factors the triangle on the diagonal of `size` columns of a block, from column `k` on, into
  // `triangle`. The elements beyond `size` become those of the identity. Returns false and sets
  // info_ if the matrix is not positive definite.
  bool FactorTriangle(int64_t first, int64_t depth, int64_t k, int64_t size, T* triangle) {
    const int64_t rows = kernels_.rows, width = kernels_.columns, offset = k % width;
    const T* const panel = PanelsOf(first) + k / width * width * depth;
    alignas(64) T tile[MicroKernels<T>::kMaxRows * MicroKernels<T>::kMaxColumns];
    std::copy_n(panel + k * width, rows * width, tile);
    kernels_.subtract_product(k, panel + offset, width, panel, tile, width);
    for (int64_t j = 0; j < rows; ++j) {
      for (int64_t i = 0; i < rows; ++i) {
        triangle[j * rows + i] = std::max(i, j) < size ? tile[j * width + offset + i] : T(i == j);
      }
    }
    const int64_t factored = kernels_.factor_triangle(triangle);
    if (factored < rows) {
      info_ = static_cast<int32_t>(first + k + factored + 1);
      return false;
    }
    return true;
  }

  // Subtracts the product of the block at `first` from the block of columns at `column`.
  void SubtractFrom(int64_t column, int64_t first) const {
    const int64_t end = std::min(n_, column + block_);
    // For the lower triangle, multiplies the panels of the block with all rows below; for the upper
    // one, all panels to the right with the rows of the block.
    for (int64_t j = column; j < (lower_ ? end : n_); j += kernels_.columns) {
      const int64_t rows_begin = lower_ ? j : column;
      const int64_t rows_end = lower_ ? n_ : std::min(end, j + kernels_.columns);
      for (int64_t i = rows_begin; i < rows_end; i += kernels_.rows) SubtractTile(i, j, first);
    }
  }

  void SubtractTile(int64_t i, int64_t j, int64_t first) const {
    const int64_t width = kernels_.columns;
    const T* const left = Strip(first, block_, i);
    const T* const right = Strip(first, block_, j);
    T* const tile = a_ + i * n_ + j;
    const bool is_whole = i + kernels_.rows <= n_ && j + width <= n_ &&
                          (lower_ ? j + width <= i + 1 : i + kernels_.rows <= j + 1);
    if (is_whole) {
      kernels_.subtract_product(block_, left, width, right, tile, n_);
    } else {
      SubtractPartOfProduct(kernels_, block_, left, width, right, tile, n_,
                            [&](int64_t r) -> ColumnRange {
                              const int64_t row = i + r;
                              if (row >= n_) return {0, 0};
                              if (lower_) return {0, std::min(width, row + 1 - j)};
                              return {std::max<int64_t>(0, row - j), std::min(width, n_ - j)};
                            });
    }
  }

  const MicroKernels<T>& kernels_;
  const bool lower_;
  const int64_t n_;
  T* const a_;
  const int64_t block_;
  Scratchpad* memory_;
  T* panels_[2];
  int32_t info_ = 0;  // written only by FactorBlock, which runs on one thread at a time
};

}  // namespace

template <typename T>
absl::StatusOr<int32_t> BlockedCholesky(const RoutineRun& run, bool lower, int64_t n, T* a) {
  if (n == 0) return 0;
  return Factorization<T>(lower, n, a).Run(run);
}

template absl::StatusOr<int32_t> BlockedCholesky<float>(const RoutineRun&, bool, int64_t, float*);
template absl::StatusOr<int32_t> BlockedCholesky<double>(const RoutineRun&, bool, int64_t, double*);

}  // namespace acceld::kernels::cpu
