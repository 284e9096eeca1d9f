#include <cstddef>
#include <cstdint>
#include <string>

#include "acceld/v1/program.pb.h"
#include "common/check.h"
#include "common/ir/fingerprint.h"
#include "common/ir/text.h"
#include "common/ir/wire/wire.h"
#include "google/protobuf/stubs/logging.h"

// The reader of programs on the wire refuses or reads any message, and what it read means the same
// after it was written and read again. An input is the bytes of a message, or else a program's
// text, whose message is then damaged byte by byte: that reaches deep into the reader.
namespace {

using acceld::ir::Module;

void CheckSent(const Module& module) {
  const auto again = acceld::ir::FromProto(acceld::ir::ToProto(module));
  ACCELD_CHECK(again.ok());
  ACCELD_CHECK(acceld::ir::PrintModule(*again) == acceld::ir::PrintModule(module));
  for (const acceld::ir::Function& function : module.functions) {
    ACCELD_CHECK(acceld::ir::Fingerprint(*again, function.name) ==
                 acceld::ir::Fingerprint(module, function.name));
  }
}

void Check(const acceld::v1::Module& proto) {
  const auto module = acceld::ir::FromProto(proto);
  if (module.ok()) {
    CheckSent(*module);
  } else {
    ACCELD_CHECK(!module.status().message().empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  google::protobuf::SetLogHandler(nullptr);  // Damaged strings are no news here.
  const std::string input(reinterpret_cast<const char*>(data), size);
  acceld::v1::Module proto;
  if (proto.ParseFromString(input)) Check(proto);
  const auto module = acceld::ir::ParseModule(input, "fuzz");
  if (!module.ok()) return 0;
  CheckSent(*module);
  std::string bytes = acceld::ir::ToProto(*module).SerializeAsString();
  // Each round changes another byte, by amounts that depend on the input.
  uint64_t state = 0x9E3779B97F4A7C15u ^ size;
  for (int round = 0; round < 64 && !bytes.empty(); ++round) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const size_t at = (state >> 33) % bytes.size();
    const char kept = bytes[at];
    bytes[at] = static_cast<char>(state >> 24);
    acceld::v1::Module damaged;
    if (damaged.ParseFromString(bytes)) Check(damaged);
    if (round % 2 == 0) bytes[at] = kept;
  }
  return 0;
}
