#pragma once

#include <string>

#include "absl/container/flat_hash_set.h"
#include "common/ir/types/dtype.h"
#include "kernels/cpu/cpu_compiler.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace acceld::kernels::cpu {

using Builder = llvm::IRBuilder<>;

// The state that is shared by all code that generates one LLVM module: the target, the module, and
// functions that make types, constants and functions in it. Used by one thread at a time. Borrows
// the module.
class CodeContext {
 public:
  CodeContext(const CpuTarget& target, llvm::Module& module);

  llvm::LLVMContext& llvm() const { return module_.getContext(); }
  llvm::Module& module() const { return module_; }
  // Returns whether the target has a feature, by its name in LLVM, such as "fma".
  bool HasFeature(absl::string_view name) const { return features_.contains(name); }
  // Returns whether the target has an instruction for a * b + c with one rounding.
  bool FusesMultiplyAdd() const { return is_aarch64_ || HasFeature("fma"); }
  // Returns whether the target has instructions that convert between f16 and f32.
  bool ConvertsF16() const { return is_aarch64_ || HasFeature("f16c"); }

  llvm::PointerType* pointer() const { return llvm::PointerType::getUnqual(llvm()); }
  llvm::IntegerType* Int(unsigned bits) const { return llvm::IntegerType::get(llvm(), bits); }
  llvm::ConstantInt* Int64(int64_t value) const {
    return llvm::ConstantInt::getSigned(Int(64), value);
  }

  // Makes a function with internal linkage and the target's attributes.
  llvm::Function* NewFunction(const llvm::Twine& name, llvm::FunctionType* type) const;
  // Makes LLVM compile `function` for the target.
  void SetTargetAttributes(llvm::Function& function) const;
  // Declares in this module a function of another module of the same plan, so that it can be called
  // from here, and makes `function` visible to the other objects of the plan. Its parameters and
  // its result must be pointers, integers or floats.
  llvm::Function* Import(llvm::Function& function) const;
  // Returns this module's equivalent of an integer or float constant of another module.
  llvm::Constant* Import(const llvm::ConstantData& constant) const;
  // Returns the module's function `name`, or null if there is none yet.
  llvm::Function* FindFunction(llvm::StringRef name) const { return module_.getFunction(name); }
  // Returns a function of the run-time support; the first use declares it. A `pure` function
  // accesses no memory, and its result depends only on its operands.
  llvm::FunctionCallee RunTimeFunction(llvm::StringRef name, llvm::FunctionType* type, bool pure);

  // The LLVM type of a scalar of `dtype`. Integers are iN of their own width, so that arithmetic
  // wraps without further code. f32 and f64 are float and double; all narrower floats are integers
  // that hold their encoding.
  llvm::Type* RegisterType(ir::DType dtype) const;
  // The LLVM type of an element of `dtype` in memory: integers and narrow floats are padded to
  // whole bytes.
  llvm::Type* StorageType(ir::DType dtype) const;

 private:
  llvm::Type* Import(const llvm::Type& type) const;

  const CpuTarget target_;
  // Instructions that all 64-bit ARM processors have are no features of the target.
  const bool is_aarch64_;
  absl::flat_hash_set<std::string> features_;
  llvm::Module& module_;
};

// Returns whether `dtype` is a float type that generated code only converts, as it computes with
// such values in f32. These are f16, bf16 and the float types of at most 8 bits.
bool IsNarrowFloat(ir::DType dtype);

}  // namespace acceld::kernels::cpu
