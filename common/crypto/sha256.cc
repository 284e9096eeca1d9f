#include "common/crypto/sha256.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"

namespace acceld {

Sha256 Sha256Of(absl::string_view bytes) {
  Sha256 hash;
  SHA256(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), hash.data());
  return hash;
}

std::string ToHex(const Sha256& hash) {
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(hash.data()), hash.size()));
}

absl::optional<Sha256> Sha256FromHex(absl::string_view hex) {
  Sha256 hash;
  if (hex.size() != 2 * hash.size() ||
      !std::all_of(hex.begin(), hex.end(), &absl::ascii_isxdigit)) {
    return absl::nullopt;
  }
  const std::string bytes = absl::HexStringToBytes(hex);
  std::copy(bytes.begin(), bytes.end(), hash.begin());
  return hash;
}

bool EqualInConstantTime(const Sha256& a, const Sha256& b) {
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace acceld
