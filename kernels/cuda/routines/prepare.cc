#include "kernels/cuda/routines/prepare.h"

#include <algorithm>

namespace acceld::kernels::cuda {
namespace {

bool HasElements(const std::vector<ir::TensorType>& types) {
  return std::all_of(types.begin(), types.end(),
                     [](const ir::TensorType& type) { return type.num_elements() > 0; });
}

}  // namespace

absl::StatusOr<DeviceRoutine> PrepareRoutine(const RoutineCall& call,
                                             const RoutineContext& context) {
  // The libraries reject empty matrices.
  if (!HasElements(call.operands) || !HasElements(call.results)) {
    return absl::UnimplementedError("there is nothing to compute");
  }
  if (call.routine == Routine::kFft) return PrepareFft(call, context);
  if (!ElementOf(call.operands[0].dtype).has_value()) {
    return absl::UnimplementedError("no library has this type of elements");
  }
  switch (call.routine) {
    case Routine::kCholesky:
    case Routine::kCholeskyFactor:
      return PrepareCholesky(call, context);
    case Routine::kFft:
      return PrepareFft(call, context);
    case Routine::kHermitianEigen:
      return PrepareHermitianEigen(call, context);
    case Routine::kHouseholderMultiplyLeft:
    case Routine::kHouseholderMultiplyRight:
      return PrepareHouseholderMultiply(call, context);
    case Routine::kHouseholderProduct:
      return PrepareHouseholderProduct(call, context);
    case Routine::kLu:
      return PrepareLu(call, context);
    case Routine::kQr:
      return PrepareQr(call, context);
    case Routine::kSvdFull:
    case Routine::kSvdThin:
      return PrepareSvd(call, context);
    case Routine::kTriangularSolveLeft:
    case Routine::kTriangularSolveRight:
      return PrepareTriangularSolve(call, context);
    case Routine::kEigenComplex:
    case Routine::kEigenReal:
    case Routine::kHessenberg:
    case Routine::kQrPivoted:
    case Routine::kSchurComplex:
    case Routine::kSchurReal:
    case Routine::kTridiagonal:
    case Routine::kTridiagonalSolve:
    case Routine::kTridiagonalSolvePerturbed:
      break;
  }
  return absl::UnimplementedError("no library for the device has it");
}

}  // namespace acceld::kernels::cuda
