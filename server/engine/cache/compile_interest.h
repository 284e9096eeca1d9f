#pragma once

#include <functional>
#include <memory>

#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/cache/executable_cache.h"
#include "server/engine/sharing/identity_account.h"

namespace acceld::engine {

// The interest of one execution or Compile request in an executable that is being searched for. The
// search may take several requests to the cache, one after another. Thread-safe; may outlive the
// cache.
class CompileInterest {
 public:
  // Withdraws the interest: the executable is not needed any more (ExecutableCache::Interest).
  void Withdraw();
  // Replaces the interest that Leave() will withdraw. Withdraws it at once if Leave() has been
  // called.
  void Follow(std::shared_ptr<cache::ExecutableCache::Interest> interest);

 private:
  Mutex mutex_;
  bool left_ ABSL_GUARDED_BY(mutex_) = false;
  std::shared_ptr<cache::ExecutableCache::Interest> followed_ ABSL_GUARDED_BY(mutex_);
};

using FoundCallback = std::function<void(const absl::StatusOr<cache::Result>&, bool joined)>;

// Calls `done` with the result of `ticket`, the cache's answer to `request`. Requests for the same
// executable share one compile, and hence its refusal when the quota of the identity that would pay
// for it is exhausted. A refusal that concerns another identity than `identity` is not reported:
// the request is repeated instead. `interest` follows the request that is current. If it is
// withdrawn before `done` was called, `done` is called with CANCELLED.
void OnExecutableFound(cache::ExecutableCache& cache, cache::Request request,
                       const cache::ExecutableCache::Ticket& ticket,
                       std::shared_ptr<IdentityAccount> identity,
                       std::shared_ptr<CompileInterest> interest, FoundCallback done);

}  // namespace acceld::engine
