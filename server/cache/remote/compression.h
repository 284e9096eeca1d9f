#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::cache {

// Zstandard, quick rather than small: code shrinks to a third either way.
std::string Compress(absl::string_view bytes);
// Of what Compress makes of that many bytes, the most.
uint64_t CompressedBytesBound(uint64_t size);
// What Compress made of exactly `size` bytes. DATA_LOSS for anything else, without ever taking
// more memory than that.
absl::StatusOr<std::string> Decompress(absl::string_view bytes, uint64_t size);

}  // namespace acceld::cache
