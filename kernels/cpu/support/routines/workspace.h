#pragma once

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "kernels/cpu/support/routines/lapack.h"
#include "kernels/cpu/support/routines/work_array.h"

namespace acceld::kernels::cpu {

// Returns RESOURCE_EXHAUSTED if LAPACK's arithmetic on a workspace of `elements` overflows its
// 32-bit integers: it would then accept a workspace that is too small.
inline absl::Status CheckWorkspace(double elements) {
  if (elements <= std::numeric_limits<lapack::Int>::max()) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("a workspace of ", elements, " elements, where LAPACK counts up to 2^31 - 1"));
}

// Returns the number of elements to allocate for a workspace. `answer` is the best size according
// to a query, and `least`, which has passed CheckWorkspace, is enough according to the
// documentation. An answer is a float, which may have been rounded down, and is meaningless if its
// computation overflowed.
inline int64_t WorkspaceSize(double answer, double least) {
  const double size = std::ceil(answer * (1 + 1e-6));
  const bool has_meaning = size >= least && size <= std::numeric_limits<lapack::Int>::max();
  return std::max<int64_t>(1, static_cast<int64_t>(has_meaning ? size : least));
}

// Calls `function(work, size)`, which calls a LAPACK function and returns its info, twice: first
// with size -1, which makes the LAPACK function return the best size of its workspace, then with a
// workspace of that size, or of the size `least`, which is enough. Returns the info, or an error if
// there is no memory for the workspace.
template <typename T, typename Function>
absl::StatusOr<lapack::Int> WithWorkspace(const RoutineRun& run, double least, Function function) {
  ACCELD_RETURN_IF_ERROR(CheckWorkspace(least));
  T wanted(0);
  const lapack::Int info = function(&wanted, lapack::Int{-1});
  if (info != 0) return info;
  ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> work,
                          WorkArray<T>::Make(run, WorkspaceSize(std::real(wanted), least)));
  return function(work.data(), static_cast<lapack::Int>(work.size()));
}

// Converts the info of a LAPACK function to a Status. For routines that have no result for the
// info: it can only say that the library refuses an argument, and shapes have been checked before.
inline absl::Status StatusOfInfo(const absl::StatusOr<lapack::Int>& info) {
  if (!info.ok()) return info.status();
  if (*info == 0) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the library returned info ", *info));
}

// The info for a matrix that is not finite. Negative values mean that an argument is invalid.
inline constexpr lapack::Int kInfoNotFinite = -4;

}  // namespace acceld::kernels::cpu
