#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/crypto/digest.h"
#include "common/status.h"

// The format of a stored executable:
//
//   record:  magic "acceldx2" | u32 header bytes | header | HMAC-SHA-256
//   payload
//
// The two follow each other in a file, or are stored separately. The header holds the fields of
// EntryHeader and the size and SHA-256 of the payload; the HMAC covers everything before it and,
// through the SHA-256, the payload too. A record can thus be verified without reading the payload.
// Integers are little-endian; strings have a u32 length.
namespace acceld::cache {

// The metadata of a cache entry.
struct EntryHeader {
  Digest key, fingerprint;
  std::string build_id, architecture, options, program_name, signature;
  std::string producer;  // the host that compiled it
  double compile_ms = 0;
  int64_t created_unix_s = 0;
};

// An entry whose signature and payload have been verified.
struct Entry {
  EntryHeader header;
  std::string payload;
};

// A secret that signs entries. Whoever has it can make daemons run code of their choice.
using SigningKey = std::string;

// A verified record: the header, and what it says about the payload.
struct Record {
  EntryHeader header;
  // The size of the record itself, which is the offset of the payload in a file.
  size_t size_bytes = 0;
  uint64_t payload_bytes = 0;
  std::string payload_sha256;
};

// The longest record that ParseRecord accepts.
inline constexpr size_t kMaxRecordBytes = 64 << 10;

// Returns the HMAC-SHA-256 of `bytes`.
std::string MacOf(absl::string_view bytes, const SigningKey& key);
// Encodes and signs the record of an entry.
std::string EncodeRecord(const EntryHeader& header, absl::string_view payload,
                         const SigningKey& key);
// Returns the size of the record that `prefix` begins with; nullopt when `prefix` is too short to
// tell. DATA_LOSS when it does not begin with a record.
absl::StatusOr<absl::optional<size_t>> RecordBytes(absl::string_view prefix);
// Verifies and decodes the record that `prefix` begins with; a payload may follow it. DATA_LOSS
// when the record is cut short or malformed, PERMISSION_DENIED when it is not signed with one of
// `keys`.
absl::StatusOr<Record> ParseRecord(absl::string_view prefix, absl::Span<const SigningKey> keys);
// Returns DATA_LOSS when the payload does not match the size and SHA-256 in the record.
absl::Status CheckPayload(const Record& record, absl::string_view payload);
// Returns PERMISSION_DENIED unless the entry is the wanted one: same key, build and architecture. A
// validly signed entry under another key is refused like an unsigned one.
absl::Status CheckIsFor(const EntryHeader& wanted, const EntryHeader& found);

}  // namespace acceld::cache
