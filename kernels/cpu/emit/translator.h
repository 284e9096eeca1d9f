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

// Compiles LLVM modules to objects for one target. The code is position-independent, and its calls
// can reach any address. Used by one thread at a time. A translator takes milliseconds to make, so
// translators are reused: see TranslatorLease.
class Translator {
 public:
  // Makes a translator; InitializeLlvm must have been called. INTERNAL if LLVM cannot generate code
  // for `target`.
  static absl::StatusOr<std::unique_ptr<Translator>> Make(const CpuTarget& target);

  const CpuTarget& target() const { return target_; }
  llvm::TargetMachine& machine() { return *machine_; }

  // An upper bound of the sizes of all objects so far, in bytes.
  size_t largest_object() const { return object_.capacity(); }

  // Compiles `module` and returns the bytes of a relocatable object. Destroys the module's IR.
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

// Exclusive use of a translator. Idle translators are kept in a process-wide list; the destructor
// returns the translator to it, unless it has grown very large.
class TranslatorLease {
 public:
  // Takes an idle translator for `target`, or makes one. InitializeLlvm must have been called.
  // Thread-safe. Errors are those of Translator::Make.
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
