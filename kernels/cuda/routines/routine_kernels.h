#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status.h"
#include "kernels/cuda/routines/element.h"

namespace acceld::kernels::cuda {

enum class RoutineKernel : uint8_t {
#define ACCELD_ROUTINE_KERNEL(name) k_##name,
#include "kernels/cuda/routines/kernels.def"
};

inline constexpr absl::string_view kRoutineKernelNames[] = {
#define ACCELD_ROUTINE_KERNEL(name) #name,
#include "kernels/cuda/routines/kernels.def"
};

// All of them as CUDA C++, one program without includes.
absl::string_view RoutineKernelsSource();

// Enqueues a kernel of that program, with blocks of 256 threads; a value for each parameter.
using LaunchRoutineKernel = std::function<absl::Status(
    RoutineKernel kernel, int64_t blocks, absl::Span<const uint64_t> parameters, void* stream)>;

// Those kernels as functions, on one stream. What they do is said in kernels.cuh. Addresses are the
// device's. Values.
class RoutineKernels {
 public:
  RoutineKernels(const LaunchRoutineKernel& launch, void* stream)
      : launch_(launch), stream_(stream) {}

  // `from` has `rows` and `columns` in rows and `to` the same in columns, or the other way round
  // with these exchanged.
  absl::Status Transpose(uint64_t to, uint64_t from, const Matrices& matrices) const;
  absl::Status Copy(uint64_t to, uint64_t from, int64_t size_bytes) const;
  absl::Status Clear(uint64_t to, int64_t size_bytes) const;
  absl::Status ClearFlagged(uint64_t to, uint64_t flags, int64_t items, int64_t item_bytes) const;
  absl::Status ListItems(uint64_t list, uint64_t first, int64_t item_bytes, int64_t count) const;
  absl::Status NoteNotFinite(uint64_t flags, uint64_t a, const Matrices& matrices) const;
  absl::Status AdoptInfo(uint64_t info, uint64_t flags, int64_t count) const;
  absl::Status NoteNan(uint64_t depths, uint64_t a, const Matrices& matrices, bool lower) const;
  absl::Status HideNan(uint64_t a, uint64_t depths, const Matrices& matrices) const;
  absl::Status FinishCholesky(uint64_t a, uint64_t original, uint64_t info, uint64_t depths,
                              const Matrices& matrices, bool lower, bool fails) const;
  // Of the elements of vectors, or of the diagonals of matrices.
  absl::Status NoteFirstNan(uint64_t firsts, uint64_t vectors, const Matrices& shape) const;
  absl::Status NoteFirstNanOnDiagonal(uint64_t firsts, uint64_t a, const Matrices& matrices) const;
  absl::Status SpreadNan(uint64_t a, uint64_t firsts, const Matrices& matrices, bool own_row) const;
  absl::Status EndInNan(uint64_t values, uint64_t firsts, const Matrices& vectors) const;
  // Of real numbers, `is_double` or not.
  absl::Status Divide(uint64_t values, int64_t count, int64_t divisor, bool is_double) const;
  absl::Status FoldSpectrum(uint64_t to, uint64_t from, int64_t batch, int64_t a, int64_t b,
                            int64_t length, bool is_double) const;

 private:
  absl::Status NoteFirstNan(uint64_t firsts, uint64_t values, const Matrices& matrices,
                            int64_t count, int64_t stride) const;
  // Enough blocks for this many pieces of work; none for none.
  absl::Status Launch(RoutineKernel kernel, int64_t blocks,
                      std::initializer_list<uint64_t> parameters) const;
  absl::Status AssignWords(uint64_t to, uint64_t from, uint64_t flags, int64_t items,
                           int64_t item_bytes) const;

  const LaunchRoutineKernel& launch_;
  void* const stream_;
};

}  // namespace acceld::kernels::cuda
