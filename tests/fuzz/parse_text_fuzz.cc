#include <cstddef>
#include <cstdint>

#include "common/check.h"
#include "common/ir/fingerprint.h"
#include "common/ir/text.h"

// The reader of StableHLO text refuses or reads anything, and prints what it read so that it reads
// again and means the same.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const auto module = acceld::ir::ParseModule(text, "fuzz");
  if (!module.ok()) {
    ACCELD_CHECK(!module.status().message().empty());
    return 0;
  }
  const std::string printed = acceld::ir::PrintModule(*module);
  const auto again = acceld::ir::ParseModule(printed, "printed");
  ACCELD_CHECK(again.ok());
  ACCELD_CHECK(acceld::ir::PrintModule(*again) == printed);
  for (const acceld::ir::Function& function : module->functions) {
    ACCELD_CHECK(acceld::ir::Fingerprint(*again, function.name) ==
                 acceld::ir::Fingerprint(*module, function.name));
  }
  return 0;
}
