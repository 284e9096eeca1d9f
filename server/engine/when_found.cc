#include "server/engine/when_found.h"

#include <utility>

namespace acceld::engine {

void WhenFound(cache::ExecutableCache& cache, cache::Request request,
               const cache::ExecutableCache::Ticket& ticket,
               std::shared_ptr<IdentityAccount> identity, FoundCallback done) {
  ticket.future.OnReady([&cache, request = std::move(request), joined = ticket.joined,
                         identity = std::move(identity),
                         done = std::move(done)](const absl::StatusOr<cache::Result>& result) {
    if (result.ok() || !identity->IsRefusalOfAnother(result.status())) return done(result, joined);
    // It ends: a request that leads is refused by its own quota.
    WhenFound(cache, request, cache.Get(request), identity, done);
  });
}

}  // namespace acceld::engine
