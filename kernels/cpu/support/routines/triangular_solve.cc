#include <algorithm>
#include <cstring>

#include "kernels/cpu/support/routines/lapack.h"

// Row-major matrices are read as column-major ones, which are their transposes: what solves
// op(A) X = B is X^T op(A)^T = B^T, from the other side with the other triangle.
namespace acceld::kernels::cpu {
namespace {

// Right-hand sides that are solved together. Parts do not depend on the number of threads.
constexpr int64_t kPart = 128;

// All elements of a buffer in T: its own, or copies.
template <typename T>
class Elements {
 public:
  explicit Elements(const RoutineBuffer& buffer) : item_elements_(buffer.item_elements()) {
    if (ir::StorageBytesOf(buffer.dtype) == static_cast<int64_t>(sizeof(T))) {
      elements_ = reinterpret_cast<T*>(buffer.data);
    } else if constexpr (!kIsComplex<T>) {
      copies_.resize(buffer.batch * item_elements_);
      for (size_t i = 0; i < copies_.size(); ++i) {
        copies_[i] = static_cast<T>(ir::ReadFloat(buffer.dtype, buffer.data, i));
      }
      elements_ = copies_.data();
    }
  }

  bool are_copies() const { return !copies_.empty(); }
  T* Item(int64_t i) { return elements_ + i * item_elements_; }

 private:
  const int64_t item_elements_;
  std::vector<T> copies_;
  T* elements_ = nullptr;
};

absl::Status Solve(const RoutineRun& run, bool is_left) {
  const char uplo = run.parameters[0] != 0 ? 'U' : 'L';
  const char diagonal = run.parameters[1] != 0 ? 'U' : 'N';
  const char transpose = "NTC"[run.parameters[2]];
  const RoutineBuffer& a = run.operands[0];
  const RoutineBuffer& b = run.operands[1];
  const RoutineBuffer& x = run.results[0];
  if (b.item_elements() == 0) return absl::OkStatus();
  const auto n = static_cast<lapack::Int>(a.rows), columns = static_cast<lapack::Int>(b.columns);
  const int64_t sides = is_left ? b.columns : b.rows;
  const int64_t parts = (sides + kPart - 1) / kPart;
  if (x.data != b.data)
    std::memcpy(x.data, b.data, b.batch * b.item_elements() * ir::StorageBytesOf(b.dtype));
  const double work = static_cast<double>(n) * static_cast<double>(n) *
                      static_cast<double>(std::min(sides, kPart) + 1);
  return ForElementType(run.dtype(), [&](auto zero) -> absl::Status {
    using T = decltype(zero);
    Elements<T> matrices(a), solutions(x);
    ACCELD_RETURN_IF_ERROR(run.ForEach(run.batch() * parts, work, [&](int64_t task) {
      const int64_t item = task / parts, first = task % parts * kPart;
      const auto count = static_cast<lapack::Int>(std::min(kPart, sides - first));
      T* const part = solutions.Item(item) + (is_left ? first : first * columns);
      lapack::Trsm(is_left ? 'R' : 'L', uplo, transpose, diagonal, is_left ? count : columns,
                   is_left ? n : count, matrices.Item(item), n, part, columns);
      return absl::OkStatus();
    }));
    if (solutions.are_copies()) {
      for (int64_t i = 0; i < x.batch * x.item_elements(); ++i) {
        ir::WriteFloat(x.dtype, x.data, i, static_cast<double>(std::real(solutions.Item(0)[i])));
      }
    }
    return absl::OkStatus();
  });
}

}  // namespace

absl::Status RunTriangularSolveLeft(const RoutineRun& run) { return Solve(run, /*is_left=*/true); }
absl::Status RunTriangularSolveRight(const RoutineRun& run) {
  return Solve(run, /*is_left=*/false);
}

}  // namespace acceld::kernels::cpu
