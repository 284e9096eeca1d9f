#pragma once

#include "common/status.h"

namespace acceld::pjrt {

// A process that was forked from one with a session has none of the threads that serve it, and its
// end must not be taken for the end of the session. So in such a child nothing is sent or freed,
// and what would need the daemon is refused.

// From now on children of this process know.
void WatchForks();
// Whether this process was forked from one that had called WatchForks.
bool IsForkedChild();
// FAILED_PRECONDITION in such a child.
absl::Status CheckNotForked();

}  // namespace acceld::pjrt
