#include "kernels/cpu/emit/launch_context.h"

#include "kernels/cpu/support_abi.h"
#include "llvm/IR/MDBuilder.h"

namespace acceld::kernels::cpu {

llvm::Value* LoadField(const CodeContext& code, Builder& b, llvm::Value* context,
                       ContextField field) {
  return b.CreateLoad(code.pointer(), b.CreateConstInBoundsGEP1_64(code.pointer(), context,
                                                                   static_cast<unsigned>(field)));
}

void EmitPoll(CodeContext& code, Builder& b, llvm::Value* context, llvm::Value* interrupted,
              absl::FunctionRef<void(llvm::Value* status)> go_on_if_ok) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  llvm::BasicBlock* asks = llvm::BasicBlock::Create(code.llvm(), "interrupted", function);
  llvm::BasicBlock* goes_on = llvm::BasicBlock::Create(code.llvm(), "not_interrupted", function);
  llvm::Value* flag =
      b.CreateAlignedLoad(b.getInt8Ty(), interrupted, llvm::Align(1), /*isVolatile=*/true);
  b.CreateCondBr(b.CreateIsNotNull(flag), asks, goes_on,
                 llvm::MDBuilder(code.llvm()).createBranchWeights(1, 2000));
  b.SetInsertPoint(asks);
  go_on_if_ok(b.CreateCall(
      code.RunTimeFunction(kPollSymbol,
                           llvm::FunctionType::get(code.Int(32), {code.pointer()}, false),
                           /*pure=*/false),
      {context}));
  b.CreateBr(goes_on);
  b.SetInsertPoint(goes_on);
}

llvm::FunctionCallee ParallelForPointers(CodeContext& code) {
  return code.RunTimeFunction(
      kParallelForPointersSymbol,
      llvm::FunctionType::get(code.Int(32),
                              {code.pointer(), code.pointer(), code.Int(64), code.Int(64)}, false),
      /*pure=*/false);
}

}  // namespace acceld::kernels::cpu
