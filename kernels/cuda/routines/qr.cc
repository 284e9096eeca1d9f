#include <algorithm>

#include "kernels/cuda/routines/prepare.h"

// QR factorizations and products with Householder reflectors, with cuSOLVER. It represents
// reflectors as LAPACK does. The `info` of these functions reports only invalid arguments, so it is
// ignored.
namespace acceld::kernels::cuda {
namespace {

int Size(int64_t size) { return static_cast<int>(size); }

}  // namespace

absl::StatusOr<DeviceRoutine> PrepareQr(const RoutineCall& call, const RoutineContext& context) {
  const Cusolver* const library = context.libraries.cusolver;
  if (library == nullptr) return NoLibrary("cuSOLVER");
  ACCELD_ASSIGN_OR_RETURN(const Cusolver::Handle asked, context.handles.cusolver());
  const Matrices a = MatricesOf(call.operands[0], BatchRankOf(call));
  ACCELD_RETURN_IF_ERROR(CheckWorthCalls(a));
  const Matrices tau = MatricesOf(call.results[1], BatchRankOf(call));
  const auto type = static_cast<size_t>(a.element);
  int lwork = 0;
  ACCELD_RETURN_IF_ERROR(
      Cusolver::Check(library->geqrf_size[type](asked, Size(a.rows), Size(a.columns), nullptr,
                                                Size(a.rows), &lwork),
                      "geqrf_bufferSize"));
  ACCELD_RETURN_IF_ERROR(CheckWorkspace(lwork));
  WorkspaceLayout layout;
  const int64_t in_columns = layout.Add(a.size_bytes());
  const int64_t work = layout.Add(lwork * BytesOf(a.element));
  const int64_t info = layout.Add(sizeof(int32_t));
  const int64_t nan_steps = layout.Add(a.batch * int64_t{sizeof(int32_t)});
  return DeviceRoutine{
      .workspace_bytes = layout.size_bytes(),
      .needs_host = a.batch > kMaxInlineItems,
      .enqueue = [=, launch = &context.launch](const RoutineBuffers& buffers) -> absl::Status {
        ACCELD_ASSIGN_OR_RETURN(const Cusolver::Handle handle, buffers.handles->cusolver());
        const RoutineKernels kernels(*launch, buffers.handles->stream());
        const uint64_t qr = Offset(buffers.workspace, in_columns);
        ACCELD_RETURN_IF_ERROR(kernels.Transpose(qr, buffers.operands[0], a));
        for (int64_t i = 0; i < a.batch; ++i) {
          ACCELD_RETURN_IF_ERROR(buffers.CheckNotCancelled());
          ACCELD_RETURN_IF_ERROR(Cusolver::Check(
              library->geqrf[type](handle, Size(a.rows), Size(a.columns),
                                   PointerTo(Offset(qr, i * a.item_bytes())), Size(a.rows),
                                   PointerTo(Offset(buffers.results[1], i * tau.item_bytes())),
                                   PointerTo(Offset(buffers.workspace, work)), lwork,
                                   PointerTo<int>(Offset(buffers.workspace, info))),
              "geqrf"));
        }
        ACCELD_RETURN_IF_ERROR(kernels.Transpose(buffers.results[0], qr, a.Transposed()));
        // A reflector with NaN has one in its factor, too; and all that is computed from NaN is
        // NaN, whatever the library takes it for.
        const uint64_t firsts = Offset(buffers.workspace, nan_steps);
        ACCELD_RETURN_IF_ERROR(kernels.FindFirstNan(firsts, buffers.results[1], tau));
        ACCELD_RETURN_IF_ERROR(
            kernels.PropagateNan(buffers.results[0], firsts, a, /*own_row=*/true));
        return kernels.FillTailWithNan(buffers.results[1], firsts, tau);
      }};
}

absl::StatusOr<DeviceRoutine> PrepareHouseholderProduct(const RoutineCall& call,
                                                        const RoutineContext& context) {
  const Cusolver* const library = context.libraries.cusolver;
  if (library == nullptr) return NoLibrary("cuSOLVER");
  ACCELD_ASSIGN_OR_RETURN(const Cusolver::Handle asked, context.handles.cusolver());
  const Matrices a = MatricesOf(call.operands[0], BatchRankOf(call));
  ACCELD_RETURN_IF_ERROR(CheckWorthCalls(a));
  const Matrices tau = MatricesOf(call.operands[1], BatchRankOf(call));
  const auto type = static_cast<size_t>(a.element);
  int lwork = 0;
  ACCELD_RETURN_IF_ERROR(
      Cusolver::Check(library->gqr_size[type](asked, Size(a.rows), Size(a.columns), Size(tau.rows),
                                              nullptr, Size(a.rows), nullptr, &lwork),
                      "gqr_bufferSize"));
  ACCELD_RETURN_IF_ERROR(CheckWorkspace(lwork));
  WorkspaceLayout layout;
  const int64_t in_columns = layout.Add(a.size_bytes());
  const int64_t work = layout.Add(lwork * BytesOf(a.element));
  const int64_t info = layout.Add(sizeof(int32_t));
  return DeviceRoutine{
      .workspace_bytes = layout.size_bytes(),
      .needs_host = a.batch > kMaxInlineItems,
      .enqueue = [=, launch = &context.launch](const RoutineBuffers& buffers) -> absl::Status {
        ACCELD_ASSIGN_OR_RETURN(const Cusolver::Handle handle, buffers.handles->cusolver());
        const RoutineKernels kernels(*launch, buffers.handles->stream());
        const uint64_t q = Offset(buffers.workspace, in_columns);
        ACCELD_RETURN_IF_ERROR(kernels.Transpose(q, buffers.operands[0], a));
        for (int64_t i = 0; i < a.batch; ++i) {
          ACCELD_RETURN_IF_ERROR(buffers.CheckNotCancelled());
          ACCELD_RETURN_IF_ERROR(Cusolver::Check(
              library->gqr[type](handle, Size(a.rows), Size(a.columns), Size(tau.rows),
                                 PointerTo(Offset(q, i * a.item_bytes())), Size(a.rows),
                                 PointerTo(Offset(buffers.operands[1], i * tau.item_bytes())),
                                 PointerTo(Offset(buffers.workspace, work)), lwork,
                                 PointerTo<int>(Offset(buffers.workspace, info))),
              "gqr"));
        }
        return kernels.Transpose(buffers.results[0], q, a.Transposed());
      }};
}

absl::StatusOr<DeviceRoutine> PrepareHouseholderMultiply(const RoutineCall& call,
                                                         const RoutineContext& context) {
  const Cusolver* const library = context.libraries.cusolver;
  if (library == nullptr) return NoLibrary("cuSOLVER");
  ACCELD_ASSIGN_OR_RETURN(const Cusolver::Handle asked, context.handles.cusolver());
  const Matrices a = MatricesOf(call.operands[0], BatchRankOf(call));
  ACCELD_RETURN_IF_ERROR(CheckWorthCalls(a));
  const Matrices tau = MatricesOf(call.operands[1], BatchRankOf(call));
  const Matrices c = MatricesOf(call.operands[2], BatchRankOf(call));
  const auto type = static_cast<size_t>(a.element);
  const int side = call.routine == Routine::kHouseholderMultiplyLeft ? kLeftSide : kRightSide;
  const int transposed = call.parameters[0] == 0   ? kNotTransposed
                         : PartsOf(a.element) == 2 ? kAdjoint
                                                   : kTransposed;
  int lwork = 0;
  ACCELD_RETURN_IF_ERROR(
      Cusolver::Check(library->mqr_size[type](asked, side, transposed, Size(c.rows),
                                              Size(c.columns), Size(tau.rows), nullptr,
                                              Size(a.rows), nullptr, nullptr, Size(c.rows), &lwork),
                      "mqr_bufferSize"));
  ACCELD_RETURN_IF_ERROR(CheckWorkspace(lwork));
  WorkspaceLayout layout;
  const int64_t reflectors = layout.Add(a.size_bytes());
  const int64_t in_columns = layout.Add(c.size_bytes());
  const int64_t work = layout.Add(lwork * BytesOf(a.element));
  const int64_t info = layout.Add(sizeof(int32_t));
  return DeviceRoutine{
      .workspace_bytes = layout.size_bytes(),
      .needs_host = a.batch > kMaxInlineItems,
      .enqueue = [=, launch = &context.launch](const RoutineBuffers& buffers) -> absl::Status {
        ACCELD_ASSIGN_OR_RETURN(const Cusolver::Handle handle, buffers.handles->cusolver());
        const RoutineKernels kernels(*launch, buffers.handles->stream());
        const uint64_t of_a = Offset(buffers.workspace, reflectors);
        const uint64_t product = Offset(buffers.workspace, in_columns);
        ACCELD_RETURN_IF_ERROR(kernels.Transpose(of_a, buffers.operands[0], a));
        ACCELD_RETURN_IF_ERROR(kernels.Transpose(product, buffers.operands[2], c));
        for (int64_t i = 0; i < a.batch; ++i) {
          ACCELD_RETURN_IF_ERROR(buffers.CheckNotCancelled());
          ACCELD_RETURN_IF_ERROR(Cusolver::Check(
              library->mqr[type](handle, side, transposed, Size(c.rows), Size(c.columns),
                                 Size(tau.rows), PointerTo(Offset(of_a, i * a.item_bytes())),
                                 Size(a.rows),
                                 PointerTo(Offset(buffers.operands[1], i * tau.item_bytes())),
                                 PointerTo(Offset(product, i * c.item_bytes())), Size(c.rows),
                                 PointerTo(Offset(buffers.workspace, work)), lwork,
                                 PointerTo<int>(Offset(buffers.workspace, info))),
              "mqr"));
        }
        return kernels.Transpose(buffers.results[0], product, c.Transposed());
      }};
}

}  // namespace acceld::kernels::cuda
