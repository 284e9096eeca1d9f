#pragma once

#include <functional>
#include <memory>

#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/cache/executable_cache.h"
#include "server/engine/sharing/identity_account.h"

namespace acceld::engine {

// The interest of one execution or request in an executable that is being looked for, whichever
// request for it that is. Thread-safe; may outlive the cache.
class CompileInterest {
 public:
  // Says that the executable is of no use any more (ExecutableCache::Interest).
  void Leave();
  // From now on it is this that Leave is about.
  void Follow(std::shared_ptr<cache::ExecutableCache::Interest> interest);

 private:
  Mutex mutex_;
  bool left_ ABSL_GUARDED_BY(mutex_) = false;
  std::shared_ptr<cache::ExecutableCache::Interest> followed_ ABSL_GUARDED_BY(mutex_);
};

using FoundCallback = std::function<void(const absl::StatusOr<cache::Result>&, bool joined)>;

// Calls `done` with what `ticket`, the answer to `request`, comes to. Requests for the same
// executable share one compile, and so the refusal of who would have paid for it: another's
// refusal is none of `identity`'s, which asks again then. `interest` is in whatever it waits for;
// once it has left, `done` is called with CANCELLED, unless it has been.
void WhenFound(cache::ExecutableCache& cache, cache::Request request,
               const cache::ExecutableCache::Ticket& ticket,
               std::shared_ptr<IdentityAccount> identity, std::shared_ptr<CompileInterest> interest,
               FoundCallback done);

}  // namespace acceld::engine
