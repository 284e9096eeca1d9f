#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status.h"
#include "server/cache/entry.h"

namespace acceld::cache {

// An entry on its way to another site: a record signed with a team's key, and its payload,
// compressed.
struct BundleEntry {
  std::string record, blob;
};

BundleEntry MakeBundleEntry(const EntryHeader& header, absl::string_view payload,
                            const SigningKey& key);
// Verifies signature and checksum. PERMISSION_DENIED, DATA_LOSS.
absl::StatusOr<Entry> OpenBundleEntry(const BundleEntry& entry, absl::Span<const SigningKey> keys);

}  // namespace acceld::cache
