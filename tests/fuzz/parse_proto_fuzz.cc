#include <cstddef>
#include <cstdint>
#include <string>

#include "acceld/v1/program.pb.h"
#include "common/check.h"
#include "common/ir/text.h"
#include "common/ir/wire.h"
#include "google/protobuf/stubs/logging.h"

// The reader of programs on the wire refuses or reads any message, and writes what it read so that
// it reads again. An input is the bytes of a message, or else a program's text, whose message is
// then damaged byte by byte: that reaches deep into the reader.
namespace {

void Check(const acceld::v1::Module& proto) {
  const auto module = acceld::ir::FromProto(proto);
  if (!module.ok()) {
    ACCELD_CHECK(!module.status().message().empty());
    return;
  }
  ACCELD_CHECK(acceld::ir::FromProto(acceld::ir::ToProto(*module)).ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  google::protobuf::SetLogHandler(nullptr);  // Damaged strings are no news here.
  const std::string input(reinterpret_cast<const char*>(data), size);
  acceld::v1::Module proto;
  if (proto.ParseFromString(input)) Check(proto);
  const auto module = acceld::ir::ParseModule(input, "fuzz");
  if (!module.ok()) return 0;
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
