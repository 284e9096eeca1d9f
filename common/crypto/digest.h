#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

// 128-bit content digests: SHA-256 cut to its first 16 bytes. Collision-resistant, because a digest
// names content that other users' sessions will trust (programs, executables, arrays).
namespace acceld {

struct Digest {
  static constexpr size_t kSizeBytes = 16;
  std::array<uint8_t, kSizeBytes> bytes{};

  // 32 lower-case hexadecimal digits.
  std::string ToHex() const;
  // The inverse of ToHex; nothing else is accepted.
  static absl::optional<Digest> FromHex(absl::string_view hex);
  // The 16 raw bytes, as they travel on the wire.
  absl::string_view AsBytes() const {
    return absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  static absl::optional<Digest> FromBytes(absl::string_view bytes);

  friend bool operator==(const Digest&, const Digest&) = default;
  friend auto operator<=>(const Digest&, const Digest&) = default;
  template <typename H>
  friend H AbslHashValue(H state, const Digest& digest) {
    return H::combine(std::move(state), digest.bytes);
  }
};

// Builds a digest from parts. Strings and byte runs are length-prefixed, so {"ab","c"} and
// {"a","bc"} differ. One thread at a time.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  Hasher& Add(absl::string_view bytes);
  Hasher& Add(uint64_t value);
  Hasher& Add(const Digest& digest) { return Add(digest.AsBytes()); }
  // Without their length: runs of one content, cut anywhere, give the same digest.
  Hasher& AddRun(absl::string_view bytes);

  // Call once, last.
  Digest Finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

Digest DigestOf(absl::string_view bytes);
// Of bytes alone, as AddRun gives it: the first half of their SHA-256.
Digest ContentDigestOf(absl::string_view bytes);

}  // namespace acceld
