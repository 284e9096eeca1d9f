#pragma once

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

// The text of intermediate stages of a compilation, for --dump-dir. CompilePlan appends the text of
// each LLVM module that the plan is split into.
struct CpuDumps {
  std::string llvm_ir;            // as generated from the plan
  std::string optimized_llvm_ir;  // after the optimization passes
};

// Compiles `plan` for `target`. Returns relocatable ELF objects, packed by PackObjects
// (object_set.h). Together they export one function, kEntrySymbol, which takes a const
// LaunchContext* (cpu_module.h) and returns a CodeStatus (support_abi.h) as an int32_t. Fills
// `dumps` unless it is nullptr.
//
// The call blocks until the code is complete. Threads of a pool that all calls share compile parts
// of the plan at the same time. Thread-safe. The work checks before each LLVM pass whether it may
// continue (common/memory/allocation.h). Errors: CANCELLED once `stop` is stopped,
// RESOURCE_EXHAUSTED when memory runs out, INTERNAL for a malformed plan or when LLVM cannot
// generate code for the target.
absl::StatusOr<std::string> CompilePlan(const Plan& plan, const CpuTarget& target,
                                        CpuDumps* dumps = nullptr, const StopFlag* stop = nullptr);

// The name of the function that CompilePlan's objects export.
inline constexpr char kEntrySymbol[] = "acceld_entry";

}  // namespace acceld::kernels::cpu
