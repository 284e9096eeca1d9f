#pragma once

#include "common/threads/fair_pool.h"
#include "server/engine/identity.h"

namespace acceld::engine {

// Returns the requester that stands for an identity in a thread pool. Admins have no share: they
// may fill the whole queue.
inline FairPool::Requester RequesterOf(const Identity& identity,
                                       Priority priority = Priority::kNormal) {
  return {identity.name, priority, identity.role != Role::kAdmin};
}

}  // namespace acceld::engine
