#pragma once

#include <cstdint>

namespace acceld::kernels::cpu {

// The innermost loops of blocked factorizations and solves. They compute tiles of `rows` x
// `columns` elements that stay in registers, as in Van Zee and van de Geijn, "BLIS: A Framework for
// Rapidly Instantiating BLAS Functionality" (2015). Left operands are packed in strips of `rows`
// rows, right ones in panels of `columns` columns. In both, the elements with the same index k of
// the sum are consecutive:
//   a[k * a_step + i],  b[k * columns + j].
// All functions are pure and run on the calling thread.
template <typename T>
struct MicroKernels {
  static constexpr int64_t kMaxRows = 8;
  static constexpr int64_t kMaxColumns = 64;

  int64_t rows, columns;

  // Computes c[i * c_step + j] -= sum over k < depth of a[k][i] b[k][j], for a whole tile.
  void (*subtract_product)(int64_t depth, const T* a, int64_t a_step, const T* b, T* c,
                           int64_t c_step);
  // The same with operands that are not packed: a[i * a_step + k], b[k * b_step + j].
  void (*subtract_plain_product)(int64_t depth, const T* a, int64_t a_step, const T* b,
                                 int64_t b_step, T* c, int64_t c_step);
  // Forward substitution with one strip of a lower triangle. `a` has the `depth` columns of the
  // strip left of the diagonal, `triangle` the packed square on the diagonal, of which only the
  // lower triangle is read. The panel `b` has the solution in its first `depth` rows, and the
  // right-hand sides in the next `rows` rows, which become the solution. With `unit` the diagonal
  // counts as 1.
  void (*solve_strip)(int64_t depth, const T* a, int64_t a_step, const T* triangle, bool unit,
                      T* b);
  // Computes the Cholesky factor of a square of `rows` columns, packed as solve_strip needs it.
  // Only one triangle is read; the contents of the other one become meaningless. Returns the number
  // of the first column whose pivot is 0 or negative, or `rows`.
  int64_t (*factor_triangle)(T* triangle);

  // These functions process long columns. The `columns` elements after the end of a column may be
  // accessed, too, and must be zeros or NaN.
  //
  // Returns the index of the first of the largest magnitudes. That of a NaN is never the largest,
  // unless NaN is the first value.
  int64_t (*index_of_largest)(int64_t count, const T* values);
  // values[j] *= factor, also after the end.
  void (*scale)(int64_t count, T factor, T* values);
  // to[j] -= factor * from[j], also after the end.
  void (*subtract_multiple)(int64_t count, T factor, const T* from, T* to);
};

// Returns the fastest MicroKernels that this CPU supports. T is float or double.
template <typename T>
const MicroKernels<T>& MicroKernelsOf();

}  // namespace acceld::kernels::cpu
