#include "server/cache/entry.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "common/check.h"

namespace acceld::cache {
namespace {

constexpr absl::string_view kMagic = "acceldx2";
constexpr size_t kSha256Bytes = 32;
constexpr size_t kPreambleBytes = 8 + 4;
constexpr size_t kMaxNameBytes = 4096;

template <typename T>
void PutInteger(std::string& out, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) {
    out.push_back(static_cast<char>(static_cast<uint64_t>(value) >> (8 * i)));
  }
}

// Names are informational: a long one is truncated rather than refused.
void PutString(std::string& out, absl::string_view text) {
  text = text.substr(0, kMaxNameBytes);
  PutInteger(out, static_cast<uint32_t>(text.size()));
  out.append(text.data(), text.size());
}

// Reads fields in order. After the first field that does not fit, `ok` is and stays false.
struct Reader {
  absl::string_view rest;
  bool ok = true;

  absl::string_view Bytes(size_t size) {
    if (!ok || rest.size() < size) {
      ok = false;
      return {};
    }
    absl::string_view bytes = rest.substr(0, size);
    rest.remove_prefix(size);
    return bytes;
  }
  template <typename T>
  T Integer() {
    absl::string_view bytes = Bytes(sizeof(T));
    uint64_t value = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      value |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[i])) << (8 * i);
    }
    return static_cast<T>(value);
  }
  std::string String() { return std::string(Bytes(Integer<uint32_t>())); }
  Digest Key() { return Digest::FromBytes(Bytes(Digest::kSizeBytes)).value_or(Digest{}); }
};

std::string Sha256(absl::string_view bytes) {
  std::string digest(kSha256Bytes, '\0');
  ACCELD_CHECK(EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<uint8_t*>(digest.data()),
                          nullptr, EVP_sha256(), nullptr) == 1);
  return digest;
}

bool EqualInConstantTime(absl::string_view a, absl::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

std::string MacOf(absl::string_view bytes, const SigningKey& key) {
  std::string mac(kSha256Bytes, '\0');
  ACCELD_CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                    reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(),
                    reinterpret_cast<uint8_t*>(mac.data()), nullptr) != nullptr);
  return mac;
}

std::string EncodeRecord(const EntryHeader& header, absl::string_view payload,
                         const SigningKey& key) {
  std::string fields;
  fields.append(header.key.AsBytes().data(), Digest::kSizeBytes);
  fields.append(header.fingerprint.AsBytes().data(), Digest::kSizeBytes);
  PutString(fields, header.build_id);
  PutString(fields, header.architecture);
  PutString(fields, header.options);
  PutString(fields, header.program_name);
  PutString(fields, header.signature);
  PutString(fields, header.producer);
  PutInteger(fields, std::bit_cast<uint64_t>(header.compile_ms));
  PutInteger(fields, header.created_unix_s);
  PutInteger(fields, static_cast<uint64_t>(payload.size()));
  fields += Sha256(payload);

  std::string record;
  record.reserve(kPreambleBytes + fields.size() + kSha256Bytes);
  record.append(kMagic.data(), kMagic.size());
  PutInteger(record, static_cast<uint32_t>(fields.size()));
  record += fields;
  record += MacOf(record, key);
  return record;
}

absl::StatusOr<absl::optional<size_t>> RecordBytes(absl::string_view prefix) {
  if (prefix.substr(0, kMagic.size()) != kMagic.substr(0, prefix.size())) {
    return absl::DataLossError("cache entry: not an entry of this version");
  }
  if (prefix.size() < kPreambleBytes) return absl::nullopt;
  const auto header_bytes = Reader{prefix.substr(kMagic.size())}.Integer<uint32_t>();
  if (header_bytes > kMaxRecordBytes - kPreambleBytes - kSha256Bytes) {
    return absl::DataLossError(absl::StrCat("cache entry: a header of ", header_bytes, " bytes"));
  }
  return kPreambleBytes + header_bytes + kSha256Bytes;
}

absl::StatusOr<Record> ParseRecord(absl::string_view prefix, absl::Span<const SigningKey> keys) {
  ACCELD_ASSIGN_OR_RETURN(const absl::optional<size_t> size_bytes, RecordBytes(prefix));
  if (!size_bytes.has_value() || prefix.size() < *size_bytes) {
    return absl::DataLossError(
        absl::StrCat("cache entry: cut short at ", prefix.size(), " bytes, in its record"));
  }
  const size_t signed_bytes = *size_bytes - kSha256Bytes;
  // No field of an entry is used before its signature has been verified.
  const absl::string_view mac = prefix.substr(signed_bytes, kSha256Bytes);
  if (std::none_of(keys.begin(), keys.end(), [&](const SigningKey& key) {
        return EqualInConstantTime(mac, MacOf(prefix.substr(0, signed_bytes), key));
      })) {
    return absl::PermissionDeniedError("cache entry: altered, or not signed with a key of ours");
  }
  Reader reader{prefix.substr(kPreambleBytes, signed_bytes - kPreambleBytes)};
  Record parsed;
  parsed.header.key = reader.Key();
  parsed.header.fingerprint = reader.Key();
  parsed.header.build_id = reader.String();
  parsed.header.architecture = reader.String();
  parsed.header.options = reader.String();
  parsed.header.program_name = reader.String();
  parsed.header.signature = reader.String();
  parsed.header.producer = reader.String();
  parsed.header.compile_ms = std::bit_cast<double>(reader.Integer<uint64_t>());
  parsed.header.created_unix_s = reader.Integer<int64_t>();
  parsed.payload_bytes = reader.Integer<uint64_t>();
  parsed.payload_sha256 = std::string(reader.Bytes(kSha256Bytes));
  parsed.size_bytes = *size_bytes;
  if (!reader.ok || !reader.rest.empty()) {
    return absl::DataLossError("cache entry: a signed header of another layout");
  }
  return parsed;
}

absl::Status CheckPayload(const Record& record, absl::string_view payload) {
  if (payload.size() != record.payload_bytes) {
    return absl::DataLossError(absl::StrCat("cache entry: ", payload.size(), " bytes of code, not ",
                                            record.payload_bytes));
  }
  if (!EqualInConstantTime(Sha256(payload), record.payload_sha256)) {
    return absl::DataLossError("cache entry: the code does not match its checksum");
  }
  return absl::OkStatus();
}

absl::Status CheckIsFor(const EntryHeader& wanted, const EntryHeader& found) {
  if (found.key == wanted.key && found.build_id == wanted.build_id &&
      found.architecture == wanted.architecture) {
    return absl::OkStatus();
  }
  return absl::PermissionDeniedError(absl::StrCat(
      "cache entry: signed for the key ", found.key.ToHex(), " of ", found.architecture,
      " and build ", found.build_id, ", not for ", wanted.key.ToHex(), " of ", wanted.architecture,
      " and build ", wanted.build_id));
}

}  // namespace acceld::cache
