#include "kernels/cpu/llvm_setup.h"

#include <mutex>

#include "common/check.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"

namespace acceld::kernels::cpu {
namespace {

// Sets a Boolean option of LLVM that can only be set as a command-line option.
void SetBooleanOption(llvm::StringRef option, bool on) {
  llvm::StringMap<llvm::cl::Option*>& options = llvm::cl::getRegisteredOptions();
  const auto found = options.find(option);
  ACCELD_CHECK(found != options.end());
  static_cast<llvm::cl::opt<bool>*>(found->second)->setValue(on);
}

}  // namespace

void InitializeLlvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    // Loop strength reduction takes a third of the time of code generation for loops with many
    // memory accesses. Their addresses are a base, an index and a constant already.
    SetBooleanOption("disable-lsr", true);
  });
}

}  // namespace acceld::kernels::cpu
