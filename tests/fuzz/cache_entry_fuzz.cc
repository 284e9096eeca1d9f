// The reader of cache records takes any bytes: it believes those that were signed with its key, and
// no others, and of what was signed it reads what is there.

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/check.h"
#include "server/cache/entry.h"

namespace {

using acceld::cache::MacOf;
using acceld::cache::ParseRecord;
using acceld::cache::Record;

constexpr size_t kPreambleBytes = 12, kMacBytes = 32;
// That of the corpus.
const acceld::cache::SigningKey kKey = "a key for fuzzing, of no other use";

// With the length of what is there and a good signature.
std::string Signed(absl::string_view bytes) {
  std::string record(bytes.substr(0, bytes.size() - kMacBytes));
  const size_t header_bytes = record.size() - kPreambleBytes;
  for (size_t i = 0; i < 4; ++i) record[8 + i] = static_cast<char>(header_bytes >> (8 * i));
  record += MacOf(record, kKey);
  return record;
}

void CheckRead(absl::string_view bytes, const Record& record) {
  ACCELD_CHECK(record.size_bytes <= bytes.size());
  const absl::string_view whole = bytes.substr(0, record.size_bytes);
  const size_t signed_bytes = whole.size() - kMacBytes;
  ACCELD_CHECK(MacOf(whole.substr(0, signed_bytes), kKey) == whole.substr(signed_bytes));
  ACCELD_CHECK(!ParseRecord(whole.substr(0, whole.size() - 1), {kKey}).ok());
  ACCELD_CHECK(!ParseRecord(whole, {"another key"}).ok());
  ACCELD_CHECK(acceld::cache::CheckIsFor(record.header, record.header).ok());
  (void)acceld::cache::CheckPayload(record, bytes.substr(record.size_bytes));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<Record> record = ParseRecord(bytes, {kKey});
  if (record.ok()) CheckRead(bytes, *record);
  if (size < kPreambleBytes + kMacBytes) return 0;
  // Nearly no change leaves the signature good; behind it the fields are read.
  const std::string again = Signed(bytes);
  const absl::StatusOr<Record> believed = ParseRecord(again, {kKey});
  ACCELD_CHECK(!absl::IsPermissionDenied(believed.status()));
  if (believed.ok()) CheckRead(again, *believed);
  return 0;
}
