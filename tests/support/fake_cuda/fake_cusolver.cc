#include <algorithm>
#include <complex>
#include <cstring>
#include <vector>

#include "kernels/cpu/support/openmp_threads.h"
#include "kernels/cpu/support/routines/workspace.h"
#include "tests/support/fake_cuda/fake_library.h"

// The functions of cuSOLVER that acceld calls, by LAPACK on the host and on streams of the fake
// driver, so that the library of this file can stand in for it. Each wants a workspace, into which
// it writes garbage.
namespace {

using acceld::testing::fake::kGarbage;
using acceld::testing::fake::RunOnStream;
namespace cpu = acceld::kernels::cpu;
namespace lapack = acceld::kernels::cpu::lapack;

constexpr int kNotInitialized = 1, kInvalidValue = 3;

struct SolverHandle {
  void* stream = nullptr;
};

char TriangleOf(int uplo) { return uplo == 0 ? 'L' : 'U'; }

// Matrices have no gaps: `ld` rows.
bool IsDense(int rows, int columns, int ld) {
  return rows >= 0 && columns >= 0 && ld == std::max(1, rows);
}

int SizeOf(int m, int n) { return 5 * m + 3 * n + 7; }

// Multiplies by the Q of a QR factorization, as LAPACK's ormqr and unmqr do.
#define ACCELD_MQR(T, mqr)                                                                         \
  extern "C" void mqr(const char*, const char*, const int*, const int*, const int*, const T*,      \
                      const int*, const T*, T*, const int*, T*, const int*, int*, size_t, size_t); \
  int Mqr(char side, char trans, int m, int n, int k, const T* a, int lda, const T* tau, T* c,     \
          int ldc, T* work, int lwork) {                                                           \
    int info = 0;                                                                                  \
    mqr(&side, &trans, &m, &n, &k, a, &lda, tau, c, &ldc, work, &lwork, &info, 1, 1);              \
    return info;                                                                                   \
  }
ACCELD_MQR(float, sormqr_)
ACCELD_MQR(double, dormqr_)
ACCELD_MQR(std::complex<float>, cunmqr_)
ACCELD_MQR(std::complex<double>, zunmqr_)
#undef ACCELD_MQR

// Calls `function(work, size)` with as much workspace as it asks for when size is -1.
template <typename T, typename Function>
int WithWorkspace(Function function) {
  T wanted(0);
  if (const int info = function(&wanted, -1); info != 0) return info;
  std::vector<T> work(static_cast<size_t>(std::real(wanted)) + 1);
  return function(work.data(), static_cast<int>(work.size()));
}

template <typename T>
struct Solver {
  using R = cpu::Real<T>;

  static int Size(int m, int n, int ld, int* lwork) {
    if (!IsDense(m, n, ld)) return kInvalidValue;
    *lwork = SizeOf(m, n);
    return 0;
  }

  // Runs `work` behind what the handle's stream has to do.
  template <typename Work>
  static int Enqueue(SolverHandle* handle, void* space, int lwork, int wanted, Work work) {
    if (lwork < wanted || space == nullptr) return kInvalidValue;
    return RunOnStream(handle->stream, [=] {
      cpu::DisableOpenMpThreads();
      std::memset(space, kGarbage, static_cast<size_t>(wanted) * sizeof(T));
      work();
    });
  }

  // NaN is no number that it is described for: it is not to get here.
  static int Potrf(char uplo, int n, T* a) {
    for (int column = 0; column < n; ++column) {
      for (int row = 0; row < n; ++row) {
        const bool is_read = uplo == 'L' ? row >= column : row <= column;
        if (is_read && std::isnan(std::real(a[column * n + row]))) return 1;
      }
    }
    return lapack::Potrf(uplo, n, a);
  }

  static int potrf(SolverHandle* handle, int uplo, int n, void* a, int lda, void* work, int lwork,
                   int* info) {
    if (!IsDense(n, n, lda)) return kInvalidValue;
    return Enqueue(handle, work, lwork, SizeOf(n, n),
                   [=] { *info = Potrf(TriangleOf(uplo), n, static_cast<T*>(a)); });
  }

  // Takes the other triangle as its workspace.
  static int potrf_batched(SolverHandle* handle, int uplo, int n, void** a, int lda, int* info,
                           int batch) {
    if (!IsDense(n, n, lda) || batch < 0) return kInvalidValue;
    return RunOnStream(handle->stream, [=] {
      cpu::DisableOpenMpThreads();
      for (int i = 0; i < batch; ++i) {
        T* const item = static_cast<T*>(a[i]);
        info[i] = Potrf(TriangleOf(uplo), n, item);
        for (int column = 0; column < n; ++column) {
          for (int row = 0; row < n; ++row) {
            if (uplo == 0 ? row < column : row > column) item[column * n + row] = T(77);
          }
        }
      }
    });
  }

  static int getrf(SolverHandle* handle, int m, int n, void* a, int lda, void* work, int* pivots,
                   int* info) {
    if (!IsDense(m, n, lda) || pivots == nullptr) return kInvalidValue;
    return Enqueue(handle, work, SizeOf(m, n), SizeOf(m, n),
                   [=] { *info = lapack::Getrf(m, n, static_cast<T*>(a), pivots); });
  }

  static int geqrf(SolverHandle* handle, int m, int n, void* a, int lda, void* tau, void* work,
                   int lwork, int* info) {
    if (!IsDense(m, n, lda)) return kInvalidValue;
    return Enqueue(handle, work, lwork, SizeOf(m, n), [=] {
      *info = WithWorkspace<T>([&](T* space, int size) {
        return lapack::Geqrf(m, n, static_cast<T*>(a), lda, static_cast<T*>(tau), space, size);
      });
    });
  }

  static int gqr(SolverHandle* handle, int m, int n, int k, void* a, int lda, const void* tau,
                 void* work, int lwork, int* info) {
    if (!IsDense(m, n, lda) || n > m || k > n || k < 0) return kInvalidValue;
    return Enqueue(handle, work, lwork, SizeOf(m, n), [=] {
      *info = WithWorkspace<T>([&](T* space, int size) {
        return lapack::Gqr(m, n, k, static_cast<T*>(a), lda, static_cast<const T*>(tau), space,
                           size);
      });
    });
  }

  static int mqr(SolverHandle* handle, int side, int trans, int m, int n, int k, const void* a,
                 int lda, const void* tau, void* c, int ldc, void* work, int lwork, int* info) {
    const int order = side == 0 ? m : n;
    if (!IsDense(m, n, ldc) || lda != std::max(1, order) || k > order || k < 0)
      return kInvalidValue;
    // Real matrices have no adjoints there, nor complex ones transposes.
    if (trans != 0 && trans != (cpu::kIsComplex<T> ? 2 : 1)) return kInvalidValue;
    return Enqueue(handle, work, lwork, SizeOf(m, n), [=] {
      *info = WithWorkspace<T>([&](T* space, int size) {
        return Mqr("LR"[side], "NTC"[trans], m, n, k, static_cast<const T*>(a), lda,
                   static_cast<const T*>(tau), static_cast<T*>(c), ldc, space, size);
      });
    });
  }

  static int hevd(SolverHandle* handle, int jobz, int uplo, int n, void* a, int lda, void* w,
                  void* work, int lwork, int* info) {
    if (!IsDense(n, n, lda)) return kInvalidValue;
    return Enqueue(handle, work, lwork, SizeOf(n, n), [=] {
      T size(0);
      R real_size(0);
      int integer_size = 0;
      const auto run = [&](T* space, int elements, R* reals, int num_reals, int* integers,
                           int num_integers) {
        return lapack::Evd("NV"[jobz], TriangleOf(uplo), n, static_cast<T*>(a), static_cast<R*>(w),
                           space, elements, reals, num_reals, integers, num_integers);
      };
      run(&size, -1, &real_size, -1, &integer_size, -1);
      std::vector<T> space(static_cast<size_t>(std::real(size)) + 1);
      std::vector<R> reals(static_cast<size_t>(real_size) + 1);
      std::vector<int> integers(static_cast<size_t>(integer_size) + 1);
      *info =
          run(space.data(), static_cast<int>(space.size()), reals.data(),
              static_cast<int>(reals.size()), integers.data(), static_cast<int>(integers.size()));
    });
  }

  static int gesvd(SolverHandle* handle, signed char jobu, signed char jobvt, int m, int n, void* a,
                   int lda, void* s, void* u, int ldu, void* vt, int ldvt, void* work, int lwork,
                   int* info) {
    const int rows_of_vt = jobvt == 'N' ? 1 : n;
    if (!IsDense(m, n, lda) || m < n || jobu != jobvt || ldu < m || ldvt < rows_of_vt) {
      return kInvalidValue;
    }
    return Enqueue(handle, work, lwork, SizeOf(m, n), [=] {
      std::vector<R> real_space(5 * static_cast<size_t>(n) + 1);
      *info = WithWorkspace<T>([&](T* space, int size) {
        return lapack::Gesvd(static_cast<char>(jobu), m, n, static_cast<T*>(a), static_cast<R*>(s),
                             static_cast<T*>(u), static_cast<T*>(vt), ldvt, space, size,
                             real_space.data());
      });
    });
  }
};

}  // namespace

extern "C" {

int cusolverDnCreate(SolverHandle** handle) {
  if (const int result = FakeCudaBegin("cusolverDnCreate"); result != 0) return result;
  FakeCudaCount(1);
  *handle = new SolverHandle;
  return 0;
}

int cusolverDnDestroy(SolverHandle* handle) {
  if (!FakeCudaHasDevice()) return kNotInitialized;
  FakeCudaCount(-1);
  delete handle;
  return 0;
}

int cusolverDnSetStream(SolverHandle* handle, void* stream) {
  handle->stream = stream;
  return 0;
}

#define BEGIN(function) \
  if (const int result_ = FakeCudaBegin(#function); result_ != 0) return result_

#define FAKE_CUSOLVER(p, T, gqr_, mqr_, hevd_)                                                     \
  int cusolverDn##p##potrf_bufferSize(SolverHandle*, int, int n, void*, int lda, int* lwork) {     \
    BEGIN(cusolverDn##p##potrf_bufferSize);                                                        \
    return Solver<T>::Size(n, n, lda, lwork);                                                      \
  }                                                                                                \
  int cusolverDn##p##potrf(SolverHandle* handle, int uplo, int n, void* a, int lda, void* work,    \
                           int lwork, int* info) {                                                 \
    BEGIN(cusolverDn##p##potrf);                                                                   \
    return Solver<T>::potrf(handle, uplo, n, a, lda, work, lwork, info);                           \
  }                                                                                                \
  int cusolverDn##p##potrfBatched(SolverHandle* handle, int uplo, int n, void** a, int lda,        \
                                  int* info, int batch) {                                          \
    BEGIN(cusolverDn##p##potrfBatched);                                                            \
    return Solver<T>::potrf_batched(handle, uplo, n, a, lda, info, batch);                         \
  }                                                                                                \
  int cusolverDn##p##getrf_bufferSize(SolverHandle*, int m, int n, void*, int lda, int* lwork) {   \
    BEGIN(cusolverDn##p##getrf_bufferSize);                                                        \
    return Solver<T>::Size(m, n, lda, lwork);                                                      \
  }                                                                                                \
  int cusolverDn##p##getrf(SolverHandle* handle, int m, int n, void* a, int lda, void* work,       \
                           int* pivots, int* info) {                                               \
    BEGIN(cusolverDn##p##getrf);                                                                   \
    return Solver<T>::getrf(handle, m, n, a, lda, work, pivots, info);                             \
  }                                                                                                \
  int cusolverDn##p##geqrf_bufferSize(SolverHandle*, int m, int n, void*, int lda, int* lwork) {   \
    BEGIN(cusolverDn##p##geqrf_bufferSize);                                                        \
    return Solver<T>::Size(m, n, lda, lwork);                                                      \
  }                                                                                                \
  int cusolverDn##p##geqrf(SolverHandle* handle, int m, int n, void* a, int lda, void* tau,        \
                           void* work, int lwork, int* info) {                                     \
    BEGIN(cusolverDn##p##geqrf);                                                                   \
    return Solver<T>::geqrf(handle, m, n, a, lda, tau, work, lwork, info);                         \
  }                                                                                                \
  int cusolverDn##p##gqr_##_bufferSize(SolverHandle*, int m, int n, int, const void*, int lda,     \
                                       const void*, int* lwork) {                                  \
    BEGIN(cusolverDn##p##gqr_##_bufferSize);                                                       \
    return Solver<T>::Size(m, n, lda, lwork);                                                      \
  }                                                                                                \
  int cusolverDn##p##gqr_(SolverHandle* handle, int m, int n, int k, void* a, int lda,             \
                          const void* tau, void* work, int lwork, int* info) {                     \
    BEGIN(cusolverDn##p##gqr_);                                                                    \
    return Solver<T>::gqr(handle, m, n, k, a, lda, tau, work, lwork, info);                        \
  }                                                                                                \
  int cusolverDn##p##mqr_##_bufferSize(SolverHandle*, int, int, int m, int n, int, const void*,    \
                                       int, const void*, const void*, int ldc, int* lwork) {       \
    BEGIN(cusolverDn##p##mqr_##_bufferSize);                                                       \
    return Solver<T>::Size(m, n, ldc, lwork);                                                      \
  }                                                                                                \
  int cusolverDn##p##mqr_(SolverHandle* handle, int side, int trans, int m, int n, int k,          \
                          const void* a, int lda, const void* tau, void* c, int ldc, void* work,   \
                          int lwork, int* info) {                                                  \
    BEGIN(cusolverDn##p##mqr_);                                                                    \
    return Solver<T>::mqr(handle, side, trans, m, n, k, a, lda, tau, c, ldc, work, lwork, info);   \
  }                                                                                                \
  int cusolverDn##p##hevd_##_bufferSize(SolverHandle*, int, int, int n, const void*, int lda,      \
                                        const void*, int* lwork) {                                 \
    BEGIN(cusolverDn##p##hevd_##_bufferSize);                                                      \
    return Solver<T>::Size(n, n, lda, lwork);                                                      \
  }                                                                                                \
  int cusolverDn##p##hevd_(SolverHandle* handle, int jobz, int uplo, int n, void* a, int lda,      \
                           void* w, void* work, int lwork, int* info) {                            \
    BEGIN(cusolverDn##p##hevd_);                                                                   \
    return Solver<T>::hevd(handle, jobz, uplo, n, a, lda, w, work, lwork, info);                   \
  }                                                                                                \
  int cusolverDn##p##gesvd_bufferSize(SolverHandle*, int m, int n, int* lwork) {                   \
    BEGIN(cusolverDn##p##gesvd_bufferSize);                                                        \
    return m < n ? kInvalidValue : Solver<T>::Size(m, n, m, lwork);                                \
  }                                                                                                \
  int cusolverDn##p##gesvd(SolverHandle* handle, signed char jobu, signed char jobvt, int m,       \
                           int n, void* a, int lda, void* s, void* u, int ldu, void* vt, int ldvt, \
                           void* work, int lwork, void*, int* info) {                              \
    BEGIN(cusolverDn##p##gesvd);                                                                   \
    return Solver<T>::gesvd(handle, jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork,   \
                            info);                                                                 \
  }
FAKE_CUSOLVER(S, float, orgqr, ormqr, syevd)
FAKE_CUSOLVER(D, double, orgqr, ormqr, syevd)
FAKE_CUSOLVER(C, std::complex<float>, ungqr, unmqr, heevd)
FAKE_CUSOLVER(Z, std::complex<double>, ungqr, unmqr, heevd)
#undef FAKE_CUSOLVER

}  // extern "C"
