#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

// SHA-256 (FIPS 180-4), whole.
namespace acceld {

using Sha256 = std::array<uint8_t, 32>;

Sha256 Sha256Of(absl::string_view bytes);
// 64 lower-case hexadecimal digits.
std::string ToHex(const Sha256& hash);
// The inverse, also of upper-case digits; nothing else is accepted.
absl::optional<Sha256> Sha256FromHex(absl::string_view hex);
// Takes the same time whatever the bytes are.
bool EqualInConstantTime(const Sha256& a, const Sha256& b);

}  // namespace acceld
