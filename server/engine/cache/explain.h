#pragma once

#include <string>

#include "absl/types/optional.h"
#include "common/api/cache_info.h"
#include "server/cache/entry.h"
#include "server/cache/executable_cache.h"

namespace acceld::engine {

// Returns the explanation of `accelctl cache explain`: the tier that has the wanted entry, and each
// component of its key beside that of the most similar entry.
CacheExplanation Explain(const cache::EntryHeader& wanted,
                         const cache::ExecutableCache::EntryLocation& found);

// Converts a header to the form of the engine's interface.
CacheEntryInfo ToPublic(const cache::EntryHeader& header);

}  // namespace acceld::engine
