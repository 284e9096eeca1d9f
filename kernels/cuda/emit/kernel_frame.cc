#include "kernels/cuda/emit/kernel_frame.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "kernels/cuda/emit/scalar_text.h"

namespace acceld::kernels::cuda {

std::string KernelFunction(const Kernel& kernel, const KernelFrame& frame, absl::string_view body) {
  std::vector<std::string> parameters;
  std::string start;
  if (frame.reduction_values > 0) {
    absl::StrAppend(&start, "  __shared__ u64 space[", frame.reduction_values, "];\n");
  }
  if (frame.polls) absl::StrAppend(&start, "  cancelled = ResolvePointer(cancelled);\n");
  for (const BufferParameter& buffer : kernel.buffers) {
    const bool reads = buffer.access == BufferParameter::Access::kRead;
    parameters.push_back(
        absl::StrCat(reads ? "const " : "", RegisterType(buffer.dtype), "* ", buffer.name));
    if (!frame.resolves_at_use) {
      absl::StrAppend(&start, "  ", buffer.name, " = ResolvePointer(", buffer.name, ");\n");
    }
  }
  if (frame.polls) parameters.push_back("const volatile int* cancelled");
  return absl::StrCat("extern \"C\" __global__ void __launch_bounds__(", frame.threads, ")\n",
                      kernel.name, "(", absl::StrJoin(parameters, ", "), ") {\n", start, body,
                      "}\n");
}

}  // namespace acceld::kernels::cuda
