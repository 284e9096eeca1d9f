#pragma once

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "kernels/cpu/support/routines/elements.h"
#include "kernels/cpu/support/routines/lapack.h"

namespace acceld::kernels::cpu {

// RESOURCE_EXHAUSTED when LAPACK's arithmetic on a workspace of `elements` overflows its 32-bit
// integers: it would take a workspace that is too small.
inline absl::Status CheckWorkspace(double elements) {
  if (elements <= std::numeric_limits<lapack::Int>::max()) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("a workspace of ", elements, " elements, where LAPACK counts up to 2^31 - 1"));
}

// Elements of a workspace of which a query said that `answer` are best, and the documentation that
// `least` are enough. Answers come as floats, which may have been rounded down, and are without
// meaning when what they were computed from overflowed. `least` passes CheckWorkspace.
inline int64_t WorkspaceSize(double answer, double least) {
  const double size = std::ceil(answer * (1 + 1e-6));
  const bool has_meaning = size >= least && size <= std::numeric_limits<lapack::Int>::max();
  return std::max<int64_t>(1, static_cast<int64_t>(has_meaning ? size : least));
}

// Calls `function(work, size)` twice: first with size -1, which makes a LAPACK function say how
// much workspace is best, then with that much, or with the `least` that is enough. Its info.
template <typename T, typename Function>
absl::StatusOr<lapack::Int> WithWorkspace(const RoutineRun& run, double least, Function function) {
  ACCELD_RETURN_IF_ERROR(CheckWorkspace(least));
  T wanted(0);
  const lapack::Int info = function(&wanted, lapack::Int{-1});
  if (info != 0) return info;
  ACCELD_ASSIGN_OR_RETURN(const Elements<T> work,
                          Elements<T>::Make(run, WorkspaceSize(std::real(wanted), least)));
  return function(work.data(), static_cast<lapack::Int>(work.size()));
}

// For functions without a result that says why they failed: the library names an argument that it
// refuses, and shapes are checked before.
inline absl::Status Accepted(const absl::StatusOr<lapack::Int>& info) {
  if (!info.ok()) return info.status();
  if (*info == 0) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the library returned info ", *info));
}

// What info says of a matrix that is not finite: its argument is wrong.
inline constexpr lapack::Int kNotFinite = -4;

}  // namespace acceld::kernels::cpu
