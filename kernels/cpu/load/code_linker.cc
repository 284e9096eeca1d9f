#include "kernels/cpu/load/code_linker.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "kernels/cpu/llvm_setup.h"
#include "kernels/cpu/load/module_memory.h"
#include "kernels/cpu/load/run_time_symbols.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/Support/MemoryBuffer.h"

namespace acceld::kernels::cpu {
namespace {

namespace jitlink = llvm::jitlink;

using Addresses = absl::flat_hash_map<std::string, const void*>;

absl::Status Refused(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("object does not link: ", why));
}

absl::Status Refused(llvm::Error error) { return Refused(llvm::toString(std::move(error))); }

llvm::StringRef Ref(absl::string_view text) { return {text.data(), text.size()}; }
absl::string_view View(llvm::StringRef text) { return {text.data(), text.size()}; }

const Addresses& SupportAddresses() {
  static const auto* addresses = [] {
    auto* made = new Addresses;
    for (const RunTimeSymbol& symbol : RunTimeSymbols()) made->emplace(symbol.name, symbol.address);
    return made;
  }();
  return *addresses;
}

// The objects linked so far: their memory and the symbols that they define.
class LinkedObjects : public LinkedCode {
 public:
  const void* entry() const override { return entry_; }
  ModuleMemory& memory() { return memory_; }

  // Returns the address of a symbol, or null if neither the objects so far nor the run-time symbols
  // define it.
  const void* Find(absl::string_view symbol) const {
    if (const auto own = defined_.find(symbol); own != defined_.end()) return own->second;
    const auto given = SupportAddresses().find(symbol);
    return given == SupportAddresses().end() ? nullptr : given->second;
  }

  bool Define(absl::string_view symbol, const void* address) {
    return defined_.emplace(symbol, address).second;
  }

  absl::Status Enter(absl::string_view symbol) {
    const auto found = defined_.find(symbol);
    if (found == defined_.end()) return Refused(absl::StrCat("it does not define ", symbol));
    entry_ = found->second;
    return absl::OkStatus();
  }

 private:
  ModuleMemory memory_;
  Addresses defined_;
  const void* entry_ = nullptr;
};

// Links one object into `linked`. All callbacks run in the calling thread; `status` holds the
// result when jitlink::link() returns.
class ObjectLink : public jitlink::JITLinkContext {
 public:
  ObjectLink(LinkedObjects& linked, absl::Status& status)
      : JITLinkContext(nullptr), linked_(linked), status_(status) {}

  jitlink::JITLinkMemoryManager& getMemoryManager() override { return linked_.memory(); }

  void notifyFailed(llvm::Error error) override { status_ = Refused(std::move(error)); }

  void lookup(const LookupMap& symbols,
              std::unique_ptr<jitlink::JITLinkAsyncLookupContinuation> then) override {
    jitlink::AsyncLookupResult found;
    std::vector<absl::string_view> missing;
    for (const auto& [name, flags] : symbols) {
      const void* address = linked_.Find(View(name));
      if (address == nullptr) missing.push_back(View(name));
      found[name] = {llvm::orc::ExecutorAddr::fromPtr(address),
                     llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    }
    if (missing.empty()) return then->run(std::move(found));
    then->run(llvm::createStringError("it refers to " + absl::StrJoin(missing, ", ")));
  }

  llvm::Error notifyResolved(jitlink::LinkGraph& graph) override {
    for (const jitlink::Symbol* symbol : graph.defined_symbols()) {
      if (!symbol->hasName() || symbol->getScope() == jitlink::Scope::Local) continue;
      if (!linked_.Define(View(symbol->getName()), symbol->getAddress().toPtr<const void*>())) {
        return llvm::createStringError("it defines " + symbol->getName() + " again");
      }
    }
    return llvm::Error::success();
  }

  void notifyFinalized(jitlink::JITLinkMemoryManager::FinalizedAlloc memory) override {
    memory.release();  // ModuleMemory owns it
    status_ = absl::OkStatus();
  }

 private:
  LinkedObjects& linked_;
  absl::Status& status_;
};

absl::Status LinkObject(absl::string_view object, LinkedObjects& linked) {
  // A copy has the alignment that ELF's tables need.
  const auto bytes = llvm::MemoryBuffer::getMemBufferCopy(Ref(object), "object");
  auto graph = jitlink::createLinkGraphFromObject(bytes->getMemBufferRef());
  if (!graph) return Refused(graph.takeError());
  absl::Status status = absl::InternalError("linking an object came to no end");
  jitlink::link(std::move(*graph), std::make_unique<ObjectLink>(linked, status));
  return status;
}

}  // namespace

absl::StatusOr<std::unique_ptr<LinkedCode>> LinkObjects(absl::Span<const absl::string_view> objects,
                                                        absl::string_view entry_symbol) {
  InitializeLlvm();
  auto linked = std::make_unique<LinkedObjects>();
  for (size_t i = objects.size(); i-- > 0;) {
    ACCELD_RETURN_IF_ERROR(LinkObject(objects[i], *linked));
  }
  ACCELD_RETURN_IF_ERROR(linked->memory().Protect());
  ACCELD_RETURN_IF_ERROR(linked->Enter(entry_symbol));
  return std::unique_ptr<LinkedCode>(std::move(linked));
}

}  // namespace acceld::kernels::cpu
