#include "server/codegen/cuda/nvrtc_compiler.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "kernels/cuda/nvrtc/nvrtc.h"

namespace acceld::codegen::cuda {

absl::StatusOr<hal::cuda::CudaCompiler> FindNvrtcCompiler(int architecture) {
  const absl::StatusOr<kernels::cuda::Nvrtc>& nvrtc = kernels::cuda::Nvrtc::Get();
  ACCELD_RETURN_IF_ERROR(nvrtc.status());
  // Code runs on devices of the same major version that are not older.
  int target = 0;
  for (const int known : nvrtc->architectures()) {
    if (known / 10 == architecture / 10 && known <= architecture) target = known;
  }
  if (target == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("NVRTC ", nvrtc->version(), " makes no code for sm_", architecture,
                     ", only for ", absl::StrJoin(nvrtc->architectures(), ", ")));
  }
  return hal::cuda::CudaCompiler{
      .name = absl::StrCat("cuda-sm_", target, "-nvrtc-", nvrtc->version()),
      .architecture = target,
      .compile = [&nvrtc = *nvrtc,
                  target](const std::string& source) -> absl::StatusOr<std::string> {
        ACCELD_ASSIGN_OR_RETURN(kernels::cuda::Nvrtc::Cubin cubin,
                                nvrtc.Compile(source, "kernels.cu", target));
        return std::move(cubin.bytes);
      },
      .compile_to_ptx =
          [&nvrtc = *nvrtc, target](const std::string& source) {
            return nvrtc.CompileToPtx(source, "kernels.cu", target);
          }};
}

}  // namespace acceld::codegen::cuda
