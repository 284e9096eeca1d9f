#pragma once

#include "kernels/cpu/cpu_compiler.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace acceld::kernels::cpu {

// LLVM's passes over a printed module: inlining, scalar clean-up, loop vectorization, and ours.
// Once the calling thread's work may not go on (MayGoOn in common/memory/allocation.h) the rest of
// them is left out, and the module is good for nothing.
void OptimizeModule(llvm::Module& module, llvm::TargetMachine& machine, const CpuTarget& target);

}  // namespace acceld::kernels::cpu
