#include "kernels/cuda/routines/routine_kernels.h"

#include <algorithm>

#include "common/ceil_divide.h"

namespace acceld::kernels::cuda {
namespace {

constexpr int64_t kThreads = 256, kTile = 32;
// More blocks do not make a large GPU busier; the kernels loop over more work.
constexpr int64_t kMaxBlocks = 1 << 14;

uint64_t Value(int64_t value) { return static_cast<uint64_t>(value); }

// The number of blocks with one thread for each real number.
int64_t BlocksFor(const Matrices& matrices) {
  return CeilDivide(matrices.batch * matrices.item_elements() * PartsOf(matrices.element),
                    kThreads);
}

}  // namespace

absl::Status RoutineKernels::Launch(RoutineKernel kernel, int64_t blocks,
                                    std::initializer_list<uint64_t> parameters) const {
  if (blocks == 0) return absl::OkStatus();
  return launch_(kernel, std::min(blocks, kMaxBlocks), parameters, stream_);
}

absl::Status RoutineKernels::Transpose(uint64_t to, uint64_t from, const Matrices& matrices) const {
  const int64_t bytes = BytesOf(matrices.element);
  const RoutineKernel kernel = bytes == 4   ? RoutineKernel::k_transpose_4
                               : bytes == 8 ? RoutineKernel::k_transpose_8
                                            : RoutineKernel::k_transpose_16;
  const int64_t tiles =
      matrices.batch * CeilDivide(matrices.rows, kTile) * CeilDivide(matrices.columns, kTile);
  return Launch(kernel, tiles,
                {to, from, Value(matrices.batch), Value(matrices.rows), Value(matrices.columns)});
}

absl::Status RoutineKernels::AssignWords(uint64_t to, uint64_t from, uint64_t flags, int64_t items,
                                         int64_t item_bytes) const {
  const int64_t words = item_bytes / 4;
  return Launch(RoutineKernel::k_assign_words, CeilDivide(items * words, kThreads),
                {to, from, flags, Value(items), Value(words)});
}

absl::Status RoutineKernels::Copy(uint64_t to, uint64_t from, int64_t size_bytes) const {
  return AssignWords(to, from, 0, 1, size_bytes);
}

absl::Status RoutineKernels::Clear(uint64_t to, int64_t size_bytes) const {
  return AssignWords(to, 0, 0, 1, size_bytes);
}

absl::Status RoutineKernels::ClearFlagged(uint64_t to, uint64_t flags, int64_t items,
                                          int64_t item_bytes) const {
  return AssignWords(to, 0, flags, items, item_bytes);
}

absl::Status RoutineKernels::ListItems(uint64_t list, uint64_t first, int64_t item_bytes,
                                       int64_t count) const {
  return Launch(RoutineKernel::k_list_items, CeilDivide(count, kThreads),
                {list, first, Value(item_bytes), Value(count)});
}

absl::Status RoutineKernels::FlagNonFinite(uint64_t flags, uint64_t a,
                                           const Matrices& matrices) const {
  return Launch(IsDouble(matrices.element) ? RoutineKernel::k_note_not_finite_f64
                                           : RoutineKernel::k_note_not_finite_f32,
                matrices.batch,
                {flags, a, Value(matrices.batch),
                 Value(matrices.item_elements() * PartsOf(matrices.element))});
}

absl::Status RoutineKernels::CopyFlagsToInfo(uint64_t info, uint64_t flags, int64_t count) const {
  return Launch(RoutineKernel::k_adopt_info, CeilDivide(count, kThreads),
                {info, flags, Value(count)});
}

absl::Status RoutineKernels::FindNan(uint64_t depths, uint64_t a, const Matrices& matrices,
                                     bool lower) const {
  return Launch(
      IsDouble(matrices.element) ? RoutineKernel::k_note_nan_f64 : RoutineKernel::k_note_nan_f32,
      BlocksFor(matrices),
      {depths, a, Value(matrices.batch), Value(matrices.rows), Value(PartsOf(matrices.element)),
       lower});
}

absl::Status RoutineKernels::ReplaceNan(uint64_t a, uint64_t depths,
                                        const Matrices& matrices) const {
  return Launch(
      IsDouble(matrices.element) ? RoutineKernel::k_hide_nan_f64 : RoutineKernel::k_hide_nan_f32,
      BlocksFor(matrices),
      {a, depths, Value(matrices.batch), Value(matrices.rows), Value(PartsOf(matrices.element))});
}

absl::Status RoutineKernels::FinishCholesky(uint64_t a, uint64_t original, uint64_t info,
                                            uint64_t depths, const Matrices& matrices, bool lower,
                                            bool fails) const {
  return Launch(IsDouble(matrices.element) ? RoutineKernel::k_finish_cholesky_f64
                                           : RoutineKernel::k_finish_cholesky_f32,
                BlocksFor(matrices),
                {a, original, info, depths, Value(matrices.batch), Value(matrices.rows),
                 Value(PartsOf(matrices.element)), lower, fails});
}

absl::Status RoutineKernels::FindFirstNan(uint64_t firsts, uint64_t values,
                                          const Matrices& matrices, int64_t count,
                                          int64_t stride) const {
  return Launch(IsDouble(matrices.element) ? RoutineKernel::k_note_first_nan_f64
                                           : RoutineKernel::k_note_first_nan_f32,
                matrices.batch,
                {firsts, values, Value(matrices.batch), Value(count), Value(stride),
                 Value(matrices.item_elements()), Value(PartsOf(matrices.element))});
}

absl::Status RoutineKernels::FindFirstNan(uint64_t firsts, uint64_t vectors,
                                          const Matrices& shape) const {
  return FindFirstNan(firsts, vectors, shape, shape.rows, 1);
}

absl::Status RoutineKernels::FindFirstNanOnDiagonal(uint64_t firsts, uint64_t a,
                                                    const Matrices& matrices) const {
  return FindFirstNan(firsts, a, matrices, std::min(matrices.rows, matrices.columns),
                      matrices.columns + 1);
}

absl::Status RoutineKernels::PropagateNan(uint64_t a, uint64_t firsts, const Matrices& matrices,
                                          bool own_row) const {
  return Launch(IsDouble(matrices.element) ? RoutineKernel::k_spread_nan_f64
                                           : RoutineKernel::k_spread_nan_f32,
                BlocksFor(matrices),
                {a, firsts, Value(matrices.batch), Value(matrices.rows), Value(matrices.columns),
                 Value(PartsOf(matrices.element)), own_row});
}

absl::Status RoutineKernels::FillTailWithNan(uint64_t values, uint64_t firsts,
                                             const Matrices& vectors) const {
  return Launch(
      IsDouble(vectors.element) ? RoutineKernel::k_end_in_nan_f64 : RoutineKernel::k_end_in_nan_f32,
      BlocksFor(vectors),
      {values, firsts, Value(vectors.batch), Value(vectors.rows), Value(PartsOf(vectors.element))});
}

absl::Status RoutineKernels::Divide(uint64_t values, int64_t count, int64_t divisor,
                                    bool is_double) const {
  return Launch(is_double ? RoutineKernel::k_divide_f64 : RoutineKernel::k_divide_f32,
                CeilDivide(count, kThreads), {values, Value(count), Value(divisor)});
}

absl::Status RoutineKernels::FoldSpectrum(uint64_t to, uint64_t from, int64_t batch, int64_t a,
                                          int64_t b, int64_t length, bool is_double) const {
  return Launch(is_double ? RoutineKernel::k_fold_spectrum_f64 : RoutineKernel::k_fold_spectrum_f32,
                CeilDivide(batch * a * b * (length / 2 + 1), kThreads),
                {to, from, Value(batch), Value(a), Value(b), Value(length)});
}

}  // namespace acceld::kernels::cuda
