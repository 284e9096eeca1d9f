#pragma once

#include <functional>
#include <string>

#include "common/status.h"
#include "kernels/cuda/program/convolutions.h"
#include "kernels/cuda/program/program.h"

namespace acceld::kernels::cuda {

// Machine code of CUDA C++.
using CompileSource = std::function<absl::StatusOr<std::string>(const std::string& source)>;

// The program of a plan whose code is what `compile` makes of its kernels' source, one module;
// convolutions that are not `is_of_library` are among these. `source`, which may be nullptr, gets
// that source, also when compiling fails.
absl::StatusOr<CudaProgram> MakeProgram(const Plan& plan, const IsOfLibrary& is_of_library,
                                        const CompileSource& compile, std::string* source);

}  // namespace acceld::kernels::cuda
