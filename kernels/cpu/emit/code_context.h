#pragma once

#include <string>

#include "absl/container/flat_hash_set.h"
#include "common/ir/types/dtype.h"
#include "kernels/cpu/cpu_compiler.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace acceld::kernels::cpu {

using Builder = llvm::IRBuilder<>;

// What the printers share while one plan becomes one LLVM module. One thread; borrows the module.
class CodeContext {
 public:
  CodeContext(const CpuTarget& target, llvm::Module& module);

  llvm::LLVMContext& llvm() const { return module_.getContext(); }
  llvm::Module& module() const { return module_; }
  // Whether the target has the instruction set (an LLVM feature name such as "fma").
  bool HasFeature(absl::string_view name) const { return features_.contains(name); }

  llvm::PointerType* pointer() const { return llvm::PointerType::getUnqual(llvm()); }
  llvm::IntegerType* Int(unsigned bits) const { return llvm::IntegerType::get(llvm(), bits); }
  llvm::ConstantInt* Int64(int64_t value) const {
    return llvm::ConstantInt::getSigned(Int(64), value);
  }

  // A new function private to the object, with the target's attributes.
  llvm::Function* NewFunction(const llvm::Twine& name, llvm::FunctionType* type) const;
  void SetTargetAttributes(llvm::Function& function) const;
  // For calls from here: `function` of another module, which from now on others see. Parameters and
  // result are pointers, integers or floats.
  llvm::Function* Import(llvm::Function& function) const;
  // An integer or float constant of another module.
  llvm::Constant* Import(const llvm::ConstantData& constant) const;
  // The internal function `name`; null when it was not made yet.
  llvm::Function* FindFunction(llvm::StringRef name) const { return module_.getFunction(name); }
  // A function of the run-time support, declared on first use. A pure one depends on its operands
  // only.
  llvm::FunctionCallee RunTimeFunction(llvm::StringRef name, llvm::FunctionType* type, bool pure);

  // How a scalar of `dtype` lives in a register: iN for integers (with their own width, so that
  // they wrap by themselves), float and double; f16, bf16 and the 8-bit floats as their encoding.
  llvm::Type* RegisterType(ir::DType dtype) const;
  // How an element of `dtype` lives in memory.
  llvm::Type* StorageType(ir::DType dtype) const;

 private:
  llvm::Type* Import(const llvm::Type& type) const;

  const CpuTarget target_;
  absl::flat_hash_set<std::string> features_;
  llvm::Module& module_;
};

// True for the floats that have no arithmetic here: f16, bf16 and the 8-bit formats.
bool IsNarrowFloat(ir::DType dtype);

}  // namespace acceld::kernels::cpu
