#pragma once

namespace acceld {

// Asks the system to run the calling thread in short time slices (Linux 6.12 and later;
// sched_setattr(2)): the thread gets no more time in all, but gets a core sooner when it wakes
// while others compute. For threads that deliver messages. Does nothing where the system cannot do
// that.
void PreferShortSlices();

// As PreferShortSlices, for a thread of the daemon that many clients wait for. Where the system
// permits it (CAP_SYS_NICE, or RLIMIT_NICE), the thread also gets precedence over threads that
// compute: its nice value is lowered by kMessageNice. If the daemon has a positive nice value,
// which says that it shall give way to other processes, the value stays. Threads that the calling
// thread starts have the usual time slices and no negative nice value.
void PrioritizeMessageThread();
constexpr int kMessageNice = 5;

}  // namespace acceld
