#pragma once

#include <memory>
#include <string>

#include "common/status.h"
#include "kernels/cpu/cpu_compiler.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace acceld::kernels::cpu {

// LLVM's description of one target and its code generator for it, which makes position-independent
// code with calls of any distance. One thread at a time. Setting one up takes milliseconds, so
// they are kept: see TranslatorLease.
class Translator {
 public:
  static absl::StatusOr<std::unique_ptr<Translator>> Make(const CpuTarget& target);

  const CpuTarget& target() const { return target_; }
  llvm::TargetMachine& machine() { return *machine_; }

  size_t largest_object() const { return object_.capacity(); }  // in bytes

  // Bytes of a relocatable object. Consumes the module's IR, which code generation rewrites.
  std::string Translate(llvm::Module& module);

 private:
  Translator(const CpuTarget& target, std::unique_ptr<llvm::LLVMTargetMachine> machine);
  absl::Status AddPasses();

  const CpuTarget target_;
  const std::unique_ptr<llvm::LLVMTargetMachine> machine_;
  llvm::SmallVector<char, 0> object_;
  llvm::raw_svector_ostream stream_{object_};
  llvm::legacy::PassManager passes_;
};

// Somebody's translator for the time being: one that was given back, or else a new one.
class TranslatorLease {
 public:
  // InitializeLlvm first. Thread-safe.
  static absl::StatusOr<TranslatorLease> Take(const CpuTarget& target);
  TranslatorLease(TranslatorLease&&) = default;
  TranslatorLease& operator=(TranslatorLease&&) = delete;
  ~TranslatorLease();

  Translator* operator->() const { return translator_.get(); }

 private:
  explicit TranslatorLease(std::unique_ptr<Translator> translator);

  std::unique_ptr<Translator> translator_;
};

}  // namespace acceld::kernels::cpu
