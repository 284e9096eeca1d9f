#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

namespace acceld::cache::redis {

inline constexpr int kNumSlots = 16384;

// The slot of a cluster that a key is in: by its CRC-16, or by that of what stands in its first
// braces. Source: Redis cluster specification, "Key distribution model" and "Hash tags".
uint16_t SlotOf(absl::string_view key);

}  // namespace acceld::cache::redis
