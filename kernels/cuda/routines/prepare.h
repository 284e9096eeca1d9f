#pragma once

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/ceil_divide.h"
#include "kernels/cuda/routines/device_routine.h"

// The implementations of PrepareRoutine for each routine, and what they have in common. Internal to
// this folder. No operand or result is empty, and matrices have dtypes that ElementOf supports.
namespace acceld::kernels::cuda {

absl::StatusOr<DeviceRoutine> PrepareCholesky(const RoutineCall& call,
                                              const RoutineContext& context);
absl::StatusOr<DeviceRoutine> PrepareFft(const RoutineCall& call, const RoutineContext& context);
absl::StatusOr<DeviceRoutine> PrepareHermitianEigen(const RoutineCall& call,
                                                    const RoutineContext& context);
absl::StatusOr<DeviceRoutine> PrepareHouseholderMultiply(const RoutineCall& call,
                                                         const RoutineContext& context);
absl::StatusOr<DeviceRoutine> PrepareHouseholderProduct(const RoutineCall& call,
                                                        const RoutineContext& context);
absl::StatusOr<DeviceRoutine> PrepareLu(const RoutineCall& call, const RoutineContext& context);
absl::StatusOr<DeviceRoutine> PrepareQr(const RoutineCall& call, const RoutineContext& context);
absl::StatusOr<DeviceRoutine> PrepareSvd(const RoutineCall& call, const RoutineContext& context);
absl::StatusOr<DeviceRoutine> PrepareTriangularSolve(const RoutineCall& call,
                                                     const RoutineContext& context);

// Values of enums in cublas_api.h and cusolver_common.h.
inline constexpr int kLowerTriangle = 0, kUpperTriangle = 1;
inline constexpr int kLeftSide = 0, kRightSide = 1;
inline constexpr int kNotTransposed = 0, kTransposed = 1, kAdjoint = 2;
inline constexpr int kNonUnitDiagonal = 0, kUnitDiagonal = 1;
inline constexpr int kNoVectors = 0, kVectors = 1;

// Batches of matrices with up to this many rows are computed by the libraries' batched functions.
// Larger matrices are computed one by one, by functions that use the whole device.
inline constexpr int64_t kMaxBatchedSize = 256;
// With more matrices that are computed one by one, enqueuing may block: a stream's queue accepts
// about a thousand launches.
inline constexpr int64_t kMaxInlineItems = 32;
// Without a batched function, each call takes tens of microseconds or more, however small the
// matrix is. In that time a CPU computes a matrix with this many rows.
inline constexpr int64_t kMaxHostSize = 64;

// Assigns offsets in a workspace to its parts, one after the other.
class WorkspaceLayout {
 public:
  // Adds a part; returns its offset, a multiple of kWorkspaceAlignment.
  int64_t Add(int64_t size_bytes) {
    const int64_t at = size_bytes_;
    size_bytes_ += RoundUp(size_bytes, kWorkspaceAlignment);
    return at;
  }
  int64_t size_bytes() const { return size_bytes_; }

 private:
  int64_t size_bytes_ = 0;
};

// The error for a routine whose library is missing.
inline absl::Status NoLibrary(absl::string_view name) {
  return absl::UnimplementedError(absl::StrCat("there is no ", name));
}

// Returns UNIMPLEMENTED for large batches of small matrices, for which one call for each matrix
// would be slower than the CPU.
inline absl::Status CheckWorthCalls(const Matrices& a) {
  if (a.batch <= kMaxInlineItems || std::max(a.rows, a.columns) > kMaxHostSize) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError("the library would take longer for many small matrices");
}

// Returns UNIMPLEMENTED if the size of the library's workspace, which is a 32-bit integer, has
// overflowed.
inline absl::Status CheckWorkspace(int elements) {
  if (elements >= 0) return absl::OkStatus();
  return absl::UnimplementedError("the library counts its workspace in 32 bits");
}

template <typename T = void>
T* PointerTo(uint64_t address) {
  return reinterpret_cast<T*>(address);
}

inline uint64_t Offset(uint64_t address, int64_t bytes) {
  return address + static_cast<uint64_t>(bytes);
}

}  // namespace acceld::kernels::cuda
