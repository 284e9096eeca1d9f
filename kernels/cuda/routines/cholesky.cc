#include "kernels/cuda/routines/prepare.h"

namespace acceld::kernels::cuda {

// The library's matrices are column-major, so it sees the transpose of each row-major matrix: A =
// L L^H becomes conj(A) = U^H U with U = L^T. Therefore the library is asked for the factor in the
// other triangle, which in row-major layout is the requested one.
absl::StatusOr<DeviceRoutine> PrepareCholesky(const RoutineCall& call,
                                              const RoutineContext& context) {
  const Cusolver* const library = context.libraries.cusolver;
  if (library == nullptr) return NoLibrary("cuSOLVER");
  const Matrices a = MatricesOf(call.operands[0], BatchRankOf(call));
  const auto type = static_cast<size_t>(a.element);
  const auto n = static_cast<int>(a.rows);
  const bool lower = call.parameters[0] != 0;
  const int triangle = lower ? kUpperTriangle : kLowerTriangle;
  const bool gives_info = call.routine == Routine::kCholeskyFactor;
  const bool batched = a.batch > 1 && a.batch <= INT32_MAX && a.rows <= kMaxBatchedSize;
  int lwork = 0;
  if (!batched) {
    ACCELD_ASSIGN_OR_RETURN(const Cusolver::Handle handle, context.handles.cusolver());
    ACCELD_RETURN_IF_ERROR(Cusolver::Check(
        library->potrf_size[type](handle, triangle, n, nullptr, n, &lwork), "potrf_bufferSize"));
    ACCELD_RETURN_IF_ERROR(CheckWorkspace(lwork));
  }
  WorkspaceLayout layout;
  const int64_t work =
      layout.Add(batched ? a.batch * int64_t{sizeof(void*)} : lwork * BytesOf(a.element));
  const int64_t nan_depths = layout.Add(a.batch * int64_t{sizeof(int32_t)});
  const int64_t own_info = layout.Add(gives_info ? 0 : a.batch * int64_t{sizeof(int32_t)});
  return DeviceRoutine{
      .workspace_bytes = layout.size_bytes(),
      .needs_host = !batched && a.batch > kMaxInlineItems,
      .enqueue = [=, launch = &context.launch](const RoutineBuffers& buffers) -> absl::Status {
        ACCELD_ASSIGN_OR_RETURN(const Cusolver::Handle handle, buffers.handles->cusolver());
        const RoutineKernels kernels(*launch, buffers.handles->stream());
        const uint64_t original = buffers.operands[0], factor = buffers.results[0];
        const uint64_t info = gives_info ? buffers.results[1] : Offset(buffers.workspace, own_info);
        const uint64_t space = Offset(buffers.workspace, work);
        const uint64_t depths = Offset(buffers.workspace, nan_depths);
        ACCELD_RETURN_IF_ERROR(kernels.Copy(factor, original, a.size_bytes()));
        ACCELD_RETURN_IF_ERROR(kernels.Clear(depths, a.batch * int64_t{sizeof(int32_t)}));
        ACCELD_RETURN_IF_ERROR(kernels.FindNan(depths, original, a, lower));
        ACCELD_RETURN_IF_ERROR(kernels.ReplaceNan(factor, depths, a));
        if (batched) {
          ACCELD_RETURN_IF_ERROR(kernels.ListItems(space, factor, a.item_bytes(), a.batch));
          ACCELD_RETURN_IF_ERROR(Cusolver::Check(
              library->potrf_batched[type](handle, triangle, n, PointerTo<void*>(space), n,
                                           PointerTo<int>(info), static_cast<int>(a.batch)),
              "potrfBatched"));
        } else {
          for (int64_t i = 0; i < a.batch; ++i) {
            ACCELD_RETURN_IF_ERROR(buffers.CheckNotCancelled());
            ACCELD_RETURN_IF_ERROR(Cusolver::Check(
                library->potrf[type](handle, triangle, n,
                                     PointerTo(Offset(factor, i * a.item_bytes())), n,
                                     PointerTo(space), lwork, PointerTo<int>(info) + i),
                "potrf"));
          }
        }
        return kernels.FinishCholesky(factor, original, info, depths, a, lower, !gives_info);
      }};
}

}  // namespace acceld::kernels::cuda
