#include "server/hal/cuda/driver/library_versions.h"

#include "absl/strings/str_cat.h"
#include "kernels/cuda/cublas/cublas_lt.h"
#include "kernels/cuda/cudnn/cudnn.h"

namespace acceld::hal::cuda {

using kernels::cuda::CublasLt;
using kernels::cuda::Cudnn;

std::string LibraryVersionSuffix(absl::string_view cublas_lt_version,
                                 absl::string_view cudnn_version) {
  return absl::StrCat(cublas_lt_version.empty() ? "" : "-cublaslt", cublas_lt_version,
                      cudnn_version.empty() ? "" : "-cudnn", cudnn_version);
}

std::string InstalledLibraryVersionSuffix() {
  std::string cublas_lt, cudnn;
  if (CublasLt::Get().ok()) {
    cublas_lt = VersionOf<CublasLt>(CublasLt::Get()->cublasLtGetProperty, "cublasLtGetProperty")
                    .value_or("");
  }
  if (Cudnn::Get().ok()) {
    cudnn = VersionOf<Cudnn>(Cudnn::Get()->cudnnGetProperty, "cudnnGetProperty").value_or("");
  }
  return LibraryVersionSuffix(cublas_lt, cudnn);
}

}  // namespace acceld::hal::cuda
