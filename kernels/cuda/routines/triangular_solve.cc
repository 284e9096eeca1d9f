#include "kernels/cuda/routines/prepare.h"

namespace acceld::kernels::cuda {
namespace {

// The smallest workspace with which cuBLAS is fast on all devices.
constexpr int64_t kCublasWorkspaceBytes = int64_t{4} << 20;

// The number 1 for each element type; complex types have an imaginary part of 0.
constexpr float kFloatOne[] = {1, 0};
constexpr double kDoubleOne[] = {1, 0};

}  // namespace

// The library's matrices are column-major, so it sees the transpose of each row-major matrix: op(A)
// X = B becomes X^T op(A^T) = B^T. Therefore the library is called with the other side and the
// other triangle.
absl::StatusOr<DeviceRoutine> PrepareTriangularSolve(const RoutineCall& call,
                                                     const RoutineContext& context) {
  const Cublas* const library = context.libraries.cublas;
  if (library == nullptr) return NoLibrary("cuBLAS");
  ACCELD_RETURN_IF_ERROR(context.handles.cublas().status());
  const Matrices a = MatricesOf(call.operands[0], BatchRankOf(call));
  const Matrices b = MatricesOf(call.operands[1], BatchRankOf(call));
  const auto type = static_cast<size_t>(a.element);
  const int side = call.routine == Routine::kTriangularSolveLeft ? kRightSide : kLeftSide;
  const int triangle = call.parameters[0] != 0 ? kUpperTriangle : kLowerTriangle;
  const int diagonal = call.parameters[1] != 0 ? kUnitDiagonal : kNonUnitDiagonal;
  const int transposed = static_cast<int>(call.parameters[2]);  // in the order of cublasOperation_t
  const auto n = static_cast<int>(a.rows), rows = static_cast<int>(b.columns),
             columns = static_cast<int>(b.rows);
  const bool batched = a.batch > 1 && a.batch <= INT32_MAX && a.rows <= kMaxBatchedSize;
  WorkspaceLayout layout;
  const int64_t work = layout.Add(kCublasWorkspaceBytes);
  const int64_t lists = layout.Add(batched ? 2 * a.batch * int64_t{sizeof(void*)} : 0);
  return DeviceRoutine{
      .workspace_bytes = layout.size_bytes(),
      .needs_host = !batched && a.batch > kMaxInlineItems,
      .enqueue = [=, launch = &context.launch](const RoutineBuffers& buffers) -> absl::Status {
        ACCELD_ASSIGN_OR_RETURN(const Cublas::Handle handle, buffers.handles->cublas());
        const RoutineKernels kernels(*launch, buffers.handles->stream());
        const uint64_t matrix = buffers.operands[0], solution = buffers.results[0];
        const void* const one =
            IsDouble(a.element) ? static_cast<const void*>(kDoubleOne) : kFloatOne;
        ACCELD_RETURN_IF_ERROR(Cublas::Check(
            library->cublasSetWorkspace_v2(handle, PointerTo(Offset(buffers.workspace, work)),
                                           kCublasWorkspaceBytes),
            "cublasSetWorkspace"));
        ACCELD_RETURN_IF_ERROR(kernels.Copy(solution, buffers.operands[1], b.size_bytes()));
        if (batched) {
          const uint64_t of_a = Offset(buffers.workspace, lists);
          const uint64_t of_b = Offset(of_a, a.batch * int64_t{sizeof(void*)});
          ACCELD_RETURN_IF_ERROR(kernels.ListItems(of_a, matrix, a.item_bytes(), a.batch));
          ACCELD_RETURN_IF_ERROR(kernels.ListItems(of_b, solution, b.item_bytes(), a.batch));
          return Cublas::Check(
              library->trsm_batched[type](handle, side, triangle, transposed, diagonal, rows,
                                          columns, one, PointerTo<const void*>(of_a), n,
                                          PointerTo<void*>(of_b), rows, static_cast<int>(a.batch)),
              "trsmBatched");
        }
        for (int64_t i = 0; i < a.batch; ++i) {
          ACCELD_RETURN_IF_ERROR(buffers.CheckNotCancelled());
          ACCELD_RETURN_IF_ERROR(Cublas::Check(
              library->trsm[type](handle, side, triangle, transposed, diagonal, rows, columns, one,
                                  PointerTo(Offset(matrix, i * a.item_bytes())), n,
                                  PointerTo(Offset(solution, i * b.item_bytes())), rows),
              "trsm"));
        }
        return absl::OkStatus();
      }};
}

}  // namespace acceld::kernels::cuda
