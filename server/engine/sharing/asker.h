#pragma once

#include "common/threads/fair_pool.h"
#include "server/engine/identity.h"

namespace acceld::engine {

// An identity in a pool of threads; admins have no share, but all of its queue.
inline FairPool::Asker AskerOf(const Identity& identity, Priority priority = Priority::kNormal) {
  return {identity.name, priority, identity.role != Role::kAdmin};
}

}  // namespace acceld::engine
