#pragma once

#include <memory>
#include <string>

#include "common/status.h"
#include "kernels/cpu/cpu_compiler.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace acceld::kernels::cpu {

// Position-independent code for `target`, with calls of any distance. The calling thread's own,
// until it asks for another target's: making one takes a millisecond. InitializeLlvm first.
absl::StatusOr<llvm::TargetMachine*> TargetMachineFor(const CpuTarget& target);

// LLVM's passes over a printed module: inlining, scalar clean-up, loop and SLP vectorization.
void OptimizeModule(llvm::Module& module, llvm::TargetMachine& machine, const CpuTarget& target);

// The bytes of a relocatable object. Consumes the module's IR (code generation rewrites it).
absl::StatusOr<std::string> EmitObject(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace acceld::kernels::cpu
