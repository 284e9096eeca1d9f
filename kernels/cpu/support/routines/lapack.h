#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

#include "common/status.h"
#include "kernels/cpu/support/routines/routine_run.h"

// LAPACK's Fortran functions as overloads for the element types, with LAPACK's own order of
// arguments and without those that follow from others. Results of type Int are LAPACK's info.
// Matrices are column-major. Lengths of character arguments are passed after all other arguments,
// as gfortran does.
//
//   Potrf         Cholesky factor               Geqp3         QR with column pivoting
//   Trsm          triangular solve              Evd           eigenvalues of Hermitian matrices
//   Getrf         LU with partial pivoting      Geev          eigenvalues of general matrices
//   Geqrf         QR                            Gees          Schur decomposition
//   Gqr           Q of reflectors               Gesdd, Gesvd  singular value decomposition
//   Larft, Larfb  block reflectors              Gehrd, Trd    Hessenberg and tridiagonal form
namespace acceld::kernels::cpu::lapack {

using Int = int32_t;
using C64 = std::complex<float>;
using C128 = std::complex<double>;
inline constexpr size_t kOne = 1;  // the length of a character

// Functions whose names and signatures follow one pattern for all four types.
#define ACCELD_LAPACK_ALL(p, T, R)                                                                 \
  extern "C" {                                                                                     \
  void p##potrf_(const char*, const Int*, T*, const Int*, Int*, size_t);                           \
  void p##trsm_(const char*, const char*, const char*, const char*, const Int*, const Int*,        \
                const T*, const T*, const Int*, T*, const Int*, size_t, size_t, size_t, size_t);   \
  void p##getrf_(const Int*, const Int*, T*, const Int*, Int*, Int*);                              \
  void p##geqrf_(const Int*, const Int*, T*, const Int*, T*, T*, const Int*, Int*);                \
  void p##gehrd_(const Int*, const Int*, const Int*, T*, const Int*, T*, T*, const Int*, Int*);    \
  void p##gemm_(const char*, const char*, const Int*, const Int*, const Int*, const T*, const T*,  \
                const Int*, const T*, const Int*, const T*, T*, const Int*, size_t, size_t);       \
  void p##larft_(const char*, const char*, const Int*, const Int*, const T*, const Int*, const T*, \
                 T*, const Int*, size_t, size_t);                                                  \
  void p##larfb_(const char*, const char*, const char*, const char*, const Int*, const Int*,       \
                 const Int*, const T*, const Int*, const T*, const Int*, T*, const Int*, T*,       \
                 const Int*, size_t, size_t, size_t, size_t);                                      \
  }                                                                                                \
  inline Int Potrf(char uplo, Int n, T* a) {                                                       \
    const Int ld = n > 0 ? n : 1;                                                                  \
    Int info = 0;                                                                                  \
    p##potrf_(&uplo, &n, a, &ld, &info, kOne);                                                     \
    return info;                                                                                   \
  }                                                                                                \
  inline void Trsm(char side, char uplo, char trans, char diag, Int m, Int n, const T* a, Int lda, \
                   T* b, Int ldb) {                                                                \
    const T one(1);                                                                                \
    p##trsm_(&side, &uplo, &trans, &diag, &m, &n, &one, a, &lda, b, &ldb, kOne, kOne, kOne, kOne); \
  }                                                                                                \
  inline Int Getrf(Int m, Int n, T* a, Int* pivots) {                                              \
    const Int ld = m > 0 ? m : 1;                                                                  \
    Int info = 0;                                                                                  \
    p##getrf_(&m, &n, a, &ld, pivots, &info);                                                      \
    return info;                                                                                   \
  }                                                                                                \
  inline Int Geqrf(Int m, Int n, T* a, Int ld, T* tau, T* work, Int lwork) {                       \
    Int info = 0;                                                                                  \
    p##geqrf_(&m, &n, a, &ld, tau, work, &lwork, &info);                                           \
    return info;                                                                                   \
  }                                                                                                \
  inline Int Gehrd(Int n, T* a, T* tau, T* work, Int lwork) {                                      \
    const Int low = 1, ld = n > 0 ? n : 1;                                                         \
    Int info = 0;                                                                                  \
    p##gehrd_(&n, &low, &n, a, &ld, tau, work, &lwork, &info);                                     \
    return info;                                                                                   \
  }                                                                                                \
  /* Computes c -= op(a) op(b) for c of m x n elements. */                                         \
  inline void SubtractProduct(char trans_a, char trans_b, Int m, Int n, Int k, const T* a,         \
                              Int lda, const T* b, Int ldb, T* c, Int ldc) {                       \
    const T minus_one(-1), one(1);                                                                 \
    p##gemm_(&trans_a, &trans_b, &m, &n, &k, &minus_one, a, &lda, b, &ldb, &one, c, &ldc, kOne,    \
             kOne);                                                                                \
  }                                                                                                \
  /* Computes the triangle t of the block reflector of the k reflectors in v, of n rows. */        \
  inline void Larft(Int n, Int k, const T* v, Int ldv, const T* tau, T* t, Int ldt) {              \
    p##larft_("F", "C", &n, &k, v, &ldv, tau, t, &ldt, kOne, kOne);                                \
  }                                                                                                \
  /* Applies a block reflector to c of m x n elements. work: n k elements (m k for side R). */     \
  inline void Larfb(char side, char trans, Int m, Int n, Int k, const T* v, Int ldv, const T* t,   \
                    Int ldt, T* c, Int ldc, T* work) {                                             \
    const Int ldwork = side == 'L' ? n : m;                                                        \
    p##larfb_(&side, &trans, "F", "C", &m, &n, &k, v, &ldv, t, &ldt, c, &ldc, work, &ldwork, kOne, \
              kOne, kOne, kOne);                                                                   \
  }
ACCELD_LAPACK_ALL(s, float, float)
ACCELD_LAPACK_ALL(d, double, double)
ACCELD_LAPACK_ALL(c, C64, float)
ACCELD_LAPACK_ALL(z, C128, double)
#undef ACCELD_LAPACK_ALL

// Functions whose names differ between real and complex types: orgqr and ungqr.
#define ACCELD_LAPACK_NAMED(T, R, gqr, trd)                                                     \
  extern "C" {                                                                                  \
  void gqr(const Int*, const Int*, const Int*, T*, const Int*, const T*, T*, const Int*, Int*); \
  void trd(const char*, const Int*, T*, const Int*, R*, R*, T*, T*, const Int*, Int*, size_t);  \
  }                                                                                             \
  inline Int Gqr(Int m, Int n, Int k, T* a, Int ld, const T* tau, T* work, Int lwork) {         \
    Int info = 0;                                                                               \
    gqr(&m, &n, &k, a, &ld, tau, work, &lwork, &info);                                          \
    return info;                                                                                \
  }                                                                                             \
  inline Int Trd(char uplo, Int n, T* a, R* d, R* e, T* tau, T* work, Int lwork) {              \
    const Int ld = n > 0 ? n : 1;                                                               \
    Int info = 0;                                                                               \
    trd(&uplo, &n, a, &ld, d, e, tau, work, &lwork, &info, kOne);                               \
    return info;                                                                                \
  }
ACCELD_LAPACK_NAMED(float, float, sorgqr_, ssytrd_)
ACCELD_LAPACK_NAMED(double, double, dorgqr_, dsytrd_)
ACCELD_LAPACK_NAMED(C64, float, cungqr_, chetrd_)
ACCELD_LAPACK_NAMED(C128, double, zungqr_, zhetrd_)
#undef ACCELD_LAPACK_NAMED

// Functions with another signature for complex types than for real ones. The overloads for real
// types ignore `rwork`. Eigenvalues are stored to `w`; for real types, that has the real parts, and
// `wi` the imaginary parts.
#define ACCELD_LAPACK_REAL(p, T)                                                                   \
  extern "C" {                                                                                     \
  void p##geqp3_(const Int*, const Int*, T*, const Int*, Int*, T*, T*, const Int*, Int*);          \
  void p##syevd_(const char*, const char*, const Int*, T*, const Int*, T*, T*, const Int*, Int*,   \
                 const Int*, Int*, size_t, size_t);                                                \
  void p##gesdd_(const char*, const Int*, const Int*, T*, const Int*, T*, T*, const Int*, T*,      \
                 const Int*, T*, const Int*, Int*, Int*, size_t);                                  \
  void p##gesvd_(const char*, const char*, const Int*, const Int*, T*, const Int*, T*, T*,         \
                 const Int*, T*, const Int*, T*, const Int*, Int*, size_t, size_t);                \
  void p##geev_(const char*, const char*, const Int*, T*, const Int*, T*, T*, T*, const Int*, T*,  \
                const Int*, T*, const Int*, Int*, size_t, size_t);                                 \
  void p##gees_(const char*, const char*, void*, const Int*, T*, const Int*, Int*, T*, T*, T*,     \
                const Int*, T*, const Int*, Int*, Int*, size_t, size_t);                           \
  }                                                                                                \
  inline Int Geqp3(Int m, Int n, T* a, Int* pivots, T* tau, T* work, Int lwork, T*) {              \
    const Int ld = m > 0 ? m : 1;                                                                  \
    Int info = 0;                                                                                  \
    p##geqp3_(&m, &n, a, &ld, pivots, tau, work, &lwork, &info);                                   \
    return info;                                                                                   \
  }                                                                                                \
  inline Int Evd(char vectors, char uplo, Int n, T* a, T* w, T* work, Int lwork, T*, Int,          \
                 Int* iwork, Int liwork) {                                                         \
    const Int ld = n > 0 ? n : 1;                                                                  \
    Int info = 0;                                                                                  \
    p##syevd_(&vectors, &uplo, &n, a, &ld, w, work, &lwork, iwork, &liwork, &info, kOne, kOne);    \
    return info;                                                                                   \
  }                                                                                                \
  inline Int Gesdd(char job, Int m, Int n, T* a, T* s, T* u, T* vt, Int ldvt, T* work, Int lwork,  \
                   T*, Int* iwork) {                                                               \
    const Int ld = m > 0 ? m : 1;                                                                  \
    Int info = 0;                                                                                  \
    p##gesdd_(&job, &m, &n, a, &ld, s, u, &ld, vt, &ldvt, work, &lwork, iwork, &info, kOne);       \
    return info;                                                                                   \
  }                                                                                                \
  inline Int Gesvd(char job, Int m, Int n, T* a, T* s, T* u, T* vt, Int ldvt, T* work, Int lwork,  \
                   T*) {                                                                           \
    const Int ld = m > 0 ? m : 1;                                                                  \
    Int info = 0;                                                                                  \
    p##gesvd_(&job, &job, &m, &n, a, &ld, s, u, &ld, vt, &ldvt, work, &lwork, &info, kOne, kOne);  \
    return info;                                                                                   \
  }                                                                                                \
  inline Int Geev(char left, char right, Int n, T* a, T* w, T* wi, T* vl, T* vr, T* work,          \
                  Int lwork, T*) {                                                                 \
    const Int ld = n > 0 ? n : 1;                                                                  \
    Int info = 0;                                                                                  \
    p##geev_(&left, &right, &n, a, &ld, w, wi, vl, &ld, vr, &ld, work, &lwork, &info, kOne, kOne); \
    return info;                                                                                   \
  }                                                                                                \
  inline Int Gees(char vectors, Int n, T* a, T* w, T* wi, T* z, T* work, Int lwork, T*) {          \
    const char sort = 'N';                                                                         \
    const Int ld = n > 0 ? n : 1;                                                                  \
    Int info = 0, chosen = 0;                                                                      \
    p##gees_(&vectors, &sort, nullptr, &n, a, &ld, &chosen, w, wi, z, &ld, work, &lwork, nullptr,  \
             &info, kOne, kOne);                                                                   \
    return info;                                                                                   \
  }
ACCELD_LAPACK_REAL(s, float)
ACCELD_LAPACK_REAL(d, double)
#undef ACCELD_LAPACK_REAL

#define ACCELD_LAPACK_COMPLEX(p, T, R)                                                             \
  extern "C" {                                                                                     \
  void p##geqp3_(const Int*, const Int*, T*, const Int*, Int*, T*, T*, const Int*, R*, Int*);      \
  void p##heevd_(const char*, const char*, const Int*, T*, const Int*, R*, T*, const Int*, R*,     \
                 const Int*, Int*, const Int*, Int*, size_t, size_t);                              \
  void p##gesdd_(const char*, const Int*, const Int*, T*, const Int*, R*, T*, const Int*, T*,      \
                 const Int*, T*, const Int*, R*, Int*, Int*, size_t);                              \
  void p##gesvd_(const char*, const char*, const Int*, const Int*, T*, const Int*, R*, T*,         \
                 const Int*, T*, const Int*, T*, const Int*, R*, Int*, size_t, size_t);            \
  void p##geev_(const char*, const char*, const Int*, T*, const Int*, T*, T*, const Int*, T*,      \
                const Int*, T*, const Int*, R*, Int*, size_t, size_t);                             \
  void p##gees_(const char*, const char*, void*, const Int*, T*, const Int*, Int*, T*, T*,         \
                const Int*, T*, const Int*, R*, Int*, Int*, size_t, size_t);                       \
  }                                                                                                \
  inline Int Geqp3(Int m, Int n, T* a, Int* pivots, T* tau, T* work, Int lwork, R* rwork) {        \
    const Int ld = m > 0 ? m : 1;                                                                  \
    Int info = 0;                                                                                  \
    p##geqp3_(&m, &n, a, &ld, pivots, tau, work, &lwork, rwork, &info);                            \
    return info;                                                                                   \
  }                                                                                                \
  inline Int Evd(char vectors, char uplo, Int n, T* a, R* w, T* work, Int lwork, R* rwork,         \
                 Int lrwork, Int* iwork, Int liwork) {                                             \
    const Int ld = n > 0 ? n : 1;                                                                  \
    Int info = 0;                                                                                  \
    p##heevd_(&vectors, &uplo, &n, a, &ld, w, work, &lwork, rwork, &lrwork, iwork, &liwork, &info, \
              kOne, kOne);                                                                         \
    return info;                                                                                   \
  }                                                                                                \
  inline Int Gesdd(char job, Int m, Int n, T* a, R* s, T* u, T* vt, Int ldvt, T* work, Int lwork,  \
                   R* rwork, Int* iwork) {                                                         \
    const Int ld = m > 0 ? m : 1;                                                                  \
    Int info = 0;                                                                                  \
    p##gesdd_(&job, &m, &n, a, &ld, s, u, &ld, vt, &ldvt, work, &lwork, rwork, iwork, &info,       \
              kOne);                                                                               \
    return info;                                                                                   \
  }                                                                                                \
  inline Int Gesvd(char job, Int m, Int n, T* a, R* s, T* u, T* vt, Int ldvt, T* work, Int lwork,  \
                   R* rwork) {                                                                     \
    const Int ld = m > 0 ? m : 1;                                                                  \
    Int info = 0;                                                                                  \
    p##gesvd_(&job, &job, &m, &n, a, &ld, s, u, &ld, vt, &ldvt, work, &lwork, rwork, &info, kOne,  \
              kOne);                                                                               \
    return info;                                                                                   \
  }                                                                                                \
  inline Int Geev(char left, char right, Int n, T* a, T* w, T*, T* vl, T* vr, T* work, Int lwork,  \
                  R* rwork) {                                                                      \
    const Int ld = n > 0 ? n : 1;                                                                  \
    Int info = 0;                                                                                  \
    p##geev_(&left, &right, &n, a, &ld, w, vl, &ld, vr, &ld, work, &lwork, rwork, &info, kOne,     \
             kOne);                                                                                \
    return info;                                                                                   \
  }                                                                                                \
  inline Int Gees(char vectors, Int n, T* a, T* w, T*, T* z, T* work, Int lwork, R* rwork) {       \
    const char sort = 'N';                                                                         \
    const Int ld = n > 0 ? n : 1;                                                                  \
    Int info = 0, chosen = 0;                                                                      \
    p##gees_(&vectors, &sort, nullptr, &n, a, &ld, &chosen, w, z, &ld, work, &lwork, rwork,        \
             nullptr, &info, kOne, kOne);                                                          \
    return info;                                                                                   \
  }
ACCELD_LAPACK_COMPLEX(c, C64, float)
ACCELD_LAPACK_COMPLEX(z, C128, double)
#undef ACCELD_LAPACK_COMPLEX

}  // namespace acceld::kernels::cpu::lapack
