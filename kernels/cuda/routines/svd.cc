#include <algorithm>

#include "kernels/cuda/routines/prepare.h"

namespace acceld::kernels::cuda {

// cuSOLVER decomposes only matrices that have at least as many rows as columns, in column-major
// layout. A row-major matrix with no more rows than columns is, read as column-major, such a
// matrix: its transpose. From A^T = U S V^H the factors of A follow: its U is the transpose of V^H,
// and its V^H the transpose of U, which in memory are the same matrices. So only matrices with more
// rows than columns are transposed.
absl::StatusOr<DeviceRoutine> PrepareSvd(const RoutineCall& call, const RoutineContext& context) {
  const Cusolver* const library = context.libraries.cusolver;
  if (library == nullptr) return NoLibrary("cuSOLVER");
  ACCELD_ASSIGN_OR_RETURN(const Cusolver::Handle asked, context.handles.cusolver());
  const Matrices a = MatricesOf(call.operands[0], BatchRankOf(call));
  ACCELD_RETURN_IF_ERROR(CheckWorthCalls(a));
  const Matrices u = MatricesOf(call.results[2], BatchRankOf(call));
  const Matrices vt = MatricesOf(call.results[3], BatchRankOf(call));
  const auto type = static_cast<size_t>(a.element);
  const bool tall = a.rows > a.columns;
  // The sizes of the matrix that the library decomposes.
  const auto m = static_cast<int>(std::max(a.rows, a.columns)),
             n = static_cast<int>(std::min(a.rows, a.columns));
  const bool vectors = call.parameters[0] != 0;
  const signed char job = !vectors ? 'N' : call.routine == Routine::kSvdFull ? 'A' : 'S';
  int lwork = 0;
  ACCELD_RETURN_IF_ERROR(
      Cusolver::Check(library->gesvd_size[type](asked, m, n, &lwork), "gesvd_bufferSize"));
  ACCELD_RETURN_IF_ERROR(CheckWorkspace(lwork));
  const int ldvt = static_cast<int>(tall ? vt.rows : u.columns);
  WorkspaceLayout layout;
  const int64_t not_finite = layout.Add(a.batch * int64_t{sizeof(int32_t)});
  const int64_t work = layout.Add(lwork * BytesOf(a.element));
  const int64_t u_in_columns = layout.Add(tall && vectors ? u.size_bytes() : 0);
  const int64_t vt_in_columns = layout.Add(tall && vectors ? vt.size_bytes() : 0);
  return DeviceRoutine{
      .workspace_bytes = layout.size_bytes(),
      .needs_host = true,
      .enqueue = [=, launch = &context.launch](const RoutineBuffers& buffers) -> absl::Status {
        ACCELD_ASSIGN_OR_RETURN(const Cusolver::Handle handle, buffers.handles->cusolver());
        const RoutineKernels kernels(*launch, buffers.handles->stream());
        // What the library leaves of the matrix is a result that means nothing.
        const uint64_t matrix = buffers.results[0], s = buffers.results[1],
                       info = buffers.results[4];
        const uint64_t flags = Offset(buffers.workspace, not_finite);
        if (tall) {
          ACCELD_RETURN_IF_ERROR(kernels.Transpose(matrix, buffers.operands[0], a));
        } else {
          ACCELD_RETURN_IF_ERROR(kernels.Copy(matrix, buffers.operands[0], a.size_bytes()));
        }
        // Matrices that are not finite are replaced by zeros, because iterations might not end.
        ACCELD_RETURN_IF_ERROR(kernels.FlagNonFinite(flags, matrix, a));
        ACCELD_RETURN_IF_ERROR(kernels.ClearFlagged(matrix, flags, a.batch, a.item_bytes()));
        const Matrices& left = tall ? u : vt;
        const Matrices& right = tall ? vt : u;
        const uint64_t of_left =
            tall ? Offset(buffers.workspace, u_in_columns) : buffers.results[3];
        const uint64_t of_right =
            tall ? Offset(buffers.workspace, vt_in_columns) : buffers.results[2];
        for (int64_t i = 0; i < a.batch; ++i) {
          ACCELD_RETURN_IF_ERROR(buffers.CheckNotCancelled());
          const uint64_t left_item = vectors ? Offset(of_left, i * left.item_bytes()) : 0;
          const uint64_t right_item = vectors ? Offset(of_right, i * right.item_bytes()) : 0;
          ACCELD_RETURN_IF_ERROR(Cusolver::Check(
              library->gesvd[type](
                  handle, job, job, m, n, PointerTo(Offset(matrix, i * a.item_bytes())), m,
                  PointerTo(Offset(s, i * n * RealBytesOf(a.element))), PointerTo(left_item), m,
                  PointerTo(right_item), ldvt, PointerTo(Offset(buffers.workspace, work)), lwork,
                  nullptr, PointerTo<int>(info) + i),
              "gesvd"));
        }
        ACCELD_RETURN_IF_ERROR(kernels.CopyFlagsToInfo(info, flags, a.batch));
        if (!vectors) {
          ACCELD_RETURN_IF_ERROR(kernels.Clear(buffers.results[2], u.size_bytes()));
          return kernels.Clear(buffers.results[3], vt.size_bytes());
        }
        if (!tall) return absl::OkStatus();
        ACCELD_RETURN_IF_ERROR(kernels.Transpose(buffers.results[2], of_left, u.Transposed()));
        return kernels.Transpose(buffers.results[3], of_right, vt.Transposed());
      }};
}

}  // namespace acceld::kernels::cuda
