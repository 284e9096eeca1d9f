#pragma once

namespace acceld::kernels::cpu {

// Initializes LLVM's code generator for this machine and sets LLVM's process-wide options. Only the
// first call has an effect. Thread-safe. To be called before LLVM generates or links code.
void InitializeLlvm();

}  // namespace acceld::kernels::cpu
