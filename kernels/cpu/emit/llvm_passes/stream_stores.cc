#include "kernels/cpu/emit/llvm_passes/stream_stores.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Local.h"

namespace acceld::kernels::cpu {
namespace {

constexpr const char* kStreamed = "acceld-streamed";
// Shorter stores would leave cache lines partly written.
constexpr uint64_t kMinVectorBytes = 32;

// Returns whether the store is a vector store to a marked buffer. Its alignment is checked
// elsewhere: a non-temporal store to an unaligned address faults.
bool IsStreamed(const llvm::StoreInst& store, const llvm::DataLayout& layout) {
  const auto* buffer =
      llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(store.getPointerOperand()));
  if (buffer == nullptr ||
      !buffer->getParent()->getAttributes().hasParamAttr(buffer->getArgNo(), kStreamed)) {
    return false;
  }
  const llvm::Type* type = store.getValueOperand()->getType();
  return type->isVectorTy() &&
         layout.getTypeStoreSize(store.getValueOperand()->getType()) >= kMinVectorBytes;
}

// Makes stores of `function` non-temporal where possible. Returns whether there were any.
bool StreamStores(llvm::Function& function) {
  const llvm::DataLayout& layout = function.getDataLayout();
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (store == nullptr || !IsStreamed(*store, layout)) continue;
    const llvm::Align wanted(layout.getTypeStoreSize(store->getValueOperand()->getType()));
    if (llvm::getKnownAlignment(store->getPointerOperand(), layout, store) < wanted) continue;
    store->setAlignment(wanted);
    llvm::Type* i32 = llvm::Type::getInt32Ty(function.getContext());
    store->setMetadata(
        llvm::LLVMContext::MD_nontemporal,
        llvm::MDNode::get(function.getContext(),
                          llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(i32, 1))));
    changed = true;
  }
  return changed;
}

}  // namespace

void MarkStreamed(llvm::Function& function, unsigned parameter) {
  function.addParamAttr(parameter, llvm::Attribute::get(function.getContext(), kStreamed));
}

void StreamStores(llvm::Module& module) {
  if (!llvm::Triple(module.getTargetTriple()).isX86()) return;
  for (llvm::Function& function : module) {
    if (!StreamStores(function)) continue;
    // Non-temporal stores are not ordered with other stores, such as the one by which the thread
    // reports that it is done.
    for (llvm::BasicBlock& block : function) {
      if (!llvm::isa<llvm::ReturnInst>(block.getTerminator())) continue;
      llvm::IRBuilder<>(block.getTerminator())
          .CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
    }
  }
}

}  // namespace acceld::kernels::cpu
