#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/crypto/digest.h"
#include "common/status.h"

// The form in which an executable is stored:
//
//   record:  magic "acceldx2" | u32 header bytes | header | HMAC-SHA-256
//   payload
//
// one after the other in a file, or apart. The header holds the fields of EntryHeader and the
// payload's size and SHA-256; the HMAC covers everything before it, and through the SHA-256 the
// payload too. A record can thus be trusted without reading the payload. Integers are
// little-endian, strings have a u32 length.
namespace acceld::cache {

// What can be said about an entry without its code.
struct EntryHeader {
  Digest key, fingerprint;
  std::string build_id, architecture, options, program_name, signature;
  std::string producer;  // the host that compiled it
  double compile_ms = 0;
  int64_t created_unix_s = 0;
};

// An entry that was verified.
struct Entry {
  EntryHeader header;
  std::string payload;
};

// A secret that signs entries: whoever has it can make daemons run code.
using SigningKey = std::string;

struct Record {
  EntryHeader header;
  size_t size_bytes = 0;  // its own: where a file's payload begins
  uint64_t payload_bytes = 0;
  std::string payload_sha256;
};

// The longest record that ParseRecord accepts.
inline constexpr size_t kMaxRecordBytes = 64 << 10;

// What stands behind the bytes that it covers.
std::string MacOf(absl::string_view bytes, const SigningKey& key);
std::string EncodeRecord(const EntryHeader& header, absl::string_view payload,
                         const SigningKey& key);
// The size of the record that `prefix` begins with; nullopt when that is too short to tell.
// DATA_LOSS when it begins with none.
absl::StatusOr<absl::optional<size_t>> RecordBytes(absl::string_view prefix);
// `prefix` begins with the whole record; a payload may follow. DATA_LOSS for what is cut short or
// malformed, PERMISSION_DENIED for what was not signed with one of these keys.
absl::StatusOr<Record> ParseRecord(absl::string_view prefix, absl::Span<const SigningKey> keys);
// DATA_LOSS when the payload is not the one that the record announces.
absl::Status CheckPayload(const Record& record, absl::string_view payload);
// PERMISSION_DENIED unless the entry is the wanted one: same key, build and architecture. A signed
// entry under another name is as foreign as an unsigned one.
absl::Status CheckIsFor(const EntryHeader& wanted, const EntryHeader& found);

}  // namespace acceld::cache
