#include "kernels/cuda/routines/routine_handles.h"

namespace acceld::kernels::cuda {

RoutineHandles::~RoutineHandles() {
  if (cublas_ != nullptr) (void)libraries_.cublas->cublasDestroy_v2(cublas_);
  if (cusolver_ != nullptr) (void)libraries_.cusolver->cusolverDnDestroy(cusolver_);
}

void RoutineHandles::MakeAll() {
  if (libraries_.cublas != nullptr) (void)cublas();
  if (libraries_.cusolver != nullptr) (void)cusolver();
}

absl::StatusOr<Cublas::Handle> RoutineHandles::cublas() {
  const Cublas& library = *libraries_.cublas;
  if (cublas_ != nullptr) {
    // Setting the stream also resets the workspace, which belonged to the previous call and may be
    // in use by others.
    ACCELD_RETURN_IF_ERROR(
        Cublas::Check(library.cublasSetStream_v2(cublas_, stream_), "cublasSetStream"));
    return cublas_;
  }
  Cublas::Handle handle = nullptr;
  ACCELD_RETURN_IF_ERROR(Cublas::Check(library.cublasCreate_v2(&handle), "cublasCreate"));
  const absl::Status set =
      Cublas::Check(library.cublasSetStream_v2(handle, stream_), "cublasSetStream");
  if (!set.ok()) {
    (void)library.cublasDestroy_v2(handle);
    return set;
  }
  cublas_ = handle;
  return cublas_;
}

absl::StatusOr<Cusolver::Handle> RoutineHandles::cusolver() {
  if (cusolver_ != nullptr) return cusolver_;
  const Cusolver& library = *libraries_.cusolver;
  Cusolver::Handle handle = nullptr;
  ACCELD_RETURN_IF_ERROR(Cusolver::Check(library.cusolverDnCreate(&handle), "cusolverDnCreate"));
  const absl::Status set =
      Cusolver::Check(library.cusolverDnSetStream(handle, stream_), "cusolverDnSetStream");
  if (!set.ok()) {
    (void)library.cusolverDnDestroy(handle);
    return set;
  }
  cusolver_ = handle;
  return cusolver_;
}

}  // namespace acceld::kernels::cuda
