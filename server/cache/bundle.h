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

// An entry on its way to another site: a record signed with a team's key, and its payload,
// compressed, one after the other.
std::string EncodeBundleEntry(const EntryHeader& header, absl::string_view payload,
                              const SigningKey& key);

// Takes in such an entry as its bytes come. Only once the record proved to be signed does it keep
// more than kMaxRecordBytes of them besides those of a call, and then no more than the payload that
// is signed for can take. Thread-compatible.
class BundleReader {
 public:
  explicit BundleReader(std::vector<SigningKey> keys) : keys_(std::move(keys)) {}

  // The next bytes. PERMISSION_DENIED (not signed with one of the keys) and DATA_LOSS as soon as
  // no entry can come of them; then the reader is of no more use.
  absl::Status Append(absl::string_view bytes);
  // The entry, after its last bytes: verified. DATA_LOSS. To be called once.
  absl::StatusOr<Entry> Take();

 private:
  std::vector<SigningKey> keys_;
  std::string bytes_;  // so far, from the blob's first once there is a record
  absl::optional<Record> record_;
};

}  // namespace acceld::cache
