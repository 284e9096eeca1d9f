// The compressed code of a cache entry, which anybody could have put there: whatever comes, it is
// the code that the record names or refused, and takes no more memory than was announced.

#include <zstd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "server/cache/bundle.h"
#include "server/cache/remote/compression.h"

namespace {

constexpr uint64_t kMaxBytes = 1 << 20;

// What the first file of the corpus was made from.
const std::string& Payload() {
  static const std::string& payload = *[] {
    auto* text = new std::string;
    for (int i = 0; i < 200; ++i) absl::StrAppend(text, "code ", i % 37, ";");
    return text;
  }();
  return payload;
}

absl::StatusOr<acceld::cache::Entry> Open(absl::string_view record, absl::string_view blob) {
  acceld::cache::BundleReader reader({"key"});
  ACCELD_RETURN_IF_ERROR(reader.Append(record));
  ACCELD_RETURN_IF_ERROR(reader.Append(blob));
  return reader.Take();
}

void CheckDecompress(absl::string_view blob, uint64_t size) {
  const absl::StatusOr<std::string> payload = acceld::cache::Decompress(blob, size);
  ACCELD_CHECK(payload.ok() ? payload->size() == size : absl::IsDataLoss(payload.status()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string blob(reinterpret_cast<const char*>(data), size);
  static const std::string& record =
      *new std::string(acceld::cache::EncodeRecord({.build_id = "build-1"}, Payload(), "key"));
  const absl::StatusOr<acceld::cache::Entry> entry = Open(record, blob);
  ACCELD_CHECK(entry.ok() ? entry->payload == Payload() : absl::IsDataLoss(entry.status()));
  CheckDecompress(blob, 0);
  CheckDecompress(blob, Payload().size());
  CheckDecompress(blob, ZSTD_CONTENTSIZE_UNKNOWN);
  CheckDecompress(blob, ZSTD_CONTENTSIZE_ERROR);
  const unsigned long long announced = ZSTD_getFrameContentSize(blob.data(), blob.size());
  if (announced <= kMaxBytes) CheckDecompress(blob, announced);
  const std::string whole = acceld::cache::Compress(blob);
  ACCELD_CHECK(*acceld::cache::Decompress(whole, blob.size()) == blob);
  return 0;
}
