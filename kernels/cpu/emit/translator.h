#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/status.h"
#include "common/threads/mutex.h"
#include "kernels/cpu/cpu_compiler.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace acceld::kernels::cpu {

// Compiles LLVM modules to objects for one target. The code is position-independent, and its calls
// can reach any address. Used by one thread at a time. A translator takes milliseconds to make, so
// translators are reused: see TranslatorPool.
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

// The translators of one compiler, all for the same target. Idle translators are kept for reuse: as
// many as there were threads that used one at the same time. Thread-safe.
class TranslatorPool {
 public:
  explicit TranslatorPool(CpuTarget target) : target_(std::move(target)) {}

  const CpuTarget& target() const { return target_; }

  // Exclusive use of a translator, which the destructor returns to the pool unless it has grown
  // very large. The pool must outlive the lease.
  class Lease {
   public:
    Lease(Lease&&) = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease();

    Translator* operator->() const { return translator_.get(); }

   private:
    friend class TranslatorPool;
    Lease(TranslatorPool& pool, std::unique_ptr<Translator> translator)
        : pool_(&pool), translator_(std::move(translator)) {}

    TranslatorPool* pool_;
    std::unique_ptr<Translator> translator_;  // nullptr after a move
  };

  // Takes an idle translator, or makes one. InitializeLlvm must have been called. Errors are those
  // of Translator::Make.
  absl::StatusOr<Lease> Take();

 private:
  const CpuTarget target_;
  Mutex mutex_;
  std::vector<std::unique_ptr<Translator>> idle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::kernels::cpu
