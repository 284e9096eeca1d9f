#pragma once

#include <vector>

#include "absl/types/optional.h"
#include "common/status.h"
#include "server/cache/remote/remote_tier.h"
#include "server/engine/cache/remote_cache.h"

namespace acceld::engine {

// Reads the team's keys and derives the signing keys for the configured salt; empty when no file is
// named. INVALID_ARGUMENT for a malformed salt or file, and the errors of reading the file.
absl::StatusOr<std::vector<cache::SigningKey>> LoadSigningKeys(const RemoteCacheOptions& options);

// Converts the configuration, for a daemon that runs `compile_threads` compiles at a time; nullopt
// when no remote cache is configured. INVALID_ARGUMENT for a malformed URL, salt or file, and the
// errors of reading files. Reads files.
absl::StatusOr<absl::optional<cache::RemoteTier::Options>> ToRemoteTierOptions(
    const RemoteCacheOptions& options, int compile_threads);

}  // namespace acceld::engine
