#pragma once

#include "kernels/cpu/cpu_compiler.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace acceld::kernels::cpu {

// Optimizes a generated module: inlining, scalar optimizations, loop vectorization, and the passes
// of this code base. Once the work of the calling thread may not continue (MayContinue in
// common/memory/allocation.h), the remaining passes are skipped, and the module must not be used.
void OptimizeModule(llvm::Module& module, llvm::TargetMachine& machine, const CpuTarget& target);

}  // namespace acceld::kernels::cpu
