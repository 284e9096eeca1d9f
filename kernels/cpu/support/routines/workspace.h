#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kernels/cpu/support/routines/lapack.h"

namespace acceld::kernels::cpu {

// Calls `function(work, size)` twice: first with size -1, which makes a LAPACK function say how
// much workspace it wants, then with that much. Its info; RESOURCE_EXHAUSTED when the workspace has
// more than 2^31 - 1 elements.
template <typename T, typename Function>
absl::StatusOr<lapack::Int> WithWorkspace(Function function) {
  T wanted(0);
  lapack::Int info = function(&wanted, lapack::Int{-1});
  if (info != 0) return info;
  // The size comes as a float, which may have rounded it down.
  const double size = std::ceil(std::real(wanted) * (1 + 1e-6));
  if (!(size < std::numeric_limits<lapack::Int>::max())) {
    return absl::ResourceExhaustedError(absl::StrCat("a workspace of ", size, " elements"));
  }
  std::vector<T> work(static_cast<size_t>(size < 1 ? 1 : size));
  return function(work.data(), static_cast<lapack::Int>(work.size()));
}

// For functions without a result that says why they failed: the library names an argument that it
// refuses, and shapes are checked before.
inline absl::Status Accepted(const absl::StatusOr<lapack::Int>& info) {
  if (!info.ok()) return info.status();
  if (*info == 0) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the library returned info ", *info));
}

// Whether all elements are finite. Iterations over others may not end.
template <typename T>
bool AllFinite(const std::vector<T>& values) {
  for (const T& value : values) {
    if (!std::isfinite(std::real(value)) || !std::isfinite(std::imag(value))) return false;
  }
  return true;
}
// What info says of a matrix that is not finite: its argument is wrong.
inline constexpr lapack::Int kNotFinite = -4;

}  // namespace acceld::kernels::cpu
