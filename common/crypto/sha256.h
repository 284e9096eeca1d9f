#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

// SHA-256 hashes (FIPS 180-4) of full length; digest.h has truncated ones.
namespace acceld {

using Sha256 = std::array<uint8_t, 32>;

Sha256 Sha256Of(absl::string_view bytes);
// Returns 64 lower-case hexadecimal digits.
std::string ToHex(const Sha256& hash);
// The inverse of ToHex; digits may also be upper-case. nullopt for anything but 64 digits.
absl::optional<Sha256> Sha256FromHex(absl::string_view hex);
// Compares in a time that does not depend on the bytes, so that it reveals nothing about a secret.
bool EqualInConstantTime(const Sha256& a, const Sha256& b);

}  // namespace acceld
