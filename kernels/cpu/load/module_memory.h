#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "common/status.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"

namespace acceld::kernels::cpu {

// The memory of one module's objects, side by side: code, constants and variables each in pages of
// their own, which are protected at once when all objects are linked. That takes a fraction of the
// system calls and of the pages that a mapping for each object does. For one thread at a time.
class ModuleMemory final : public llvm::jitlink::JITLinkMemoryManager {
 public:
  ModuleMemory() = default;
  ~ModuleMemory() override;

  // What a graph's blocks get can be written and not be executed until Protect.
  void allocate(const llvm::jitlink::JITLinkDylib* dylib, llvm::jitlink::LinkGraph& graph,
                OnAllocatedFunction done) override;
  // Memory stays until the module's is destroyed.
  void deallocate(std::vector<FinalizedAlloc> memory, OnDeallocatedFunction done) override;

  // Makes code executable and leaves only variables writable. Nothing can be allocated after that.
  // RESOURCE_EXHAUSTED where the system refuses.
  absl::Status Protect();

 private:
  enum Area : size_t { kCode, kConstants, kVariables };
  static constexpr size_t kAreas = 3;
  // Pages for objects of which each is in one slab, as its parts refer to each other by distances.
  struct Slab {
    char* base;
    size_t area_bytes;                // of each
    std::array<size_t, kAreas> used;  // bytes from the area's beginning
    char* BeginOf(size_t area) const { return base + area * area_bytes; }
  };

  static Area AreaOf(llvm::orc::MemProt protection);
  // Gives the segments places at the end of `slab`, if they fit.
  static bool Place(llvm::jitlink::BasicLayout& layout, Slab& slab);
  llvm::Error AddSlab(size_t area_bytes);

  std::vector<Slab> slabs_;
};

}  // namespace acceld::kernels::cpu
