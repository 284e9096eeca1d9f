#pragma once

namespace acceld::kernels::cpu {

// Registers LLVM's target for this machine, once. Thread-safe; call it before using LLVM.
void InitializeLlvm();

}  // namespace acceld::kernels::cpu
