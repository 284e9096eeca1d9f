#pragma once

#include <cstdint>

namespace acceld::kernels::cpu {

// The innermost loops of blocked factorizations and solves: tiles of `rows` x `columns` elements
// that stay in registers, as in Van Zee and van de Geijn, "BLIS: A Framework for Rapidly
// Instantiating BLAS Functionality" (2015). Left operands are packed in strips of `rows` rows,
// right ones in panels of `columns` columns; both have what belongs to one k side by side:
//   a[k * a_step + i],  b[k * columns + j].
// All functions are pure and run on the calling thread.
template <typename T>
struct MicroKernels {
  static constexpr int64_t kMaxRows = 8;
  static constexpr int64_t kMaxColumns = 64;

  int64_t rows, columns;

  // c[i * c_step + j] -= sum over k < depth of a[k][i] b[k][j], of a whole tile.
  void (*subtract_product)(int64_t depth, const T* a, int64_t a_step, const T* b, T* c,
                           int64_t c_step);
  // The same with operands that are not packed: a[i * a_step + k], b[k * b_step + j].
  void (*subtract_plain_product)(int64_t depth, const T* a, int64_t a_step, const T* b,
                                 int64_t b_step, T* c, int64_t c_step);
  // Forward substitution by one strip of a lower triangle: `a` are `depth` columns left of the
  // diagonal, `triangle` the packed square on it, of which the triangle is read. The panel `b` has
  // the solution in its first `depth` rows and the right-hand sides in the next, which become the
  // solution. With `unit` the diagonal counts as 1.
  void (*solve_strip)(int64_t depth, const T* a, int64_t a_step, const T* triangle, bool unit,
                      T* b);
  // The Cholesky factor of a square of `rows` columns that is stored as solve_strip takes it; only
  // one triangle is read, and what is in the other one then has no meaning. The number of the first
  // column that is not positive, or `rows`.
  int64_t (*factor_triangle)(T* triangle);

  // Of long columns, which have zeros or NaNs behind their end for another `columns` elements.
  // The index of the first of the largest magnitudes; NaN is never one, except the first value.
  int64_t (*index_of_largest)(int64_t count, const T* values);
  // values[j] *= factor, and behind the end.
  void (*scale)(int64_t count, T factor, T* values);
  // to[j] -= factor * from[j], and behind the end.
  void (*subtract_multiple)(int64_t count, T factor, const T* from, T* to);
};

// Those for this CPU; float and double.
template <typename T>
const MicroKernels<T>& MicroKernelsOf();

}  // namespace acceld::kernels::cpu
