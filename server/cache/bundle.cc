#include "server/cache/bundle.h"

#include <utility>

#include "server/cache/remote/compression.h"

namespace acceld::cache {

BundleEntry MakeBundleEntry(const EntryHeader& header, absl::string_view payload,
                            const SigningKey& key) {
  return {EncodeRecord(header, payload, key), Compress(payload)};
}

absl::StatusOr<Entry> OpenBundleEntry(const BundleEntry& entry, absl::Span<const SigningKey> keys) {
  ACCELD_ASSIGN_OR_RETURN(Record record, ParseRecord(entry.record, keys));
  if (record.size_bytes != entry.record.size()) {
    return absl::DataLossError("cache entry: bytes after its record");
  }
  ACCELD_ASSIGN_OR_RETURN(std::string payload, Decompress(entry.blob, record.payload_bytes));
  ACCELD_RETURN_IF_ERROR(CheckPayload(record, payload));
  return Entry{std::move(record.header), std::move(payload)};
}

}  // namespace acceld::cache
