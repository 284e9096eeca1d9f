#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::cache {

// Compresses with Zstandard at a fast level: executables shrink to about a third at any level.
std::string Compress(absl::string_view bytes);
// Returns an upper bound for the size of Compress of `size` bytes.
uint64_t CompressedBytesBound(uint64_t size);
// Decompresses what Compress made of exactly `size` bytes. DATA_LOSS for anything else; never
// allocates more than `size` bytes for the result.
absl::StatusOr<std::string> Decompress(absl::string_view bytes, uint64_t size);

}  // namespace acceld::cache
