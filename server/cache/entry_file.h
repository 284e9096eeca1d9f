#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "common/digest.h"
#include "common/status.h"

// The form of one executable on disk:
//
//   magic "acceldx1" | u32 header bytes | header | HMAC-SHA-256 | payload
//
// The header holds the fields of EntryHeader and the payload's size and SHA-256; the HMAC covers
// everything before it, and through the SHA-256 the payload too. A header can thus be trusted
// without reading the payload. Integers are little-endian, strings have a u32 length.
namespace acceld::cache {

// What can be said about an entry without its code.
struct EntryHeader {
  Digest key, fingerprint;
  std::string build_id, architecture, program_name, signature;
  double compile_ms = 0;
  int64_t created_unix_s = 0;
};

// The secret that signs entries: whoever has it can make the daemon run code.
using NodeKey = std::string;

struct ParsedHeader {
  EntryHeader header;
  size_t payload_offset = 0;
  uint64_t payload_bytes = 0;
  std::string payload_sha256;
};

// The longest header that ParseHeader accepts, with magic and HMAC.
inline constexpr size_t kMaxHeaderBytes = 64 << 10;

std::string EncodeEntry(const EntryHeader& header, absl::string_view payload,
                        absl::string_view node_key);
// `prefix` is the file's beginning, at least the whole header. DATA_LOSS for what is cut short or
// malformed, PERMISSION_DENIED for what was not signed with this key.
absl::StatusOr<ParsedHeader> ParseHeader(absl::string_view prefix, absl::string_view node_key);
// The payload of a whole file. DATA_LOSS when it is not what the header announces.
absl::StatusOr<absl::string_view> CheckPayload(const ParsedHeader& header, absl::string_view file);

}  // namespace acceld::cache
