#pragma once

#include <string>

#include "common/status.h"
#include "common/threads/stop_flag.h"
#include "kernels/ir/plan.h"

// Plan -> native object code for the CPU. The only folder that sees LLVM and oneDNN.
namespace acceld::kernels::cpu {

// The machine code is generated for: host CPU name and features, as LLVM spells them.
struct CpuTarget {
  std::string cpu;
  std::string features;
  static CpuTarget Host();
  // Part of the cache key: "x86_64-znver4+avx512f...", digest-sized when long.
  std::string ToString() const;
  friend bool operator==(const CpuTarget&, const CpuTarget&) = default;
};

// Text of intermediate stages, filled when asked for (--dump-dir).
struct CpuDumps {
  std::string llvm_ir;            // as printed from the plan
  std::string optimized_llvm_ir;  // after LLVM's passes
};

// Relocatable ELF objects (object_set.h) with one exported function, kEntrySymbol of type
// EntryFunction. Helped by threads that all calls share. Thread-safe. Before the next pass over a
// part that the plan is split into it looks whether it may go on (common/memory/allocation.h):
// CANCELLED once `stop` is stopped.
absl::StatusOr<std::string> CompilePlan(const Plan& plan, const CpuTarget& target,
                                        CpuDumps* dumps = nullptr, const StopFlag* stop = nullptr);

inline constexpr char kEntrySymbol[] = "acceld_entry";

}  // namespace acceld::kernels::cpu
