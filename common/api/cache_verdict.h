#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace acceld {

// How a request for an executable was answered.
enum class CacheVerdict : uint8_t {
  kUnknown,   // not answered yet, or an answer that a newer daemon gave
  kMemory,    // the executable was loaded already
  kDisk,      // it was read from the cache folder
  kRemote,    // it came from the cache that daemons share
  kInflight,  // the request joined the search or compile of another request
  kMiss,      // it was compiled for this request
};
inline constexpr size_t kNumCacheVerdicts = 6;

// "unknown", "memory", "disk", "remote", "inflight", "miss".
constexpr absl::string_view CacheVerdictName(CacheVerdict verdict) {
  switch (verdict) {
    case CacheVerdict::kUnknown:
      return "unknown";
    case CacheVerdict::kMemory:
      return "memory";
    case CacheVerdict::kDisk:
      return "disk";
    case CacheVerdict::kRemote:
      return "remote";
    case CacheVerdict::kInflight:
      return "inflight";
    case CacheVerdict::kMiss:
      return "miss";
  }
  return "";
}

// How many requests got each verdict, indexed by CacheVerdict.
using CacheLookups = std::array<uint64_t, kNumCacheVerdicts>;

}  // namespace acceld
