#pragma once

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/ceil_divide.h"
#include "kernels/cuda/routines/device_routine.h"

// What PrepareRoutine is made of. Operands and results have elements, matrices have a type that
// ElementOf knows. Only within this folder.
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

// Of cublas_api.h and cusolver_common.h.
inline constexpr int kLowerTriangle = 0, kUpperTriangle = 1;
inline constexpr int kLeftSide = 0, kRightSide = 1;
inline constexpr int kNotTransposed = 0, kTransposed = 1, kAdjoint = 2;
inline constexpr int kNonUnitDiagonal = 0, kUnitDiagonal = 1;
inline constexpr int kNoVectors = 0, kVectors = 1;

// Batches of matrices up to this size go to functions for batches, of larger ones each matrix to a
// function that keeps the whole device busy.
inline constexpr int64_t kMaxBatchedSize = 256;
// Streams take about a thousand launches at once.
inline constexpr int64_t kMaxInlineItems = 32;
// Where there is no function for batches: each call takes tens of microseconds or more however
// small the matrix is, in which time a processor is done with one of this size.
inline constexpr int64_t kMaxHostSize = 64;

// Parts of a workspace, behind each other.
class WorkspaceLayout {
 public:
  // The offset of the next part.
  int64_t Add(int64_t size_bytes) {
    const int64_t at = size_bytes_;
    size_bytes_ += RoundUp(size_bytes, kWorkspaceAlignment);
    return at;
  }
  int64_t size_bytes() const { return size_bytes_; }

 private:
  int64_t size_bytes_ = 0;
};

inline absl::Status NoLibrary(absl::string_view name) {
  return absl::UnimplementedError(absl::StrCat("there is no ", name));
}

// UNIMPLEMENTED for batches that are not worth a call for each matrix.
inline absl::Status CheckWorthCalls(const Matrices& a) {
  if (a.batch <= kMaxInlineItems || std::max(a.rows, a.columns) > kMaxHostSize) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError("the library would take longer for many small matrices");
}

// Workspaces are counted in 32 bits.
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
