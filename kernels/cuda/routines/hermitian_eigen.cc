#include "kernels/cuda/routines/prepare.h"

namespace acceld::kernels::cuda {

absl::StatusOr<DeviceRoutine> PrepareHermitianEigen(const RoutineCall& call,
                                                    const RoutineContext& context) {
  const Cusolver* const library = context.libraries.cusolver;
  if (library == nullptr) return NoLibrary("cuSOLVER");
  ACCELD_ASSIGN_OR_RETURN(const Cusolver::Handle asked, context.handles.cusolver());
  const Matrices a = MatricesOf(call.operands[0], BatchRankOf(call));
  ACCELD_RETURN_IF_ERROR(CheckWorthCalls(a));
  const auto type = static_cast<size_t>(a.element);
  const auto n = static_cast<int>(a.rows);
  const int triangle = call.parameters[0] != 0 ? kLowerTriangle : kUpperTriangle;
  const int vectors = call.parameters[1] != 0 ? kVectors : kNoVectors;
  int lwork = 0;
  ACCELD_RETURN_IF_ERROR(Cusolver::Check(
      library->hevd_size[type](asked, vectors, triangle, n, nullptr, n, nullptr, &lwork),
      "hevd_bufferSize"));
  ACCELD_RETURN_IF_ERROR(CheckWorkspace(lwork));
  WorkspaceLayout layout;
  const int64_t in_columns = layout.Add(a.size_bytes());
  const int64_t not_finite = layout.Add(a.batch * int64_t{sizeof(int32_t)});
  const int64_t work = layout.Add(lwork * BytesOf(a.element));
  return DeviceRoutine{
      .workspace_bytes = layout.size_bytes(),
      .needs_host = true,
      .enqueue = [=, launch = &context.launch](const RoutineBuffers& buffers) -> absl::Status {
        ACCELD_ASSIGN_OR_RETURN(const Cusolver::Handle handle, buffers.handles->cusolver());
        const RoutineKernels kernels(*launch, buffers.handles->stream());
        const uint64_t v = Offset(buffers.workspace, in_columns);
        const uint64_t flags = Offset(buffers.workspace, not_finite);
        const uint64_t info = buffers.results[2];
        ACCELD_RETURN_IF_ERROR(kernels.Transpose(v, buffers.operands[0], a));
        // Iterations over what is not finite may not end.
        ACCELD_RETURN_IF_ERROR(kernels.FlagNonFinite(flags, v, a));
        ACCELD_RETURN_IF_ERROR(kernels.ClearFlagged(v, flags, a.batch, a.item_bytes()));
        for (int64_t i = 0; i < a.batch; ++i) {
          ACCELD_RETURN_IF_ERROR(buffers.CheckNotCancelled());
          ACCELD_RETURN_IF_ERROR(Cusolver::Check(
              library->hevd[type](
                  handle, vectors, triangle, n, PointerTo(Offset(v, i * a.item_bytes())), n,
                  PointerTo(Offset(buffers.results[1], i * n * RealBytesOf(a.element))),
                  PointerTo(Offset(buffers.workspace, work)), lwork, PointerTo<int>(info) + i),
              "hevd"));
        }
        ACCELD_RETURN_IF_ERROR(kernels.CopyFlagsToInfo(info, flags, a.batch));
        return kernels.Transpose(buffers.results[0], v, a.Transposed());
      }};
}

}  // namespace acceld::kernels::cuda
