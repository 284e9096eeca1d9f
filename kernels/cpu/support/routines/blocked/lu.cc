#include <cmath>
#include <limits>
#include <utility>

#include "common/ceil_divide.h"
#include "kernels/cpu/support/routines/blocked/blocked.h"

namespace acceld::kernels::cpu {
namespace {

// About the number of columns that are factored at once; rounded up to whole panels. Large
// matrices, which do not stay in a near cache, have larger blocks, so that they are traversed less
// often.
constexpr int64_t kBlock = 64, kLargeBlock = 128;
constexpr int64_t kLargeSize = 1536;
// Blocks of more columns are factored recursively by halves. The first half is a multiple of this.
constexpr int64_t kLeaf = 8;

// A copy of a block of columns in which the elements of a column are consecutive, for the work on
// whole columns. The copy has zeros after the last row and the last column, as far as tiles and
// vectors access it. They may become NaN if there are infinities or NaN next to them.
template <typename T>
class Block {
 public:
  // Returns the number of elements that the memory of a block of m rows needs.
  static int64_t SizeOf(int64_t m, int64_t columns, const MicroKernels<T>& kernels) {
    return StepOf(m, kernels) * RoundUp(columns, kLeaf);
  }

  // A block of m rows and at most as many columns.
  Block(const RoutineRun& run, const MicroKernels<T>& kernels, int64_t m, int64_t columns,
        T* memory)
      : run_(run),
        kernels_(kernels),
        m_(m),
        columns_(columns),
        step_(StepOf(m, kernels)),
        data_(memory) {}

  absl::Status Load(MatrixView<const T> from) {
    for (int64_t c = columns_; c < RoundUp(columns_, kLeaf); ++c)
      std::fill_n(Column(c), step_, T(0));
    for (int64_t c = 0; c < columns_; ++c) std::fill(Column(c) + m_, Column(c) + step_, T(0));
    return MoveRows([&](int64_t r, int64_t c) { Column(c)[r] = *from.At(r, c); });
  }
  absl::Status Store(MatrixView<T> to) const {
    return MoveRows([&](int64_t r, int64_t c) { *to.At(r, c) = Column(c)[r]; });
  }
  MatrixView<const T> view() const { return {data_, 1, step_}; }

  // Factors the block recursively, as in Toledo, "Locality of Reference in LU Decomposition with
  // Partial Pivoting" (1997). `pivots` gets rows of the block, counted from 0. Returns the number
  // of the first step whose pivot is 0, counted from 1, or 0 if there is none.
  absl::StatusOr<int32_t> Factor(int32_t* pivots) { return Factor(0, columns_, pivots); }

 private:
  static int64_t StepOf(int64_t m, const MicroKernels<T>& kernels) {
    // The step is an odd number of cache lines, so that the elements of a row are in different
    // cache sets.
    constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(T));
    const int64_t step = RoundUp(m + kernels.columns, kLine);
    return step / kLine % 2 == 0 ? step + kLine : step;
  }
  T* Column(int64_t c) const { return data_ + c * step_; }

  // Calls `move(row, column)` for all elements, with polls.
  template <typename Move>
  absl::Status MoveRows(Move move) const {
    constexpr int64_t kPolledRows = 4096;
    for (int64_t row = 0; row < m_; row += kPolledRows) {
      ACCELD_RETURN_IF_ERROR(run_.Poll());
      ForEachInBlocks(std::min(kPolledRows, m_ - row), columns_,
                      [&](int64_t r, int64_t c) { move(row + r, c); });
    }
    return absl::OkStatus();
  }

  void Exchange(int64_t begin, int64_t end, int64_t first, int64_t last, const int32_t* pivots) {
    for (int64_t c = begin; c < end; ++c) {
      T* const column = Column(c);
      for (int64_t k = first; k < last; ++k) std::swap(column[k], column[pivots[k]]);
    }
  }

  // Executes the steps [begin, end) of the factorization on the same columns.
  absl::StatusOr<int32_t> Factor(int64_t begin, int64_t end, int32_t* pivots) {
    if (end - begin <= kLeaf) return FactorLeaf(begin, end, pivots);
    const int64_t middle = begin + RoundUp((end - begin) / 2, kLeaf);
    ACCELD_ASSIGN_OR_RETURN(const int32_t first_info, Factor(begin, middle, pivots));
    Exchange(middle, end, begin, middle, pivots);
    // The copy is used because vectors also change the elements after the rows of this half.
    alignas(64) T rows[kLargeBlock + MicroKernels<T>::kMaxColumns] = {};
    for (int64_t c = middle; c < end; ++c) {
      std::copy(Column(c) + begin, Column(c) + middle, rows);
      for (int64_t k = begin; k + 1 < middle; ++k) {
        T* const below = rows + k + 1 - begin;
        kernels_.subtract_multiple(middle - k - 1, below[-1], Column(k) + k + 1, below);
      }
      std::copy_n(rows, middle - begin, Column(c) + begin);
    }
    for (int64_t row = middle; row < m_; row += kernels_.columns) {
      ACCELD_RETURN_IF_ERROR(run_.Poll());
      for (int64_t c = middle; c < end; c += kernels_.rows) {
        kernels_.subtract_plain_product(middle - begin, Column(c) + begin, step_,
                                        Column(begin) + row, step_, Column(c) + row, step_);
      }
    }
    ACCELD_ASSIGN_OR_RETURN(const int32_t second_info, Factor(middle, end, pivots));
    Exchange(begin, middle, middle, end, pivots);
    return first_info != 0 ? first_info : second_info;
  }

  absl::StatusOr<int32_t> FactorLeaf(int64_t begin, int64_t end, int32_t* pivots) {
    int32_t info = 0;
    for (int64_t k = begin; k < end; ++k) {
      ACCELD_RETURN_IF_ERROR(run_.Poll());
      T* const column = Column(k);
      const int64_t below = m_ - k - 1;
      pivots[k] = static_cast<int32_t>(k + kernels_.index_of_largest(m_ - k, column + k));
      if (column[pivots[k]] == 0) {
        if (info == 0) info = static_cast<int32_t>(k + 1);
      } else {
        Exchange(begin, end, k, k + 1, pivots);
        // The reciprocal of a smaller pivot may be infinite.
        if (std::abs(column[k]) >= std::numeric_limits<T>::min()) {
          kernels_.scale(below, 1 / column[k], column + k + 1);
        } else {
          for (int64_t i = k + 1; i < m_; ++i) column[i] /= column[k];
        }
      }
      for (int64_t c = k + 1; c < end; ++c) {
        kernels_.subtract_multiple(below, Column(c)[k], column + k + 1, Column(c) + k + 1);
      }
    }
    return info;
  }

  const RoutineRun& run_;
  const MicroKernels<T>& kernels_;
  const int64_t m_, columns_, step_;
  T* const data_;
};

// The right-looking factorization: a block of columns is factored, then its steps are applied to
// all columns after it. A thread factors the next block right after the steps have been applied to
// that, while other threads still work on the columns after it.
template <typename T>
class Factorization {
 public:
  Factorization(const RoutineRun& run, int64_t m, int64_t n, T* a, int32_t* pivots)
      : run_(run),
        kernels_(MicroKernelsOf<T>()),
        m_(m),
        n_(n),
        steps_(std::min(m, n)),
        a_{a, n, 1},
        block_(RoundUp(std::min(steps_ < kLargeSize ? kBlock : kLargeBlock, steps_),
                       kernels_.columns)),
        pivots_(pivots) {
    const int64_t triangle = StripOffset(block_ / kernels_.rows, kernels_.rows);
    const int64_t below = block_ * RoundUp(m, kernels_.rows);
    thread_local Scratchpad memory;
    memory_ = &memory;
    T* elements =
        ReserveElements<T>(memory, Block<T>::SizeOf(m, block_, kernels_) + 2 * (triangle + below));
    for (Packed& packed : packed_) {
      packed = {elements, elements + triangle};
      elements += triangle + below;
    }
    block_memory_ = elements;
  }
  ~Factorization() { memory_->Trim(); }

  absl::StatusOr<int32_t> Run() {
    ACCELD_RETURN_IF_ERROR(FactorBlock(0));
    for (int64_t first = 0; first < steps_; first += block_) {
      const int64_t behind = std::min(steps_, first + block_);
      const int64_t next = std::min(steps_, behind + block_);  // the end of the next block
      const int64_t others = (n_ - next + block_ - 1) / block_;
      const double work = static_cast<double>(block_ * block_) * static_cast<double>(m_ - first);
      ACCELD_RETURN_IF_ERROR(run_.ForEach(1 + others, work, [&](int64_t i) -> absl::Status {
        if (i > 0) {
          const int64_t column = next + (i - 1) * block_;
          return Eliminate(first, behind, column, std::min(n_, column + block_));
        }
        if (behind == next) return absl::OkStatus();
        ACCELD_RETURN_IF_ERROR(Eliminate(first, behind, behind, next));
        return FactorBlock(behind);
      }));
    }
    // Rows that were exchanged after their block was done.
    ACCELD_RETURN_IF_ERROR(run_.ForEach(CeilDivide(steps_, block_),
                                        static_cast<double>(steps_ * block_), [&](int64_t i) {
                                          const int64_t end = std::min(steps_, (i + 1) * block_);
                                          ExchangeRows(end, steps_, i * block_, end);
                                          return absl::OkStatus();
                                        }));
    for (int64_t k = 0; k < steps_; ++k) ++pivots_[k];
    return info_;
  }

 private:
  // The parts of a block that are needed to apply its steps to other columns: the triangle of L,
  // and the rows below in strips of the block's whole width. There are two of these, used
  // alternately.
  struct Packed {
    T* triangle;
    T* below;
  };

  const Packed& PackedOf(int64_t first) const { return packed_[first / block_ % 2]; }

  absl::Status FactorBlock(int64_t first) {
    const int64_t columns = std::min(block_, steps_ - first), strip_rows = kernels_.rows;
    const MatrixView<T> view = a_.From(first, first);
    Block<T> block(run_, kernels_, m_ - first, columns, block_memory_);
    ACCELD_RETURN_IF_ERROR(block.Load({view.data, view.row_step, view.column_step}));
    int32_t* const pivots = pivots_ + first;
    ACCELD_ASSIGN_OR_RETURN(const int32_t info, block.Factor(pivots));
    ACCELD_RETURN_IF_ERROR(block.Store(view));
    for (int64_t k = 0; k < columns; ++k) pivots[k] += static_cast<int32_t>(first);
    if (info_ == 0 && info != 0) info_ = static_cast<int32_t>(first) + info;
    if (first + columns == n_) return absl::OkStatus();
    const Packed& packed = PackedOf(first);
    for (int64_t s = 0; s * strip_rows < columns; ++s) {
      PackStrip(block.view(), columns, s, strip_rows, packed.triangle + StripOffset(s, strip_rows));
    }
    T* strip = packed.below;
    for (int64_t row = columns; row < m_ - first; row += strip_rows) {
      ACCELD_RETURN_IF_ERROR(run_.Poll());
      for (int64_t k = 0; k < columns; ++k, strip += strip_rows) {
        std::copy_n(block.view().At(row, k), strip_rows, strip);
      }
    }
    return absl::OkStatus();
  }

  void ExchangeRows(int64_t first_step, int64_t end_step, int64_t begin, int64_t end) const {
    for (int64_t k = first_step; k < end_step; ++k) {
      if (pivots_[k] == k) continue;
      std::swap_ranges(a_.At(k, begin), a_.At(k, end), a_.At(pivots_[k], begin));
    }
  }

  // Applies the steps [first, behind) to the columns [begin, end), which come after these steps.
  absl::Status Eliminate(int64_t first, int64_t behind, int64_t begin, int64_t end) const {
    const int64_t strip_rows = kernels_.rows, width = kernels_.columns, depth = behind - first;
    const Packed& packed = PackedOf(first);
    ExchangeRows(first, behind, begin, end);
    thread_local Scratchpad memory;
    const int64_t strips = CeilDivide(depth, strip_rows);
    T* const panels = ReserveElements<T>(memory, strips * strip_rows * RoundUp(end - begin, width));
    const auto for_each_panel = [&](auto body) {
      T* panel = panels;
      for (int64_t c = begin; c < end; c += width, panel += strips * strip_rows * width) {
        body(panel, c, std::min(width, end - c));
      }
    };
    for_each_panel([&](T* panel, int64_t column, int64_t columns) {
      const MatrixView<T> rows = a_.From(first, column);
      LoadPanel<T>({rows.data, rows.row_step, rows.column_step}, depth, columns, width, panel);
      std::fill(panel + depth * width, panel + strips * strip_rows * width, T(0));
      for (int64_t s = 0; s < strips; ++s) {
        const T* const strip = packed.triangle + StripOffset(s, strip_rows);
        kernels_.solve_strip(s * strip_rows, strip, strip_rows, strip + s * strip_rows * strip_rows,
                             /*unit=*/true, panel);
      }
      StorePanel(panel, depth, columns, width, rows);
    });
    const T* strip = packed.below;
    for (int64_t row = behind; row < m_; row += strip_rows, strip += depth * strip_rows) {
      ACCELD_RETURN_IF_ERROR(run_.Poll());
      for_each_panel([&](const T* panel, int64_t column, int64_t columns) {
        T* const tile = a_.At(row, column);
        if (row + strip_rows <= m_ && columns == width) {
          kernels_.subtract_product(depth, strip, strip_rows, panel, tile, n_);
        } else {
          SubtractPartOfProduct(
              kernels_, depth, strip, strip_rows, panel, tile, n_,
              [&](int64_t r) -> ColumnRange { return {0, row + r < m_ ? columns : 0}; });
        }
      });
    }
    return absl::OkStatus();
  }

  const RoutineRun& run_;
  const MicroKernels<T>& kernels_;
  const int64_t m_, n_, steps_;
  const MatrixView<T> a_;
  const int64_t block_;
  int32_t* const pivots_;  // row numbers, counted from 0 until the end of Run
  Scratchpad* memory_;
  Packed packed_[2];
  T* block_memory_;
  int32_t info_ = 0;  // written only by FactorBlock, which runs on one thread at a time
};

}  // namespace

template <typename T>
absl::StatusOr<int32_t> BlockedLu(const RoutineRun& run, int64_t m, int64_t n, T* a,
                                  int32_t* pivots) {
  if (m == 0 || n == 0) return 0;
  return Factorization<T>(run, m, n, a, pivots).Run();
}

template absl::StatusOr<int32_t> BlockedLu<float>(const RoutineRun&, int64_t, int64_t, float*,
                                                  int32_t*);
template absl::StatusOr<int32_t> BlockedLu<double>(const RoutineRun&, int64_t, int64_t, double*,
                                                   int32_t*);

}  // namespace acceld::kernels::cpu
