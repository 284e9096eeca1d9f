#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status.h"
#include "kernels/cuda/routines/element.h"

namespace acceld::kernels::cuda {

// The kernels of kernels.cuh, and their names.
enum class RoutineKernel : uint8_t {
#define ACCELD_ROUTINE_KERNEL(name) k_##name,
#include "kernels/cuda/routines/kernels.def"
};

inline constexpr absl::string_view kRoutineKernelNames[] = {
#define ACCELD_ROUTINE_KERNEL(name) #name,
#include "kernels/cuda/routines/kernels.def"
};

// The source of all these kernels: a CUDA C++ module without includes.
absl::string_view RoutineKernelsSource();

// Enqueues a kernel of that module on the stream, with blocks of 256 threads. `parameters` has one
// value for each parameter of the kernel.
using LaunchRoutineKernel = std::function<absl::Status(
    RoutineKernel kernel, int64_t blocks, absl::Span<const uint64_t> parameters, void* stream)>;

// Enqueues these kernels on one stream; each function returns the error of the launch. Addresses
// are device addresses. kernels.cuh specifies the kernels. Thread-compatible; `launch` must outlive
// it.
class RoutineKernels {
 public:
  RoutineKernels(const LaunchRoutineKernel& launch, void* stream)
      : launch_(launch), stream_(stream) {}

  // Converts matrices of the given shape from row-major to column-major layout. With the rows and
  // columns of the shape exchanged (Matrices::Transposed), from column-major to row-major layout.
  absl::Status Transpose(uint64_t to, uint64_t from, const Matrices& matrices) const;
  absl::Status Copy(uint64_t to, uint64_t from, int64_t size_bytes) const;
  // Fills memory with zeros; ClearFlagged only the items whose int32 flag is not 0.
  absl::Status Clear(uint64_t to, int64_t size_bytes) const;
  absl::Status ClearFlagged(uint64_t to, uint64_t flags, int64_t items, int64_t item_bytes) const;
  // Stores the addresses of `count` consecutive items, the first of which is at `first`.
  absl::Status ListItems(uint64_t list, uint64_t first, int64_t item_bytes, int64_t count) const;
  // Sets each matrix's flag to -4 if it has an infinity or a NaN, else to 0.
  absl::Status FlagNonFinite(uint64_t flags, uint64_t a, const Matrices& matrices) const;
  // Copies the flags that are not 0 to `info`.
  absl::Status CopyFlagsToInfo(uint64_t info, uint64_t flags, int64_t count) const;
  // The treatment of NaN in a Cholesky factorization: FindNan finds where each matrix has a NaN,
  // ReplaceNan replaces these elements before the library sees them, and FinishCholesky sets the
  // elements of the factor that depend on them to NaN. FinishCholesky also fills the other
  // triangle, and with `fails` sets matrices whose info is not 0 to NaN.
  absl::Status FindNan(uint64_t depths, uint64_t a, const Matrices& matrices, bool lower) const;
  absl::Status ReplaceNan(uint64_t a, uint64_t depths, const Matrices& matrices) const;
  absl::Status FinishCholesky(uint64_t a, uint64_t original, uint64_t info, uint64_t depths,
                              const Matrices& matrices, bool lower, bool fails) const;
  // The treatment of NaN in LU and QR factorizations: the first two find the first step of each
  // factorization that met a NaN, from vectors or from the diagonals of matrices. PropagateNan and
  // FillTailWithNan set the elements that this step and later ones compute to NaN, in matrices and
  // vectors.
  absl::Status FindFirstNan(uint64_t firsts, uint64_t vectors, const Matrices& shape) const;
  absl::Status FindFirstNanOnDiagonal(uint64_t firsts, uint64_t a, const Matrices& matrices) const;
  absl::Status PropagateNan(uint64_t a, uint64_t firsts, const Matrices& matrices,
                            bool own_row) const;
  absl::Status FillTailWithNan(uint64_t values, uint64_t firsts, const Matrices& vectors) const;
  // Divides `count` real numbers, f64 if `is_double`, else f32.
  absl::Status Divide(uint64_t values, int64_t count, int64_t divisor, bool is_double) const;
  // Makes half spectra of shape [batch, a, b, length / 2 + 1] Hermitian, as those of real values.
  absl::Status FoldSpectrum(uint64_t to, uint64_t from, int64_t batch, int64_t a, int64_t b,
                            int64_t length, bool is_double) const;

 private:
  absl::Status FindFirstNan(uint64_t firsts, uint64_t values, const Matrices& matrices,
                            int64_t count, int64_t stride) const;
  // Launches the kernel with up to `blocks` blocks; does nothing if `blocks` is 0.
  absl::Status Launch(RoutineKernel kernel, int64_t blocks,
                      std::initializer_list<uint64_t> parameters) const;
  absl::Status AssignWords(uint64_t to, uint64_t from, uint64_t flags, int64_t items,
                           int64_t item_bytes) const;

  const LaunchRoutineKernel& launch_;
  void* const stream_;
};

}  // namespace acceld::kernels::cuda
