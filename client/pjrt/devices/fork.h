#pragma once

#include "common/status.h"

namespace acceld::pjrt {

// A process that was forked from one with a session does not have the threads that serve the
// session, and its exit must not look like the end of the session. In such a child process nothing
// is sent or freed, and calls that need the daemon are refused.

// Makes child processes that are forked from now on recognize themselves.
void WatchForks();
// Returns whether this process was forked from one that had called WatchForks.
bool IsForkedChild();
// Returns FAILED_PRECONDITION in such a child process, else OK.
absl::Status CheckNotForked();

}  // namespace acceld::pjrt
