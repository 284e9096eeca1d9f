#include <cstddef>
#include <cstdint>

#include "common/check.h"
#include "common/ir/text.h"
#include "common/ir/verify/verifier.h"
#include "server/compiler/process_signature.h"
#include "server/compiler/specialize_processes.h"
#include "server/compiler/spmd/partition.h"

// The partitioner refuses or partitions any program that can be read and is valid. What it makes is
// a valid program, too. An input is the text of a program.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace ir = acceld::ir;
  namespace compiler = acceld::compiler;
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const auto module = ir::ParseModule(text, "fuzz");
  if (!module.ok() || module->grid.size() <= 1 || !ir::Verify(*module).ok()) return 0;
  const std::string entry = "main";
  if (module->Find(entry) == nullptr) return 0;
  const auto signature = compiler::SignatureOfProcess(*module, entry);
  const auto whole = compiler::SpecializeForProcesses(*module, entry);
  if (!whole.ok()) {
    ACCELD_CHECK(!whole.status().message().empty());
    return 0;
  }
  const auto partitioned = compiler::spmd::Partition(*whole);
  ACCELD_CHECK(partitioned.ok() == signature.ok());
  if (!partitioned.ok()) {
    ACCELD_CHECK(!partitioned.status().message().empty());
    return 0;
  }
  ACCELD_CHECK(ir::Verify(partitioned->module).ok());
  return 0;
}
