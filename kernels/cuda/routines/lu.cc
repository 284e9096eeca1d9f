#include "kernels/cuda/routines/prepare.h"

namespace acceld::kernels::cuda {

absl::StatusOr<DeviceRoutine> PrepareLu(const RoutineCall& call, const RoutineContext& context) {
  const Cusolver* const library = context.libraries.cusolver;
  const Cublas* const cublas = context.libraries.cublas;
  if (library == nullptr) return NoLibrary("cuSOLVER");
  const Matrices a = MatricesOf(call.operands[0], BatchRankOf(call));
  const auto type = static_cast<size_t>(a.element);
  const auto m = static_cast<int>(a.rows), n = static_cast<int>(a.columns);
  const int64_t steps = std::min(a.rows, a.columns);
  const bool batched = cublas != nullptr && m == n && a.batch > 1 && a.batch <= INT32_MAX &&
                       a.rows <= kMaxBatchedSize;
  int lwork = 0;
  if (batched) {
    ACCELD_RETURN_IF_ERROR(context.handles.cublas().status());
  } else {
    ACCELD_RETURN_IF_ERROR(CheckWorthCalls(a));
    ACCELD_ASSIGN_OR_RETURN(const Cusolver::Handle handle, context.handles.cusolver());
    ACCELD_RETURN_IF_ERROR(Cusolver::Check(
        library->getrf_size[type](handle, m, n, nullptr, m, &lwork), "getrf_bufferSize"));
    ACCELD_RETURN_IF_ERROR(CheckWorkspace(lwork));
  }
  WorkspaceLayout layout;
  const int64_t in_columns = layout.Add(a.size_bytes());
  const int64_t nan_steps = layout.Add(a.batch * int64_t{sizeof(int32_t)});
  const int64_t work =
      layout.Add(batched ? a.batch * int64_t{sizeof(void*)} : lwork * BytesOf(a.element));
  return DeviceRoutine{
      .workspace_bytes = layout.size_bytes(),
      .needs_host = !batched && a.batch > kMaxInlineItems,
      .enqueue = [=, launch = &context.launch](const RoutineBuffers& buffers) -> absl::Status {
        const RoutineKernels kernels(*launch, buffers.handles->stream());
        const uint64_t factors = Offset(buffers.workspace, in_columns);
        const uint64_t space = Offset(buffers.workspace, work);
        int* const pivots = PointerTo<int>(buffers.results[1]);
        int* const info = PointerTo<int>(buffers.results[2]);
        ACCELD_RETURN_IF_ERROR(kernels.Transpose(factors, buffers.operands[0], a));
        if (batched) {
          ACCELD_ASSIGN_OR_RETURN(const Cublas::Handle handle, buffers.handles->cublas());
          ACCELD_RETURN_IF_ERROR(kernels.ListItems(space, factors, a.item_bytes(), a.batch));
          ACCELD_RETURN_IF_ERROR(
              Cublas::Check(cublas->getrf_batched[type](handle, n, PointerTo<void*>(space), n,
                                                        pivots, info, static_cast<int>(a.batch)),
                            "getrfBatched"));
        } else {
          ACCELD_ASSIGN_OR_RETURN(const Cusolver::Handle handle, buffers.handles->cusolver());
          for (int64_t i = 0; i < a.batch; ++i) {
            ACCELD_RETURN_IF_ERROR(buffers.CheckNotCancelled());
            ACCELD_RETURN_IF_ERROR(Cusolver::Check(
                library->getrf[type](handle, m, n, PointerTo(Offset(factors, i * a.item_bytes())),
                                     m, PointerTo(space), pivots + i * steps, info + i),
                "getrf"));
          }
        }
        ACCELD_RETURN_IF_ERROR(kernels.Transpose(buffers.results[0], factors, a.Transposed()));
        // All that is computed from NaN is NaN, whatever the library takes it for.
        const uint64_t firsts = Offset(buffers.workspace, nan_steps);
        ACCELD_RETURN_IF_ERROR(kernels.FindFirstNanOnDiagonal(firsts, buffers.results[0], a));
        return kernels.PropagateNan(buffers.results[0], firsts, a, /*own_row=*/false);
      }};
}

}  // namespace acceld::kernels::cuda
