#pragma once

namespace acceld {

// Asks the system to let the calling thread run in short slices: it gets no more time, but gets a
// core sooner when it wakes while others compute (Linux 6.12 and later; sched_setattr(2)). For
// threads that carry messages. Where that cannot be had nothing changes.
void PreferShortSlices();

}  // namespace acceld
