#pragma once

#include <memory>
#include <string>

#include "common/status.h"
#include "common/threads/stop_flag.h"
#include "kernels/ir/plan.h"

// Compiles a Plan to native object code for the CPU. Only code in this folder uses LLVM, oneDNN and
// OpenBLAS.
namespace acceld::kernels::cpu {

// The processor that code is generated for: its name and its features, as LLVM spells them.
struct CpuTarget {
  std::string cpu;
  std::string features;
  // Returns the processor that this process runs on.
  static CpuTarget Host();
  // Returns a part of the key of cached executables:
  // "<target triple>-<cpu>-<12 hex digits of the digest of the features>-abi<kSupportAbiVersion>".
  std::string ToString() const;
  friend bool operator==(const CpuTarget&, const CpuTarget&) = default;
};

// The text of intermediate stages of a compilation, for --dump-dir. A compile appends the text of
// each LLVM module that the plan is split into.
struct CpuDumps {
  std::string llvm_ir;            // as generated from the plan
  std::string optimized_llvm_ir;  // after the optimization passes
};

// Compiles plans for one target. The compiler owns the threads that compile parts of a plan at the
// same time, and what it costs to set up LLVM, so that a process keeps one compiler for each
// target. Thread-safe; the destructor must not run before all calls have returned.
class CpuCompiler {
 public:
  explicit CpuCompiler(CpuTarget target);
  ~CpuCompiler();
  CpuCompiler(const CpuCompiler&) = delete;
  CpuCompiler& operator=(const CpuCompiler&) = delete;

  const CpuTarget& target() const;

  // Compiles `plan`. Returns relocatable ELF objects, packed by PackObjects (object_set.h).
  // Together they export one function, kEntrySymbol, which takes a const LaunchContext*
  // (cpu_module.h) and returns a CodeStatus (support_abi.h) as an int32_t. Fills `dumps` unless it
  // is nullptr.
  //
  // Blocks until the code is complete. The work checks before each LLVM pass whether it may
  // continue (common/memory/allocation.h). Errors: CANCELLED once `stop`, which may be nullptr, is
  // stopped, RESOURCE_EXHAUSTED when memory runs out, INTERNAL for a malformed plan or when LLVM
  // cannot generate code for the target.
  absl::StatusOr<std::string> Compile(const Plan& plan, CpuDumps* dumps = nullptr,
                                      const StopFlag* stop = nullptr) const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

// The name of the function that the compiled objects export.
inline constexpr char kEntrySymbol[] = "acceld_entry";

}  // namespace acceld::kernels::cpu
