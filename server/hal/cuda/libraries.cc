#include "server/hal/cuda/libraries.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log/log.h"
#include "kernels/cuda/cublas/matmul.h"
#include "server/hal/cuda/driver/library_versions.h"

namespace acceld::hal::cuda {

absl::StatusOr<std::shared_ptr<const Libraries>> Libraries::Open(
    std::shared_ptr<Context> context, const kernels::cuda::CublasLt* cublas_lt,
    const kernels::cuda::Cudnn* cudnn, const kernels::cuda::RoutineLibraries& of_routines,
    absl::Status nccl, kernels::cuda::CompileSource compile) {
  ACCELD_ASSIGN_OR_RETURN(std::unique_ptr<DeviceConvolutions> convolutions,
                          DeviceConvolutions::Open(context, cudnn));
  auto routines = std::make_unique<DeviceRoutines>(context, of_routines, std::move(compile));
  std::shared_ptr<Libraries> libraries(new Libraries(std::move(context), cublas_lt,
                                                     std::move(convolutions), std::move(routines),
                                                     std::move(nccl)));
  if (cublas_lt == nullptr) return libraries;
  ACCELD_RETURN_IF_ERROR(libraries->context_->Enter());
  if (const absl::Status opened = libraries->OpenCublasLt(); !opened.ok()) {
    ACCELD_RETURN_IF_ERROR(libraries->context_->lost());
    LogWarning("GPU ", libraries->context_->device().ordinal,
               ": matrix products go without cuBLASLt: ", opened.message());
    libraries->cublas_lt_ = nullptr;
  }
  return libraries;
}

absl::Status Libraries::OpenCublasLt() {
  using kernels::cuda::CublasLt;
  ACCELD_ASSIGN_OR_RETURN(std::string version, VersionOf<CublasLt>(cublas_lt_->cublasLtGetProperty,
                                                                   "cublasLtGetProperty"));
  ACCELD_RETURN_IF_ERROR(CublasLt::Check(cublas_lt_->cublasLtCreate(&handle_), "cublasLtCreate"));
  cublas_lt_version_ = std::move(version);
  return absl::OkStatus();
}

bool Libraries::SupportsMatmul(const kernels::MatmulStep& matmul) const {
  if (cublas_lt_ == nullptr || !kernels::cuda::CanMatmul(matmul)) return false;
  // Every GPU supports these products.
  if (ir::BitsOf(matmul.input_dtype) > 8 && matmul.epilogue.IsNone()) return true;
  return context_->Enter().ok() &&
         kernels::cuda::Matmul::FindAlgorithms(*cublas_lt_, handle_, matmul, 1).ok();
}

std::string Libraries::measured_on() const {
  return absl::StrCat("cuBLASLt ", cublas_lt_version_, ", cuDNN ", convolutions_->version(), " on ",
                      context_->device().name);
}

Libraries::~Libraries() {
  if (handle_ == nullptr) return;
  context_->EnterForRelease();
  cublas_lt_->cublasLtDestroy(handle_);
}

}  // namespace acceld::hal::cuda
