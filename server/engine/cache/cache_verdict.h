#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace acceld::engine {

// How an execution found its executable; see cache::Verdict.
enum class CacheVerdict : uint8_t { kUnknown, kMemory, kDisk, kRemote, kInflight, kMiss };
inline constexpr size_t kNumCacheVerdicts = 6;
// How often each came about, by verdict.
using CacheLookups = std::array<uint64_t, kNumCacheVerdicts>;

inline absl::string_view CacheVerdictName(CacheVerdict verdict) {
  constexpr absl::string_view kNames[kNumCacheVerdicts] = {"unknown", "memory",   "disk",
                                                           "remote",  "inflight", "miss"};
  return kNames[static_cast<size_t>(verdict)];
}

}  // namespace acceld::engine
