#pragma once

#include <functional>
#include <string>

#include "common/status.h"
#include "kernels/cuda/program/convolutions.h"
#include "kernels/cuda/program/program.h"

namespace acceld::kernels::cuda {

// Compiles CUDA C++ to a cubin.
using CompileSource = std::function<absl::StatusOr<std::string>(const std::string& source)>;

// Translates a plan to a CudaProgram: inlines calls, prints all kernels as the source of one
// module, and compiles it with `compile`. Convolutions for which `uses_library` is false, and
// attention, become kernels as well, and collectives get the kernels that they need. If `source` is
// not nullptr, it is set to the source, even if compiling fails. Returns the errors of `compile`
// and of InlineCalls.
absl::StatusOr<CudaProgram> MakeProgram(const Plan& plan, const UsesLibrary& uses_library,
                                        const CompileSource& compile, std::string* source);

}  // namespace acceld::kernels::cuda
