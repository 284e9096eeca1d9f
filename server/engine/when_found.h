#pragma once

#include <functional>
#include <memory>

#include "common/status.h"
#include "server/cache/executable_cache.h"
#include "server/engine/identity_account.h"

namespace acceld::engine {

using FoundCallback = std::function<void(const absl::StatusOr<cache::Result>&, bool joined)>;

// Calls `done` with what `ticket`, the answer to `request`, comes to. Requests for the same
// executable share one compile, and so the refusal of who would have paid for it: another's
// refusal is none of `identity`'s, which asks again then.
void WhenFound(cache::ExecutableCache& cache, cache::Request request,
               const cache::ExecutableCache::Ticket& ticket,
               std::shared_ptr<IdentityAccount> identity, FoundCallback done);

}  // namespace acceld::engine
