#pragma once

namespace acceld {

// Asks the system to let the calling thread run in short slices: it gets no more time, but gets a
// core sooner when it wakes while others compute (Linux 6.12 and later; sched_setattr(2)). For
// threads that carry messages. Where that cannot be had nothing changes.
void PreferShortSlices();

// The same for a thread of the daemon, on which many clients wait: where the system permits it
// (CAP_SYS_NICE, or RLIMIT_NICE) the thread also goes before those that compute, by a nice value
// that is lower by kMessageNice. A daemon whose nice value is positive is to give way to others and
// does so with all its threads. What the thread starts has the usual slices and no negative nice
// value.
void CarryMessages();
constexpr int kMessageNice = 5;

}  // namespace acceld
