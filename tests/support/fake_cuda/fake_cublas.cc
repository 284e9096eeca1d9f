#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/cpu/support/openmp_threads.h"
#include "kernels/cpu/support/routines/lapack.h"
#include "tests/support/fake_cuda/fake_library.h"

// The functions of cuBLAS that acceld calls, on the host and on streams of the fake driver, so that
// the library of this file can stand in for it.
namespace {

using acceld::testing::fake::kGarbage;
using acceld::testing::fake::RunOnStream;
namespace cpu = acceld::kernels::cpu;
namespace lapack = acceld::kernels::cpu::lapack;

constexpr int kNotInitialized = 1, kInvalidValue = 7;

struct BlasHandle {
  void* stream = nullptr;
  char* workspace = nullptr;
  size_t workspace_bytes = 0;
};

// Those who set a workspace may not have other values in it.
void Spoil(const BlasHandle& handle) {
  if (handle.workspace != nullptr) std::memset(handle.workspace, kGarbage, handle.workspace_bytes);
}

struct Solve {
  char side, uplo, transposed, diagonal;
  int m, n, lda, ldb;

  bool IsValid() const {
    return m >= 0 && n >= 0 && lda >= std::max(1, side == 'L' ? m : n) && ldb >= std::max(1, m);
  }
  template <typename T>
  void Run(T alpha, const T* a, T* b) const {
    for (int column = 0; column < n; ++column) {
      for (int row = 0; row < m; ++row) b[column * ldb + row] *= alpha;
    }
    lapack::Trsm(side, uplo, transposed, diagonal, m, n, a, lda, b, ldb);
  }
};

Solve SolveOf(int side, int uplo, int transposed, int diagonal, int m, int n, int lda, int ldb) {
  return {"LR"[side], "LU"[uplo], "NTC"[transposed], "NU"[diagonal], m, n, lda, ldb};
}

template <typename T>
int Trsm(const BlasHandle& handle, const Solve& solve, const void* alpha, const void* a, void* b) {
  if (!solve.IsValid()) return kInvalidValue;
  return RunOnStream(handle.stream, [=, one = *static_cast<const T*>(alpha)] {
    cpu::DisableOpenMpThreads();
    Spoil(handle);
    solve.Run(one, static_cast<const T*>(a), static_cast<T*>(b));
  });
}

template <typename T>
int TrsmBatched(const BlasHandle& handle, const Solve& solve, const void* alpha,
                const void* const* a, void* const* b, int batch) {
  if (!solve.IsValid() || batch < 0) return kInvalidValue;
  return RunOnStream(handle.stream, [=, one = *static_cast<const T*>(alpha)] {
    cpu::DisableOpenMpThreads();
    Spoil(handle);
    for (int i = 0; i < batch; ++i) {
      solve.Run(one, static_cast<const T*>(a[i]), static_cast<T*>(b[i]));
    }
  });
}

template <typename T>
int GetrfBatched(const BlasHandle& handle, int n, void* const* a, int lda, int* pivots, int* info,
                 int batch) {
  if (n < 0 || lda != std::max(1, n) || batch < 0 || pivots == nullptr) return kInvalidValue;
  return RunOnStream(handle.stream, [=] {
    cpu::DisableOpenMpThreads();
    for (int i = 0; i < batch; ++i) {
      info[i] = lapack::Getrf(n, n, static_cast<T*>(a[i]), pivots + static_cast<ptrdiff_t>(i) * n);
    }
  });
}

}  // namespace

extern "C" {

int cublasCreate_v2(BlasHandle** handle) {
  if (const int result = FakeCudaBegin("cublasCreate"); result != 0) return result;
  FakeCudaCount(1);
  *handle = new BlasHandle;
  return 0;
}

int cublasDestroy_v2(BlasHandle* handle) {
  if (!FakeCudaHasDevice()) return kNotInitialized;
  FakeCudaCount(-1);
  delete handle;
  return 0;
}

// Takes away the workspace, too.
int cublasSetStream_v2(BlasHandle* handle, void* stream) {
  *handle = {.stream = stream};
  return 0;
}

int cublasSetWorkspace_v2(BlasHandle* handle, void* workspace, size_t bytes) {
  if (reinterpret_cast<uintptr_t>(workspace) % 256 != 0) return kInvalidValue;
  handle->workspace = static_cast<char*>(workspace);
  handle->workspace_bytes = bytes;
  return 0;
}

#define FAKE_CUBLAS(letter, T)                                                                     \
  int cublas##letter##trsm_v2(BlasHandle* handle, int side, int uplo, int trans, int diagonal,     \
                              int m, int n, const void* alpha, const void* a, int lda, void* b,    \
                              int ldb) {                                                           \
    if (const int result = FakeCudaBegin("cublas" #letter "trsm"); result != 0) return result;     \
    return Trsm<T>(*handle, SolveOf(side, uplo, trans, diagonal, m, n, lda, ldb), alpha, a, b);    \
  }                                                                                                \
  int cublas##letter##trsmBatched(BlasHandle* handle, int side, int uplo, int trans, int diagonal, \
                                  int m, int n, const void* alpha, const void* const* a, int lda,  \
                                  void* const* b, int ldb, int batch) {                            \
    if (const int result = FakeCudaBegin("cublas" #letter "trsmBatched"); result != 0) {           \
      return result;                                                                               \
    }                                                                                              \
    return TrsmBatched<T>(*handle, SolveOf(side, uplo, trans, diagonal, m, n, lda, ldb), alpha, a, \
                          b, batch);                                                               \
  }                                                                                                \
  int cublas##letter##getrfBatched(BlasHandle* handle, int n, void* const* a, int lda,             \
                                   int* pivots, int* info, int batch) {                            \
    if (const int result = FakeCudaBegin("cublas" #letter "getrfBatched"); result != 0) {          \
      return result;                                                                               \
    }                                                                                              \
    return GetrfBatched<T>(*handle, n, a, lda, pivots, info, batch);                               \
  }
FAKE_CUBLAS(S, float)
FAKE_CUBLAS(D, double)
FAKE_CUBLAS(C, std::complex<float>)
FAKE_CUBLAS(Z, std::complex<double>)
#undef FAKE_CUBLAS

}  // extern "C"
