#include "kernels/cpu/emit/launch_context.h"

#include "kernels/cpu/support_abi.h"

namespace acceld::kernels::cpu {

llvm::Value* LoadField(const CodeContext& code, Builder& b, llvm::Value* context,
                       ContextField field) {
  return b.CreateLoad(code.pointer(), b.CreateConstInBoundsGEP1_64(code.pointer(), context,
                                                                   static_cast<unsigned>(field)));
}

llvm::Value* PollCancelled(Builder& b, llvm::Value* cancelled) {
  llvm::Value* flag =
      b.CreateAlignedLoad(b.getInt8Ty(), cancelled, llvm::Align(1), /*isVolatile=*/true);
  return b.CreateSelect(b.CreateIsNotNull(flag),
                        b.getInt32(static_cast<int32_t>(CodeStatus::kCancelled)),
                        b.getInt32(static_cast<int32_t>(CodeStatus::kOk)));
}

llvm::FunctionCallee ParallelForPointers(CodeContext& code) {
  return code.RunTimeFunction(
      kParallelForPointersSymbol,
      llvm::FunctionType::get(code.Int(32),
                              {code.pointer(), code.pointer(), code.Int(64), code.Int(64)}, false),
      /*pure=*/false);
}

}  // namespace acceld::kernels::cpu
