// Selects OpenSSL's direct SHA-256 functions. OpenSSL 3 recommends to look algorithms up by name,
// which loads its providers and configuration and takes a millisecond before a process has its
// first digest.
#define OPENSSL_API_COMPAT 10101

#include "common/crypto/digest.h"

#include <openssl/sha.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "common/check.h"

namespace acceld {

std::string Digest::ToHex() const { return absl::BytesToHexString(AsBytes()); }

absl::optional<Digest> Digest::FromHex(absl::string_view hex) {
  if (hex.size() != 2 * kSizeBytes) return absl::nullopt;
  for (char c : hex) {
    if (!absl::ascii_isdigit(c) && !(c >= 'a' && c <= 'f')) return absl::nullopt;
  }
  return FromBytes(absl::HexStringToBytes(hex));
}

absl::optional<Digest> Digest::FromBytes(absl::string_view bytes) {
  if (bytes.size() != kSizeBytes) return absl::nullopt;
  Digest digest;
  std::copy(bytes.begin(), bytes.end(), digest.bytes.begin());
  return digest;
}

struct Hasher::Impl {
  SHA256_CTX context;
  void Update(const void* data, size_t size) {
    ACCELD_CHECK(SHA256_Update(&context, data, size) == 1);
  }
};

Hasher::Hasher() : impl_(std::make_unique<Impl>()) {
  ACCELD_CHECK(SHA256_Init(&impl_->context) == 1);
}

Hasher::~Hasher() = default;

Hasher& Hasher::Add(absl::string_view bytes) {
  Add(static_cast<uint64_t>(bytes.size()));
  impl_->Update(bytes.data(), bytes.size());
  return *this;
}

Hasher& Hasher::AddRaw(absl::string_view bytes) {
  impl_->Update(bytes.data(), bytes.size());
  return *this;
}

Hasher& Hasher::Add(uint64_t value) {
  std::array<uint8_t, 8> little_endian;
  for (int i = 0; i < 8; ++i) little_endian[i] = static_cast<uint8_t>(value >> (8 * i));
  impl_->Update(little_endian.data(), little_endian.size());
  return *this;
}

Digest Hasher::Finish() {
  std::array<uint8_t, SHA256_DIGEST_LENGTH> full;
  ACCELD_CHECK(SHA256_Final(full.data(), &impl_->context) == 1);
  Digest digest;
  std::copy_n(full.begin(), Digest::kSizeBytes, digest.bytes.begin());
  return digest;
}

Digest DigestOf(absl::string_view bytes) { return Hasher().Add(bytes).Finish(); }
Digest ContentDigestOf(absl::string_view bytes) { return Hasher().AddRaw(bytes).Finish(); }

}  // namespace acceld
