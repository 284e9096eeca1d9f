#include "kernels/cpu/load/code_linker.h"

#include <atomic>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "kernels/cpu/llvm_setup.h"
#include "kernels/cpu/load/run_time_symbols.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ExecutorProcessControl.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"

namespace acceld::kernels::cpu {
namespace {

namespace orc = llvm::orc;

absl::Status Refused(llvm::Error error) {
  return absl::InvalidArgumentError(
      absl::StrCat("object does not link: ", llvm::toString(std::move(error))));
}

// LLVM's linker, one for the process. Lives until the process ends, as linked code may.
class Linker {
 public:
  static Linker& Get() {
    static auto* linker = new Linker;
    return *linker;
  }

  orc::ExecutionSession& session() { return session_; }
  orc::ObjectLinkingLayer& layer() { return layer_; }
  orc::JITDylib& support() { return *support_; }
  std::string NextName() { return absl::StrCat("module", next_.fetch_add(1)); }

 private:
  Linker() : session_(MakeControl()), layer_(session_) {
    // Failures come back from the lookup that met them; reports beside that would only reach
    // stderr.
    session_.setErrorReporter([](llvm::Error error) { llvm::consumeError(std::move(error)); });
    support_ = &session_.createBareJITDylib("support");
    orc::SymbolMap symbols;
    for (const RunTimeSymbol& symbol : RunTimeSymbols()) {
      symbols[session_.intern(symbol.name)] = {
          orc::ExecutorAddr::fromPtr(symbol.address),
          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    }
    llvm::cantFail(support_->define(orc::absoluteSymbols(std::move(symbols))));
  }

  static std::unique_ptr<orc::ExecutorProcessControl> MakeControl() {
    InitializeLlvm();
    return llvm::cantFail(orc::SelfExecutorProcessControl::Create());
  }

  orc::ExecutionSession session_;
  orc::ObjectLinkingLayer layer_;
  orc::JITDylib* support_;
  std::atomic<uint64_t> next_{0};
};

// A library of linked code, removed with everything in it.
class LinkedLibrary : public LinkedCode {
 public:
  explicit LinkedLibrary(orc::JITDylib& library) : library_(library) {}
  ~LinkedLibrary() override {
    llvm::consumeError(Linker::Get().session().removeJITDylib(library_));
  }
  const void* entry() const override { return entry_; }

  absl::Status Link(absl::Span<const absl::string_view> objects, absl::string_view entry_symbol) {
    Linker& linker = Linker::Get();
    library_.setLinkOrder({{&library_, orc::JITDylibLookupFlags::MatchAllSymbols},
                           {&linker.support(), orc::JITDylibLookupFlags::MatchExportedSymbolsOnly}},
                          /*LinkAgainstThisJITDylibFirst=*/false);
    for (const absl::string_view object : objects) {
      auto buffer = llvm::MemoryBuffer::getMemBufferCopy(
          llvm::StringRef(object.data(), object.size()), library_.getName());
      if (llvm::Error error = linker.layer().add(library_, std::move(buffer))) {
        return Refused(std::move(error));
      }
    }
    llvm::Expected<orc::ExecutorSymbolDef> found = linker.session().lookup(
        {&library_}, llvm::StringRef(entry_symbol.data(), entry_symbol.size()));
    if (!found) return Refused(found.takeError());
    entry_ = found->getAddress().toPtr<const void*>();
    return absl::OkStatus();
  }

 private:
  orc::JITDylib& library_;
  const void* entry_ = nullptr;
};

}  // namespace

absl::StatusOr<std::unique_ptr<LinkedCode>> LinkObjects(absl::Span<const absl::string_view> objects,
                                                        absl::string_view entry_symbol) {
  Linker& linker = Linker::Get();
  auto library =
      std::make_unique<LinkedLibrary>(linker.session().createBareJITDylib(linker.NextName()));
  ACCELD_RETURN_IF_ERROR(library->Link(objects, entry_symbol));
  return std::unique_ptr<LinkedCode>(std::move(library));
}

}  // namespace acceld::kernels::cpu
