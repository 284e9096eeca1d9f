#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace acceld::engine {

// Where the executable of an execution came from; see cache::Verdict.
enum class CacheVerdict : uint8_t { kUnknown, kMemory, kDisk, kRemote, kInflight, kMiss };
inline constexpr size_t kNumCacheVerdicts = 6;
// How often each verdict occurred, indexed by verdict.
using CacheLookups = std::array<uint64_t, kNumCacheVerdicts>;

// Returns the name of a verdict for metrics.
inline absl::string_view CacheVerdictName(CacheVerdict verdict) {
  constexpr absl::string_view kNames[kNumCacheVerdicts] = {"unknown", "memory",   "disk",
                                                           "remote",  "inflight", "miss"};
  return kNames[static_cast<size_t>(verdict)];
}

}  // namespace acceld::engine
