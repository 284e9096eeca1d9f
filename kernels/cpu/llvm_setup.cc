#include "kernels/cpu/llvm_setup.h"

#include <mutex>

#include "llvm/Support/TargetSelect.h"

namespace acceld::kernels::cpu {

void InitializeLlvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

}  // namespace acceld::kernels::cpu
