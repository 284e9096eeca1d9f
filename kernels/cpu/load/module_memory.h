#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "common/status.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"

namespace acceld::kernels::cpu {

// Allocates the memory of the objects that are linked into one module. Code, constants and
// variables of all objects are each in pages of their own, whose protection is set once, after all
// objects have been linked. This takes a fraction of the system calls and of the pages that one
// mapping for each object would take. Used by one thread at a time. The destructor unmaps the
// memory.
class ModuleMemory final : public llvm::jitlink::JITLinkMemoryManager {
 public:
  ModuleMemory() = default;
  ~ModuleMemory() override;

  // Allocates memory for the blocks of `graph`. It is writable, and not executable until Protect.
  void allocate(const llvm::jitlink::JITLinkDylib* dylib, llvm::jitlink::LinkGraph& graph,
                OnAllocatedFunction done) override;
  // Has no effect: all memory is freed by the destructor.
  void deallocate(std::vector<FinalizedAlloc> memory, OnDeallocatedFunction done) override;

  // Makes the code executable and everything but the variables read-only. Nothing can be allocated
  // afterwards. Returns the system's error if the protection cannot be changed, RESOURCE_EXHAUSTED
  // if memory is short.
  absl::Status Protect();

 private:
  enum Area : size_t { kCode, kConstants, kVariables };
  static constexpr size_t kAreas = 3;
  // A mapping of pages with an area of each kind. An object lies entirely in one slab, as its parts
  // refer to each other by 32-bit distances.
  struct Slab {
    char* base;
    size_t area_bytes;                // size of one area
    std::array<size_t, kAreas> used;  // bytes from the area's beginning
    char* BeginOf(size_t area) const { return base + area * area_bytes; }
  };

  static Area AreaOf(llvm::orc::MemProt protection);
  // Assigns addresses at the end of the areas of `slab` to the segments. Returns false if they do
  // not fit.
  static bool AssignAddresses(llvm::jitlink::BasicLayout& layout, Slab& slab);
  llvm::Error AddSlab(size_t area_bytes);

  std::vector<Slab> slabs_;
};

}  // namespace acceld::kernels::cpu
