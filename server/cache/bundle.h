#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/status.h"
#include "server/cache/entry.h"

namespace acceld::cache {

// Encodes a cache entry for transport to another site: the record, signed with `key` (a key of the
// team, the daemons that share a remote cache), followed by the compressed payload.
std::string EncodeBundleEntry(const EntryHeader& header, absl::string_view payload,
                              const SigningKey& key);

// Decodes such an entry from bytes that arrive in pieces. Until the record's signature has been
// verified the reader buffers at most kMaxRecordBytes plus the bytes of one Append; after that, at
// most the compressed size that the signed payload size allows. Thread-compatible.
class BundleReader {
 public:
  // `keys`: the record must be signed with one of them.
  explicit BundleReader(std::vector<SigningKey> keys) : keys_(std::move(keys)) {}

  // Adds the next bytes. Returns PERMISSION_DENIED (the record is not signed with one of the keys)
  // or DATA_LOSS as soon as the bytes cannot become an entry; the reader must not be used after
  // that.
  absl::Status Append(absl::string_view bytes);
  // Returns the verified entry. Must be called once, after the last bytes. DATA_LOSS when the entry
  // is cut short or does not match its record.
  absl::StatusOr<Entry> Take();

 private:
  std::vector<SigningKey> keys_;
  // The bytes received so far; once record_ is set, those of the compressed payload only.
  std::string bytes_;
  absl::optional<Record> record_;
};

}  // namespace acceld::cache
