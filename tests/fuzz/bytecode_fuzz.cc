#include <cstddef>
#include <cstdint>
#include <string>

#include "common/check.h"
#include "common/ir/bytecode.h"
#include "common/ir/fingerprint.h"
#include "common/ir/text.h"

// The reader of portable artifacts refuses or reads any bytes, and what it read is a program like
// any other: it prints as text with the same meaning. An input that is read is then damaged byte by
// byte, and what is survived stays, so that several changes add up.
namespace {

// True when the bytes were read.
bool Check(const std::string& bytes) {
  const auto module = acceld::ir::ReadBytecode(bytes, "fuzz");
  if (!module.ok()) {
    ACCELD_CHECK(!module.status().message().empty());
    return false;
  }
  const auto again = acceld::ir::ParseModule(acceld::ir::PrintModule(*module), "printed");
  ACCELD_CHECK(again.ok());
  for (size_t i = 0; i < module->functions.size(); ++i) {
    const std::string& name = module->functions[i].name;
    ACCELD_CHECK(acceld::ir::Fingerprint(*module, name) == acceld::ir::Fingerprint(*again, name));
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (!Check(bytes)) return 0;
  // Each round changes another byte, by amounts that depend on the input.
  uint64_t state = 0x9E3779B97F4A7C15u ^ size ^ data[size - 1] ^ uint64_t { data[size / 2] } << 8;
  constexpr int kRounds = 32;
  for (int round = 0; round < kRounds; ++round) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const size_t at = (state >> 33) % bytes.size();
    const char kept = bytes[at];
    // Numbers are shifted by one bit or more in the file; small steps name neighbours.
    const auto step = static_cast<char>((state >> 20) % 8);
    bytes[at] = (state >> 30) % 2 == 0 ? static_cast<char>(kept + 2 * step - 7)
                                       : static_cast<char>(state >> 24);
    if (!Check(bytes)) bytes[at] = kept;
  }
  return 0;
}
