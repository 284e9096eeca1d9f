#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

// 128-bit content digests: SHA-256 truncated to its first 16 bytes. They must resist collisions,
// because a digest names content that other users' sessions trust (programs, executables, arrays).
namespace acceld {

// A digest as a value: comparable, ordered and hashable.
struct Digest {
  static constexpr size_t kSizeBytes = 16;
  std::array<uint8_t, kSizeBytes> bytes{};

  // Returns 32 lower-case hexadecimal digits.
  std::string ToHex() const;
  // The inverse of ToHex: nullopt for anything but 32 lower-case hexadecimal digits.
  static absl::optional<Digest> FromHex(absl::string_view hex);
  // The 16 raw bytes, as the wire carries them.
  absl::string_view AsBytes() const {
    return absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  // Returns nullopt unless `bytes` has exactly 16 bytes.
  static absl::optional<Digest> FromBytes(absl::string_view bytes);

  friend bool operator==(const Digest&, const Digest&) = default;
  friend auto operator<=>(const Digest&, const Digest&) = default;
  template <typename H>
  friend H AbslHashValue(H state, const Digest& digest) {
    return H::combine(std::move(state), digest.bytes);
  }
};

// Builds a digest from parts. Each string is preceded by its length, so {"ab","c"} and {"a","bc"}
// differ; integers are added as 8 bytes. Not thread-safe.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  Hasher& Add(absl::string_view bytes);
  Hasher& Add(uint64_t value);
  Hasher& Add(const Digest& digest) { return Add(digest.AsBytes()); }
  // Adds bytes without their length. A content that is added in several pieces has the same digest
  // wherever it is cut.
  Hasher& AddRaw(absl::string_view bytes);

  // Returns the digest. Must be the last call, and be made once.
  Digest Finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Returns the digest of one string with its length, as Hasher::Add makes it.
Digest DigestOf(absl::string_view bytes);
// Returns the digest of the bytes without their length, as Hasher::AddRaw makes it: the first 16
// bytes of their SHA-256.
Digest ContentDigestOf(absl::string_view bytes);

}  // namespace acceld
