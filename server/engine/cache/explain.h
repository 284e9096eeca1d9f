#pragma once

#include <string>

#include "absl/types/optional.h"
#include "common/api/cache_info.h"
#include "server/cache/entry.h"
#include "server/cache/executable_cache.h"

namespace acceld::engine {

// What `accelctl cache explain` says: where the wanted entry is, and each component of its key
// beside that of the nearest one.
CacheExplanation Explain(const cache::EntryHeader& wanted,
                         const cache::ExecutableCache::Whereabouts& found);

// For people and clients.
CacheEntryInfo ToPublic(const cache::EntryHeader& header);

}  // namespace acceld::engine
