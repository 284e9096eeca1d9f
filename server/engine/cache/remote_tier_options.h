#pragma once

#include <vector>

#include "absl/types/optional.h"
#include "common/status.h"
#include "server/cache/remote/remote_tier.h"
#include "server/engine/cache/remote_cache.h"

namespace acceld::engine {

// The keys of the team, for its salt; none where no file is named. As the errors below.
absl::StatusOr<std::vector<cache::SigningKey>> LoadSigningKeys(const RemoteCacheOptions& options);

// What the cache makes of `options`, for a daemon that compiles so many programs at a time; nullopt
// where none is configured. INVALID_ARGUMENT for a URL, salt or file that is none, and the errors
// of reading files. Reads files.
absl::StatusOr<absl::optional<cache::RemoteTier::Options>> ToRemoteTierOptions(
    const RemoteCacheOptions& options, int compile_threads);

}  // namespace acceld::engine
