#include "server/cache/bundle.h"

#include "absl/strings/str_cat.h"
#include "server/cache/remote/compression.h"

namespace acceld::cache {
namespace {

// Executables are serialized as protobuf messages, which cannot be larger.
constexpr uint64_t kMaxPayloadBytes = INT32_MAX;

}  // namespace

std::string EncodeBundleEntry(const EntryHeader& header, absl::string_view payload,
                              const SigningKey& key) {
  return absl::StrCat(EncodeRecord(header, payload, key), Compress(payload));
}

absl::Status BundleReader::Append(absl::string_view bytes) {
  bytes_.append(bytes.data(), bytes.size());
  if (!record_.has_value()) {
    ACCELD_ASSIGN_OR_RETURN(const absl::optional<size_t> record_bytes, RecordBytes(bytes_));
    if (!record_bytes.has_value() || bytes_.size() < *record_bytes) return absl::OkStatus();
    ACCELD_ASSIGN_OR_RETURN(record_, ParseRecord(bytes_, keys_));
    if (record_->payload_bytes > kMaxPayloadBytes) {
      return absl::DataLossError(
          absl::StrCat("cache entry: ", record_->payload_bytes, " bytes of code"));
    }
    bytes_.erase(0, *record_bytes);
  }
  if (bytes_.size() > CompressedBytesBound(record_->payload_bytes)) {
    return absl::DataLossError(absl::StrCat("cache entry: bytes after its blob, which is of ",
                                            record_->payload_bytes, " bytes of code"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Entry> BundleReader::Take() {
  if (!record_.has_value()) {
    return absl::DataLossError(
        absl::StrCat("cache entry: cut short at ", bytes_.size(), " bytes, in its record"));
  }
  ACCELD_ASSIGN_OR_RETURN(std::string payload, Decompress(bytes_, record_->payload_bytes));
  ACCELD_RETURN_IF_ERROR(CheckPayload(*record_, payload));
  return Entry{std::move(record_->header), std::move(payload)};
}

}  // namespace acceld::cache
