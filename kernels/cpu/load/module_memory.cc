#include "kernels/cpu/load/module_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/Support/MathExtras.h"

namespace acceld::kernels::cpu {
namespace {

namespace jitlink = llvm::jitlink;
using jitlink::JITLinkMemoryManager;

// Enough for the objects of most programs. Pages that are never touched take no memory.
constexpr size_t kMinAreaBytes = size_t{64} << 10;
// Parts of an object refer to each other by distances of 31 bits.
constexpr size_t kMaxAreaBytes = size_t{1} << 30;

size_t PageBytes() {
  static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// The allocation for one object. Finalizing and freeing need no work for a single object.
class Part : public JITLinkMemoryManager::InFlightAlloc {
 public:
  void finalize(OnFinalizedFunction done) override {
    done(JITLinkMemoryManager::FinalizedAlloc(llvm::orc::ExecutorAddr()));
  }
  void abandon(OnAbandonedFunction done) override { done(llvm::Error::success()); }
};

}  // namespace

ModuleMemory::~ModuleMemory() {
  for (const Slab& slab : slabs_) munmap(slab.base, kAreas * slab.area_bytes);
}

ModuleMemory::Area ModuleMemory::AreaOf(llvm::orc::MemProt protection) {
  using llvm::BitmaskEnumDetail::operator&;
  using llvm::orc::MemProt;
  if ((protection & MemProt::Exec) != MemProt::None) return kCode;
  return (protection & MemProt::Write) != MemProt::None ? kVariables : kConstants;
}

bool ModuleMemory::AssignAddresses(jitlink::BasicLayout& layout, Slab& slab) {
  std::array<size_t, kAreas> used = slab.used;
  for (auto& [group, segment] : layout.segments()) {
    const Area area = AreaOf(group.getMemProt());
    const size_t at = llvm::alignTo(used[area], segment.Alignment);
    used[area] = at + segment.ContentSize + segment.ZeroFillSize;
    if (used[area] > slab.area_bytes) return false;
    segment.WorkingMem = slab.BeginOf(area) + at;
    segment.Addr = llvm::orc::ExecutorAddr::fromPtr(segment.WorkingMem);
  }
  slab.used = used;
  return true;
}

llvm::Error ModuleMemory::AddSlab(size_t area_bytes) {
  const size_t rounded = llvm::alignTo(area_bytes, PageBytes());
  void* const base = mmap(nullptr, kAreas * rounded, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return llvm::errorCodeToError({errno, std::generic_category()});
  slabs_.push_back({static_cast<char*>(base), rounded, {}});
  return llvm::Error::success();
}

void ModuleMemory::allocate(const jitlink::JITLinkDylib* /*dylib*/, jitlink::LinkGraph& graph,
                            OnAllocatedFunction done) {
  jitlink::BasicLayout layout(graph);
  size_t wanted = 0;  // the most bytes in one area
  for (auto& [group, segment] : layout.segments()) {
    if (segment.Alignment.value() > PageBytes()) {
      return done(llvm::createStringError("it wants memory aligned to more than a page"));
    }
    if (segment.ContentSize > kMaxAreaBytes || segment.ZeroFillSize > kMaxAreaBytes) {
      return done(llvm::createStringError("it has more than 1 GiB of one kind"));
    }
    wanted += segment.ContentSize + segment.ZeroFillSize + segment.Alignment.value();
  }
  if (slabs_.empty() || !AssignAddresses(layout, slabs_.back())) {
    if (llvm::Error error = AddSlab(std::max(wanted, kMinAreaBytes))) {
      return done(std::move(error));
    }
    AssignAddresses(layout, slabs_.back());
  }
  if (llvm::Error error = layout.apply()) return done(std::move(error));
  done(std::make_unique<Part>());
}

void ModuleMemory::deallocate(std::vector<FinalizedAlloc> memory, OnDeallocatedFunction done) {
  for (FinalizedAlloc& part : memory) part.release();
  done(llvm::Error::success());
}

absl::Status ModuleMemory::Protect() {
  for (const Slab& slab : slabs_) {
    for (const auto& [area, protection] :
         {std::pair(kCode, PROT_READ | PROT_EXEC), std::pair(kConstants, PROT_READ)}) {
      if (slab.used[area] == 0) continue;
      char* const begin = slab.BeginOf(area);
      const size_t size = llvm::alignTo(slab.used[area], PageBytes());
      if (mprotect(begin, size, protection) != 0) {
        return absl::ErrnoToStatus(errno, "protecting the pages of native code");
      }
      if (area == kCode) __builtin___clear_cache(begin, begin + slab.used[area]);
    }
  }
  return absl::OkStatus();
}

}  // namespace acceld::kernels::cpu
