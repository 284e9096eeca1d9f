#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

namespace acceld::cache::redis {

// The number of hash slots of a Redis cluster.
inline constexpr int kNumSlots = 16384;

// Returns the hash slot of a key: the CRC-16 of the key, or of the text between its first braces
// (the "hash tag"), modulo kNumSlots. Source: Redis cluster specification, "Key distribution model"
// and "Hash tags".
uint16_t SlotOf(absl::string_view key);

}  // namespace acceld::cache::redis
