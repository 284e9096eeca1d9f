#include "server/engine/cache/compile_interest.h"

#include <utility>

namespace acceld::engine {

void CompileInterest::Withdraw() {
  std::shared_ptr<cache::ExecutableCache::Interest> followed;
  {
    MutexLock lock(mutex_);
    left_ = true;
    followed = std::move(followed_);
  }
  if (followed != nullptr) followed->Withdraw();
}

void CompileInterest::Follow(std::shared_ptr<cache::ExecutableCache::Interest> interest) {
  {
    MutexLock lock(mutex_);
    if (!left_) {
      followed_ = std::move(interest);
      return;
    }
  }
  if (interest != nullptr) interest->Withdraw();
}

void OnExecutableFound(cache::ExecutableCache& cache, cache::Request request,
                       const cache::ExecutableCache::Ticket& ticket,
                       std::shared_ptr<IdentityAccount> identity,
                       std::shared_ptr<CompileInterest> interest, FoundCallback done) {
  const std::shared_ptr<CompileInterest> current = interest;
  ticket.future.OnReady([&cache, request = std::move(request), joined = ticket.joined,
                         identity = std::move(identity), interest = std::move(interest),
                         done = std::move(done)](const absl::StatusOr<cache::Result>& result) {
    if (result.ok() || !identity->IsRefusalOfAnother(result.status())) return done(result, joined);
    // This does not repeat forever: a request that leads its search is refused by its own quota
    // only.
    OnExecutableFound(cache, request, cache.Get(request), identity, interest, done);
  });
  current->Follow(ticket.interest);
}

}  // namespace acceld::engine
